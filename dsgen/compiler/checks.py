"""The table of checks as templates of the chart: helpers collect all messages, one template fails with the errors."""

from collections.abc import Iterator

from dsgen.checks import CHECKS
from dsgen.checks.evaluation import Group, groups
from dsgen.compiler.source import Unit
from dsgen.diagnostics import Severity

HELPERS = "_checks.j2"
TEMPLATE = "checks/values/checks.yaml"  # Helm renders the deepest path first: nothing stumbles over such values before
TEMPLATE_TEXT = """\
<# Ends the rendering with all problems at once. #>
<% set problems = all_problems(values, release) %>
<% if problems %>
<< fail("\\n" ~ problems) >>
<% endif %>
"""
WARNINGS = """
<% set warnings = all_warnings(values, release) %>
<% if warnings %>

Look at this before you go on:
<< warnings >>
<% endif %>
"""
"""What stands at the end of the notes."""


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
    yield from _helper("all_problems", "error")
    yield "", "all"
    yield "<# What is worth a look, in the same form. #>", "all"
    yield from _helper("all_warnings", "warning")


def _helper(name: str, severity: Severity) -> Iterator[tuple[str, str]]:
    yield f"<% macro {name}(values, release) %>", "all"
    for number, group in enumerate(groups(row for row in CHECKS if (row.worlds, row.severity) == ("both", severity))):
        if number:
            yield "", group.rows[0].id
        yield from _group(group)
    yield "<% endmacro %>", "all"


def _group(group: Group) -> Iterator[tuple[str, str]]:
    """Rows with the same conditions and loops share them."""
    first, last = group.rows[0].id, group.rows[-1].id
    if group.given:
        yield f"<% if {' or '.join(f'values.{key}' for key in group.given)} %>", first
    for loop in group.loops:
        yield f"<% for {loop} %>", first
    for row in group.rows:
        if row is not group.rows[0]:
            yield "", row.id
        yield f"<% if {row.when} %>", row.id
        yield f"{row.message} [{row.id}]", row.id
        if row.hint:
            yield f"  {row.hint}", row.id
        yield "<% endif %>", row.id
    for _ in group.loops:
        yield "<% endfor %>", last
    if group.given:
        yield "<% endif %>", last
