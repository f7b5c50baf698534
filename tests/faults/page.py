"""docs/faults.md: the table of faults with their results, written by `make faults`."""

from __future__ import annotations

import fcntl
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.faults.table import CASES, Case, End

if TYPE_CHECKING:
    from tests.faults.run import Seen

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
BETWEEN = re.compile("(?<=<!-- rows -->\n).*(?=<!-- end of rows -->)", re.DOTALL)
TITLES = ("row", "fault", "method", "record", "exit code", "seconds", "message", "times")
NEVER = ("", "", "0")  # of a case that was not run


def expected(end: End) -> tuple[str, str]:
    """Record and exit code that the table expects."""
    codes = " or ".join("no pod" if code is None else str(code) for code in end.codes)
    return " ".join(filter(None, [end.phase, " or ".join(end.reasons)])), codes


def kept(text: str) -> dict[str, tuple[str, ...]]:
    """Seconds, message and times of each case in a page; empty for a case whose expected end has changed."""
    results = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `"):
            name = f"{cells[0].strip('`')}/{cells[2].strip('`')}"
            same = name in CASES and expected(CASES[name].end) == tuple(cells[3:5])
            results[name] = tuple(cells[5:]) if same else NEVER
    return results


def line(case: Case, seen: tuple[str, ...]) -> str:
    record, codes = expected(case.end)
    cells = (f"`{case.row.name}`", case.row.what, f"`{case.method}`", record, codes, *seen)
    return f"| {' | '.join(cells)} |"


def added(before: tuple[str, ...], one: Seen) -> tuple[str, ...]:
    """The last columns of a case after one more trial. A failed trial resets the count."""
    if one.problems:
        return NEVER
    seconds = sorted([round(one.seconds), *map(int, before[0].split(" to ") if before[0] else ())])
    took = f"{seconds[0]} to {seconds[-1]}" if seconds[0] < seconds[-1] else f"{seconds[0]}"
    return took, message(one.record), str(int(before[2]) + 1)


def message(record: dict[str, Any]) -> str:
    """The message of the record; if it is empty, the reasons of the failed attempts."""
    failed = (a for a in record["attempts"] if a["reason"] != "Succeeded")
    said = record["message"] or "; ".join(f"{a['reason']} {a.get('host', '')}".strip() for a in failed)
    return " ".join(said.replace("|", "/").replace("<", "&lt;").split())


def written(text: str, seen: list[Seen]) -> str:
    """The page with these results added."""
    known = kept(text)
    for one in seen:
        known[one.case] = added(known.get(one.case, NEVER), one)
    rows = [line(case, known.get(name, NEVER)) for name, case in CASES.items()]
    table = [f"| {' | '.join(TITLES)} |", "|" + "---|" * len(TITLES), *rows]
    body = "\n".join(["", *table, "", ""])
    return BETWEEN.sub(lambda _: body, text)


def write(seen: list[Seen], anew: bool = False) -> None:
    """Adds results to the page, under a lock, because two processes may write it. `anew`: delete all others."""
    with PAGE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        text = PAGE.read_text(encoding="utf-8")
        text = written(BETWEEN.sub("", text) if anew else text, seen)
        new = PAGE.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.replace(PAGE)
    PAGE.with_suffix(".lock").unlink(missing_ok=True)
