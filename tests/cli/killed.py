"""Kills writes of many jobs at random moments, and looks at what is left: python -m tests.cli.killed

Arguments: an empty folder, how many jobs, how many kills, a seed. Prints where the kills came. What is written is
rendered once, and gets another run id each time; the writes run in copies of this process, so that they begin at once.
"""

import contextlib
import io
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

from dsgen.cli._delivery import OutputFolder, choose_folders, deliver
from dsgen.cli._loading import Report, load_jobs
from dsgen.cli._options import Delivery, Inputs
from dsgen.render import render
from dsgen.runs import plan_job_folder
from dsgen.writer import INDEX, Destination, Plan

MINIMAL = (Path(__file__).parents[2] / "values-examples" / "minimal.yaml").read_text()
RUN = "run0run"
TEMPORARY = re.compile(r"\.dsgen-(?:index-)?[0-9a-f]{16}\.tmp")

Tree = dict[str, str]
"""Path -> checksum."""


@cache
def rendered() -> list[tuple[Destination, Plan]]:
    """All jobs, with a run id and a label that changes every object."""
    files = tuple(map(str, sorted(Path().glob("job*.yaml"))))
    jobs, _ = load_jobs(Inputs((*files,), ("run.yaml",)))
    plans = [plan_job_folder(job, render(job.data, job.release)) for job in (each.job for each in jobs)]
    return list(zip(choose_folders(Path("out"), jobs), plans, strict=True))


def plans(number: int) -> list[tuple[Destination, Plan]]:
    """The same for one run."""

    def own(text: str) -> str:
        return text.replace(RUN, f"run{number}run")

    return [
        (
            place,
            replace(
                plan,
                files={own(path): own(text) for path, text in plan.files.items()},
                run=own(plan.run),
                frozen=frozenset(map(own, plan.frozen)),
                values="",
                guard=None,
            ),
        )
        for place, plan in rendered()
    ]


def wanted(number: int) -> Tree:
    """What a write leaves when nobody interrupts it."""
    return {
        f"{place.below}/{path}": digest(text.encode())
        for place, plan in plans(number)
        for path, text in plan.files.items()
    }


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def tree() -> Tree:
    """Every file that is there but the indexes, and every folder that is empty."""
    written = [path for path in Path("out").rglob("*") if path.name != INDEX]
    files = {path.relative_to("out").as_posix(): digest(path.read_bytes()) for path in written if path.is_file()}
    return files | {path.name: "an empty folder" for path in written if path.is_dir() and not any(path.iterdir())}


def put(number: int, check: bool = False) -> tuple[int, str]:
    """Write, or compare; the exit code of the command and what it says."""
    sys.stdout = io.TextIOWrapper(io.BytesIO())
    try:
        code = deliver(
            [OutputFolder(place, partial(lambda made: made, plan)) for place, plan in plans(number)],
            Delivery(check=check),
            Report(),
        )
        return code, sys.stdout.buffer.getvalue().decode()
    finally:
        sys.stdout = sys.__stdout__


def begun(number: int) -> int:
    """A write in a process of its own, which has just begun."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)

        def tell(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal writing
            if event == "open" and writing and TEMPORARY.fullmatch(str(arguments[0])):
                told, writing = writing, 0
                os.write(told, b"x")

        sys.addaudithook(tell)
        code = 1
        with contextlib.suppress(BaseException):
            code, _ = put(number)
        os._exit(code)
    os.close(writing)
    assert os.read(reading, 1), "nothing was written"
    os.close(reading)
    return child


def duration(number: int) -> float:
    """How long a write takes, in seconds."""
    child, begin = begun(number), time.monotonic()
    assert (child, 0) == os.waitpid(child, 0)
    return time.monotonic() - begin


def killed(number: int, after: float) -> bool:
    """A write that is killed some seconds after it has begun; False when it was quicker."""
    child = begun(number)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1] == signal.SIGKILL


def look(old: Tree, new: Tree, number: int) -> str:
    """Where a kill came, in words. Raises AssertionError when what it left is not as it must be."""
    present = tree()
    left = {path for path in present if TEMPORARY.fullmatch(Path(path).name)}
    for path in present.keys() - left:
        assert present[path] in (old.get(path), new.get(path)), f"{path} is neither old nor new"
    mixed = {job for job in map(job_of, present.keys() | new.keys()) if part(present, job, left) not in
             (part(old, job), part(new, job))}  # fmt: skip
    code, out = put(number, check=True)
    assert (0 if present == new else 1) == code, out
    assert left == set(re.findall(r"^left by an interrupted write: out/(.*)$", out, re.MULTILINE))
    assert mixed <= set(map(job_of, left)), f"--check does not tell of {mixed}"
    return "between old and new files" if mixed else "between new texts" if left else "between jobs"


def job_of(path: str) -> str:
    """The folder of a job."""
    return path.partition("/")[0]


def part(whole: Tree, job: str, but: Collection[str] = ()) -> Tree:
    """What belongs to one job."""
    return {path: text for path, text in whole.items() if job_of(path) == job and path not in but}


def main(where: str, jobs: int, count: int, seed: int) -> None:
    """Kill, look, and write into the same folder: the same, what was before, or something new."""
    os.chdir(where)
    chance = random.Random(seed)
    for each in range(jobs):
        Path(f"job{each:02}.yaml").write_text(MINIMAL.replace("cifar", f"job{each:02}"))
    Path("run.yaml").write_text(f"run: {{id: {RUN}}}\nlabels: {{round: {RUN}}}\n")
    assert 0 == put(1)[0]
    now = newest = 3
    longest = max(duration(2), duration(3))
    counts: Counter[str] = Counter()
    while counts.total() - counts["too late"] < count:
        newest += 1
        number = newest
        if not killed(number, chance.random() * longest):
            counts["too late"] += 1
            now = number
            continue
        counts[look(wanted(now), wanted(number), number)] += 1
        now = chance.choice([now, number, number + 1])
        newest = max(newest, now)
        code, out = put(now)
        assert code == 0, out
        assert wanted(now) == tree()
        assert (0, "") == put(now, check=True)
    print(dict(counts))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
