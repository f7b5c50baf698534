"""docs/faults.md: the table of faults with what was seen, written by `make faults`."""

from __future__ import annotations

import fcntl
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.table import CASES, Case, End

if TYPE_CHECKING:
    from tests.faults.run import Seen

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
BETWEEN = re.compile("(?<=<!-- rows -->\n).*(?=<!-- end of rows -->)", re.DOTALL)
TITLES = ("row", "fault", "method", "record", "exit code", "seconds", "message", "times")
NEVER = ("", "not run", "0")  # of a case that was not run


def expected(end: End) -> tuple[str, str]:
    """Record and exit code as the table asks for them."""
    codes = " or ".join("no pod" if code is None else str(code) for code in end.codes)
    return " ".join(filter(None, [end.phase, end.reason])), codes


def kept(text: str) -> dict[str, tuple[str, ...]]:
    """Seconds, message and times of each case in a page."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `"):
            found[f"{cells[0].strip('`')}/{cells[2].strip('`')}"] = tuple(cells[5:])
    return found


def line(case: Case, seen: tuple[str, ...]) -> str:
    record, codes = expected(case.row.expected(case.method))
    cells = (f"`{case.row.name}`", case.row.what, f"`{case.method}`", record, codes, *seen)
    return f"| {' | '.join(cells)} |"


def results(seen: list[Seen]) -> dict[str, tuple[str, ...]]:
    """The last columns of the cases whose trials were all as they must be."""
    by_case: dict[str, list[Seen]] = {}
    for one in seen:
        by_case.setdefault(one.case, []).append(one)
    found = {}
    for name, all_of_it in by_case.items():
        if not any(one.problems for one in all_of_it):
            seconds = sorted({round(one.seconds) for one in all_of_it})
            last = all_of_it[-1].record
            said = last["message"] or next((a["reason"] for a in last["attempts"] if a["reason"] != "Succeeded"), "")
            message = " ".join(said.replace("|", "/").replace("<", "&lt;").split())
            took = f"{seconds[0]} to {seconds[-1]}" if len(seconds) > 1 else f"{seconds[0]}"
            found[name] = (took, message, str(len(all_of_it)))
    return found


def written(text: str, seen: list[Seen]) -> str:
    """The page with these results; those of other cases stay."""
    known = {**kept(text), **results(seen)}
    rows = [line(case, known.get(name, NEVER)) for name, case in CASES.items()]
    table = [f"| {' | '.join(TITLES)} |", "|" + "---|" * len(TITLES), *rows]
    body = "\n".join(["", *table, "", ""])
    return BETWEEN.sub(lambda _: body, text)


def write(seen: list[Seen]) -> None:
    """Put them into the page at once: two calls of `make faults` may write it."""
    with PAGE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        text = written(PAGE.read_text(encoding="utf-8"), seen)
        new = PAGE.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.replace(PAGE)
    PAGE.with_suffix(".lock").unlink(missing_ok=True)
