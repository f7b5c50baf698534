"""Long comparisons with the real Helm: `python -m tests.fuzz`, all of them or those named.

The exit code is 1 when a difference was found, each printed as the smallest text that shows it, or a share is below its
bar.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from types import ModuleType

import pytest

from tests.fuzz import broken, importing, manifests, reading, verdicts
from tests.progress import show

PROGRAMS: dict[str, ModuleType] = {
    "reading": reading,
    "manifests": manifests,
    "verdicts": verdicts,
    "broken": broken,
    "importing": importing,
}


def run(name: str, count: int, seed: int) -> int:
    """Runs one program over so many cases and prints what came of it; the number of differences."""
    program, start = PROGRAMS[name], time.monotonic()
    figures: Counter[str] = Counter()
    different = done = 0
    cases = program.cases(count, seed)
    while texts := list(islice(cases, program.BATCH)):
        counts, differences = program.compare(texts)
        figures += counts
        done += len(texts)
        different += len(differences)
        show(f"{name}: {done} of {count}, {different} differences, {time.monotonic() - start:.0f} s")
        for difference in differences:
            show("")
            print(f"{name}: {difference}", flush=True)
    show("")
    print(f"{name}: {done} cases with seed {seed} in {time.monotonic() - start:.0f} s, {different} differences")
    for verdict, number in sorted(figures.items()):
        print(f"{number:8} {verdict}")
    return different + judged(program, figures)


def judged(program: ModuleType, figures: Counter[str]) -> int:
    """Prints the share that a program has a bar for; 1 when it is below."""
    if not hasattr(program, "BAR"):
        return 0
    share = program.share(figures)
    print(f"{share:8.2%} {program.MEANING}, the bar is {program.BAR:.0%}")
    return int(share < program.BAR)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 equal, 1 differences, 3 without Helm."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="|".join(PROGRAMS), help="all when none is named")
    parser.add_argument("--count", type=int, help="cases of each; its own number when not given")
    parser.add_argument("--seed", type=int, default=0, help="another one gives other cases")
    given = parser.parse_args(arguments)
    if unknown := set(given.programs) - PROGRAMS.keys():
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    try:
        different = [
            run(name, given.count or PROGRAMS[name].DEFAULT, given.seed) for name in given.programs or PROGRAMS
        ]
        return int(any(different))
    except pytest.skip.Exception as reason:
        print(reason, file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
