"""results.json has what `make faults` has seen; docs/faults.md is made of it, with a row for each end of a fault."""

from __future__ import annotations

import fcntl
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.faults.table import CASES, Case, End

if TYPE_CHECKING:
    from tests.faults.run import Seen

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
RESULTS = Path(__file__).parent / "results.json"
BETWEEN = re.compile("(?<=<!-- rows -->\n).*(?=<!-- end of rows -->)", re.DOTALL)
TITLES = ("row", "fault", "methods", "record", "exit code", "seconds", "message", "times")

Results = dict[str, dict[str, Any]]
"""Case -> its expected `end`, the `seconds` [least, most], the last `message`, and how many `times` it has passed."""


def expected(end: End) -> tuple[str, str]:
    """Record and exit code that the table expects."""
    codes = " or ".join("no pod" if code is None else str(code) for code in end.codes)
    return " ".join(filter(None, [end.phase, " or ".join(end.reasons)])), codes


def read() -> Results:
    """The results, without those of cases whose expected end has changed."""
    found: Results = json.loads(RESULTS.read_text(encoding="utf-8"))
    return {name: one for name, one in found.items() if name in CASES and one["end"] == [*expected(CASES[name].end)]}


def add(results: Results, one: Seen) -> Results:
    """The results after one more trial. A failed trial deletes those of its case."""
    others = {name: each for name, each in results.items() if name != one.case}
    if one.problems:
        return others
    before = results.get(one.case, {"seconds": [], "times": 0})
    seconds = [*before["seconds"], round(one.seconds)]
    now = {
        "end": [*expected(CASES[one.case].end)],
        "seconds": [min(seconds), max(seconds)],
        "message": message(one.record),
        "times": before["times"] + 1,
    }
    return {**others, one.case: now}


def message(record: dict[str, Any]) -> str:
    """The message of the record; if it is empty, the reasons of the failed attempts."""
    failed = (a for a in record["attempts"] if a["reason"] != "Succeeded")
    said = record["message"] or "; ".join(f"{a['reason']} {a.get('host', '')}".strip() for a in failed)
    return " ".join(said.replace("|", "/").replace("<", "&lt;").split())


def as_json(results: Results) -> str:
    """A line for each case, in the order of the table."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(results[name], ensure_ascii=False)}" for name in CASES if name in results
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def as_page(text: str, results: Results) -> str:
    """The page with these results: methods with which a fault ends in the same way share a row."""
    rows: dict[tuple[str, ...], list[Case]] = {}
    for case in CASES.values():
        rows.setdefault((case.row.name, *expected(case.end)), []).append(case)
    lines = [_line(cases, [results.get(case.name, {}) for case in cases]) for cases in rows.values()]
    table = [f"| {' | '.join(TITLES)} |", "|" + "---|" * len(TITLES), *lines]
    return BETWEEN.sub(lambda _: "\n".join(["", *table, "", ""]), text)


def _line(cases: list[Case], results: list[dict[str, Any]]) -> str:
    record, codes = expected(cases[0].end)
    seconds = [one for each in results for one in each.get("seconds", ())]
    took = " to ".join(str(bound) for bound in dict.fromkeys((min(seconds), max(seconds)))) if seconds else ""
    said = next((each["message"] for each in results if each.get("message")), "")
    methods = ", ".join(f"`{case.method}`" for case in cases)
    times = min(each.get("times", 0) for each in results)
    return (
        f"| `{cases[0].row.name}` | {cases[0].row.what} | {methods} | {record} | {codes} | {took} | {said} | {times} |"
    )


def write(seen: list[Seen], anew: bool = False) -> None:
    """Adds results, under a lock, because two processes may write them. `anew`: delete all others."""
    with RESULTS.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        results = {} if anew else read()
        for one in seen:
            results = add(results, one)
        for path, text in ((RESULTS, as_json(results)), (PAGE, as_page(PAGE.read_text(encoding="utf-8"), results))):
            new = path.with_suffix(".new")
            new.write_text(text, encoding="utf-8")
            new.replace(path)
    RESULTS.with_suffix(".lock").unlink(missing_ok=True)
