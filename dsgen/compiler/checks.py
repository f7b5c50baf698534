"""The table of checks as templates of the chart: one helper collects all messages, one template fails with them."""

from collections.abc import Iterator
from itertools import groupby

from dsgen.checks import CHECKS, Check
from dsgen.compiler.source import Unit

HELPERS = "_checks.j2"
TEMPLATE = "checks/values/checks.yaml"  # Helm renders the deepest path first: nothing stumbles over such values before
TEMPLATE_TEXT = """\
<# Ends the rendering with all problems at once. #>
<% set problems = all_problems(values, release) %>
<% if problems %>
<< fail("\\n" ~ problems) >>
<% endif %>
"""


def checks_units() -> dict[str, Unit]:
    """The two templates, for the rows that hold in both worlds."""
    lines = list(_lines())
    text = "".join(f"{line}\n" for line, _ in lines)
    return {
        HELPERS: Unit(HELPERS, text, tuple(f"checks, {place}" for _, place in lines)),
        TEMPLATE: Unit(TEMPLATE, TEMPLATE_TEXT),
    }


def _lines() -> Iterator[tuple[str, str]]:
    """Each line with the id of the row that it comes from."""
    yield "<# What values may not say: a message for each problem, with a hint below it. #>", "all"
    yield "<% macro all_problems(values, release) %>", "all"
    rows = (row for row in CHECKS if row.worlds == "both")
    for loop, group in groupby(rows, key=lambda row: row.loop):
        yield from _loop(loop, list(group))
    yield "<% endmacro %>", "all"


def _loop(loop: str, rows: list[Check]) -> Iterator[tuple[str, str]]:
    """Neighbours with the same loop share it."""
    if loop:
        yield f"<% for {loop} %>", rows[0].id
    for row in rows:
        yield f"<% if {row.when} %>", row.id
        yield f"{row.message} [{row.id}]", row.id
        if row.hint:
            yield f"  {row.hint}", row.id
        yield "<% endif %>", row.id
    if loop:
        yield "<% endfor %>", rows[-1].id
