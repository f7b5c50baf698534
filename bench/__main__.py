"""`make bench`: compares the costs of whole processes of dsgen and of Helm.

The speed of a machine changes, so no times are shown: after a warm-up, both run alternately, each pair gives a ratio,
and the table has the median of the ratios with the smallest and the largest. Both render the same objects from the same
values, which is verified first. dsgen is installed from a wheel, with bytecode, as users install it.
"""

import argparse
import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import chain
from math import inf
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import environment, peers
from tests.helm import helm, run_helm
from tests.parity import objects
from tests.progress import show

ROOT = Path(__file__).parent.parent
CHART = ROOT / "charts" / "deepspeed-job"
PAGE = ROOT / "docs" / "benchmark.md"
BETWEEN = re.compile("(?<=<!-- figures -->\n).*(?=<!-- end of figures -->)", re.DOTALL)
PAIRS = 9
FILES, EVERY = 1_000, 50
"""The number of files of one call, and the number with which Helm is measured, because its runs take minutes."""
DSGEN = (str(environment.DSGEN),)
PYTHON = str(environment.PYTHON)

VALUES = """\
name: bench
namespace: training
image: {{repository: registry.example.com/team/bench, tag: v1}}
workers:
  replicas: {workers}
  slots: 8
  resources: {{requests: {{cpu: "8", memory: 64Gi}}}}
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
"""Values for any number of workers; pdsh supports only some thousand."""
BROKEN = VALUES.format(workers="many").replace("slots:", "slotz:")


class Cost(NamedTuple):
    """The costs of a command: seconds of wall clock and of processor, and the largest memory of a process in KiB."""

    wall: float
    cpu: float
    memory: float


Command = Sequence[Sequence[str]]
"""Processes that run one after the other, as a shell script would."""


class Case(NamedTuple):
    """Two commands that do the same.

    exit: what both end with. times: what theirs is multiplied by. alike: of ours, what makes the same objects as
    theirs; empty where neither makes any. limits: the largest medians of the ratios with which the benchmark passes.
    """

    title: str
    ours: Command
    theirs: Command
    exit: int = 0
    times: int = 1
    alike: Command = ()
    limits: Cost = Cost(inf, inf, inf)


def cost(command: Command, exit_code: int, processors: int = 1) -> Cost:
    """Runs the processes and discards their output. Raises SystemExit if one ends with another exit code."""
    runner = [sys.executable, "-IS", str(Path(__file__).with_name("run.py")), str(processors), json.dumps(command)]
    measured = json.loads(subprocess.run(runner, capture_output=True, check=True).stdout)
    for arguments, code in zip(command, measured["exits"], strict=True):
        if code != exit_code:
            raise SystemExit(f"exit {code}: {' '.join(arguments)}")
    return Cost(*measured["cost"])


def ratios(case: Case, pairs: int, say: Callable[[str], None]) -> list[Cost]:
    """The costs of the first command divided by those of the second, for each pair, after a warm-up of both."""
    costs: list[Cost] = []
    for number in range(pairs + 1):
        say(f"{case.title}: pair {number} of {pairs}")
        ours, theirs = cost(case.ours, case.exit), cost(case.theirs, case.exit, 2)
        wall, cpu = ours.wall / theirs.wall / case.times, ours.cpu / theirs.cpu / case.times
        costs.append(Cost(wall, cpu, ours.memory / theirs.memory))
    return costs[1:]


def cases(folder: Path) -> Iterator[Case]:
    """The cases; their files are written to the folder."""
    for workers in (4, 1_000, 10_000):
        file = written(folder / f"{workers}.yaml", VALUES.format(workers=workers))
        ours = [[*DSGEN, "render", file]]
        yield Case(f"one file, {workers:,} workers", ours, [template(file)], alike=ours, limits=Cost(inf, 1.2, 0.5))
    file = written(folder / "broken.yaml", BROKEN)
    yield Case(
        "a file with two mistakes", [[*DSGEN, "render", file]], [template(file)], exit=1, limits=Cost(inf, 1.5, 0.5)
    )
    libraries = "import gc; gc.disable(); import click, jsonschema, yaml; raise SystemExit(1)"
    title = "`import click, jsonschema, yaml`; `helm template` for these mistakes"
    yield Case(title, [[PYTHON, "-c", libraries]], [template(file)], exit=1)
    files = [
        written(folder / f"job{number}.yaml", VALUES.format(workers=4).replace("name: bench", f"name: bench{number}"))
        for number in range(FILES)
    ]
    few = files[::EVERY]
    title, theirs = f"{FILES:,} files, one dsgen, {FILES:,} times Helm", [template(one) for one in few]
    ours, alike = [[*DSGEN, "render", *files]], [[*DSGEN, "render", *few]]
    yield Case(title, ours, theirs, times=EVERY, alike=alike, limits=Cost(1 / 15, 1 / 15, inf))
    yield Case("`python -c pass`; `helm template` for 4 workers", [[PYTHON, "-c", "pass"]], [template(few[0])])
    library = [[PYTHON, "-c", "import click"]]
    yield Case("`dsgen --help`; `import click`", [[*DSGEN, "--help"]], library, limits=Cost(inf, 1.3, inf))


def peer_cases(folder: Path) -> Iterator[Case]:
    """A file, compared with programs that print the same objects without a chart."""
    ours = [[*DSGEN, "render", written(folder / "4.yaml", VALUES.format(workers=4))]]
    rendered = [json.loads(content) for content in objects(printed(ours[0], 0)).values()]
    for peer, command in peers.commands(rendered, folder).items():
        yield Case(f"one file, 4 workers; {peer} with the objects written out", ours, [command], alike=ours)


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def template(file: str) -> list[str]:
    """Helm's command for a values file."""
    return [helm(4), "template", "bench", str(CHART), "--namespace", "training", "--values", file]


def verify(case: Case) -> None:
    """Verifies that both commands print the same objects, or end with the same code. Raises SystemExit."""
    sides = case.alike or case.ours, case.theirs
    ours, theirs = ["---\n".join(peers.as_stream(printed(one, case.exit)) for one in side) for side in sides]
    if case.alike and (not objects(ours) or objects(ours) != objects(theirs)):
        raise SystemExit(f"{case.title}: the objects differ")


def printed(arguments: Sequence[str], exit_code: int) -> str:
    """Standard output of a process. Raises SystemExit if it ends with another exit code."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != exit_code:
        raise SystemExit(f"exit {done.returncode}: {' '.join(arguments)}")
    return done.stdout


def exceeded(case: Case, costs: Sequence[Cost]) -> list[str]:
    """The limits that the medians exceed, as text."""
    medians = Cost(*map(median, zip(*costs, strict=True)))
    return [
        f"{case.title}: {what} {one:.3g}, at most {most:.3g}"
        for what, one, most in zip(Cost._fields, medians, case.limits, strict=True)
        if one > most
    ]


def row(case: Case, costs: Sequence[Cost]) -> str:
    """A row of the table."""
    columns = [[one[place] for one in costs] for place in range(len(Cost._fields))]
    cells = [f"{median(column):.3g} ({min(column):.3g} to {max(column):.3g})" for column in columns]
    return f"| {' | '.join([case.title, *cells])} |\n"


def table(rows: Sequence[str], pairs: int) -> str:
    version = run_helm(helm(4), "version", "--template", "{{.Version}}").stdout
    return (
        f"{date.today()}: the first command divided by the second, Helm {version}, Python {platform.python_version()}, "
        f"median of {pairs} pairs (smallest to largest):\n\n"
        "| what is compared | wall clock | CPU time | memory |\n|---|---|---|---|\n" + "".join(rows) + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="runs of each that are counted")
    parser.add_argument("--print", action="store_true", help="do not write docs/benchmark.md")
    parser.add_argument("--only", default="", help="cases whose title has this in it; nothing is written then")
    given = parser.parse_args()
    environment.install()
    rows, failures = [], []
    with tempfile.TemporaryDirectory() as folder:
        for case in chain(cases(Path(folder)), peer_cases(Path(folder))):
            if given.only not in case.title:
                continue
            verify(case)
            costs = ratios(case, given.pairs, show)
            rows.append(row(case, costs))
            failures += exceeded(case, costs)
    show("")
    text = table(rows, given.pairs)
    print(text, end="")
    if not (given.print or given.only):
        PAGE.write_text(BETWEEN.sub(lambda _: "\n" + text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    if failures:
        raise SystemExit("\n".join(failures))


if __name__ == "__main__":
    main()
