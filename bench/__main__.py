"""`make bench`: whole processes of dsgen and of Helm in turn, and what one takes of the other.

A machine's speed drifts, so no time is shown: A B A B ... after a warm-up, the ratio pair by pair, the median of the
ratios with the smallest and the largest. Both make the same objects of the same values, which is verified first.
"""

import argparse
import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.helm import helm, run_helm
from tests.parity import objects
from tests.progress import show

ROOT = Path(__file__).parent.parent
CHART = ROOT / "charts" / "deepspeed-job"
PAGE = ROOT / "docs" / "benchmark.md"
BETWEEN = re.compile("(?<=<!-- figures -->\n).*(?=<!-- end of figures -->)", re.DOTALL)
PAIRS = 9
FILES = 100
DSGEN = (sys.executable, "-m", "dsgen")

VALUES = """\
name: bench
namespace: training
image: {{repository: registry.example.com/team/bench, tag: v1}}
workers:
  replicas: {workers}
  slots: 8
  tolerations:
    - {{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}
launcher:
  resources:
    requests: {{cpu: "1", memory: 32Gi}}
training:
  python: train.py
  args: [--epochs, "3"]
  env: {{NCCL_DEBUG: WARN}}
  deepspeed:
    config:
      train_micro_batch_size_per_gpu: 8
      zero_optimization: {{stage: 3}}
launch: {{method: openmpi}}
storage:
  checkpoints: {{mountPath: /checkpoints, create: {{size: 1Ti}}}}
"""
"""Of a training of any size: pdsh takes no more than some thousand workers."""
BROKEN = VALUES.format(workers="many").replace("slots:", "slotz:")


class Cost(NamedTuple):
    """Of one command: seconds of wall clock and of processor, most memory of one of its processes in KiB."""

    wall: float
    cpu: float
    memory: int


Command = Sequence[Sequence[str]]
"""Processes that run one after the other, as a shell script would."""


class Case(NamedTuple):
    """Two commands that do the same; exit is what both end with."""

    title: str
    ours: Command
    theirs: Command
    exit: int = 0


def cost(command: Command, exit_code: int) -> Cost:
    """Runs the processes, what they print is thrown away. Raises SystemExit when one ends with another exit code."""
    runner = [sys.executable, "-IS", str(Path(__file__).with_name("run.py")), json.dumps(command)]
    found = json.loads(subprocess.run(runner, capture_output=True, check=True).stdout)
    for arguments, code in zip(command, found["exits"], strict=True):
        if code != exit_code:
            raise SystemExit(f"exit {code}: {' '.join(arguments)}")
    return Cost(*found["cost"])


def ratios(case: Case, pairs: int, say: Callable[[str], None]) -> list[Cost]:
    """Ours divided by theirs, pair by pair, after one of each that is not counted."""
    found: list[Cost] = []
    for number in range(pairs + 1):
        say(f"{case.title}: pair {number} of {pairs}")
        ours, theirs = cost(case.ours, case.exit), cost(case.theirs, case.exit)
        found.append(Cost(*(one / other for one, other in zip(ours, theirs, strict=True))))
    return found[1:]


def cases(folder: Path) -> Iterator[Case]:
    """What is compared; the files are written into the folder."""
    for workers in (4, 1_000, 10_000):
        file = written(folder / f"{workers}.yaml", VALUES.format(workers=workers))
        yield Case(f"one file, {workers:,} workers", [[*DSGEN, "render", file]], [template(file)])
    file = written(folder / "broken.yaml", BROKEN)
    yield Case("a file with two mistakes", [[*DSGEN, "render", file]], [template(file)], exit=1)
    files = [
        written(folder / f"job{number}.yaml", VALUES.format(workers=4).replace("name: bench", f"name: bench{number}"))
        for number in range(FILES)
    ]
    ours, theirs = [[*DSGEN, "render", *files]], [template(file) for file in files]
    yield Case(f"{FILES} files, one dsgen, {FILES} times Helm", ours, theirs)


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def template(file: str) -> list[str]:
    """Helm's command for a values file."""
    return [helm(4), "template", "bench", str(CHART), "--namespace", "training", "--values", file]


def verify(case: Case) -> None:
    """Both commands make the same objects, or end with the same error. Raises SystemExit."""
    ours, theirs = (objects("".join(printed(one, case.exit) for one in side)) for side in (case.ours, case.theirs))
    if ours != theirs or bool(ours) == bool(case.exit):
        raise SystemExit(f"{case.title}: the objects differ")


def printed(arguments: Sequence[str], exit_code: int) -> str:
    """Standard output of a process. Raises SystemExit when it ends with another exit code."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != exit_code:
        raise SystemExit(f"exit {done.returncode}: {' '.join(arguments)}")
    return done.stdout


def row(case: Case, found: Sequence[Cost]) -> str:
    """A row of the table."""
    columns = [[one[place] for one in found] for place in range(len(Cost._fields))]
    cells = [f"{median(column):.2f} ({min(column):.2f} to {max(column):.2f})" for column in columns]
    return f"| {' | '.join([case.title, *cells])} |\n"


def table(rows: Sequence[str], pairs: int) -> str:
    version = run_helm(helm(4), "version", "--template", "{{.Version}}").stdout
    return (
        f"dsgen divided by Helm {version}, median of {pairs} pairs (smallest to largest), Python "
        f"{platform.python_version()}:\n\n"
        "| what is rendered | wall clock | processor | memory |\n|---|---|---|---|\n" + "".join(rows) + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="runs of each that are counted")
    parser.add_argument("--print", action="store_true", help="do not write docs/benchmark.md")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(Path(folder)):
            verify(case)
            rows.append(row(case, ratios(case, given.pairs, show)))
    show("")
    text = table(rows, given.pairs)
    print(text, end="")
    if not given.print:
        PAGE.write_text(BETWEEN.sub(lambda _: "\n" + text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
