"""The table of checks as templates.

For Python, each row becomes a helper that returns paths and messages. In the chart, helpers collect the messages, and
one template fails with all errors. Each subject is a file with at most two helpers: its errors and its warnings. Rows
with the same conditions and loops are grouped there; the order of messages has no meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from dsgen.checks import CHECKS, SUBJECTS
from dsgen.checks.row import Check
from dsgen.compiler.frontend.source import Unit
from dsgen.compiler.frontend.statements import INDEX, PROBLEM
from dsgen.problems.diagnostics import Severity

Line = tuple[str, str]
"""A line, and its origin: the id of a row, or a subject."""

KINDS: dict[str, tuple[Severity, str, str]] = {
    "problems": ("error", "A message for each error, with a hint below it.", "All errors in the values."),
    "warnings": ("warning", "A message for each warning, with a hint below it.", "All warnings about the values."),
}
ROWS, ALL_ROWS = "checks/_rows.j2", "checks/rows.yaml"
_PATH = re.compile(r"<< *(?P<value>.*?) *>>|\[(?P<loop>\w+)\]|(?P<key>[^.\[<]+)")
CONTINUED = "    "
"""The beginning of a line that continues the message above it; the helpers that collect all messages join them."""
TEMPLATE = "checks/rendered-first/checks.yaml"
TEMPLATE_TEXT = """\
<# Fails with all errors at once. Helm renders templates in the deepest folder first, so no other template fails \
before this one. #>
<% set problems = all_problems(values, release) %>
<% if problems %>
<< fail("\\n" ~ problems) >>
<% endif %>
"""
WARNINGS = """
<% set warnings = all_warnings(values, release) %>
<% if warnings %>

Warnings:
<< warnings >>
<% endif %>
"""
"""The end of the notes."""


@dataclass
class TagBlock:
    """The contents of one tag: rows and further blocks."""

    tag: str
    parts: list[TagBlock | Check] = field(default_factory=list)

    def add(self, tags: Sequence[str], row: Check) -> None:
        """Adds a row inside these tags; blocks that exist already are reused."""
        if not tags:
            self.parts.append(row)
            return
        block = next((part for part in self.parts if isinstance(part, TagBlock) and part.tag == tags[0]), None)
        if block is None:
            block = TagBlock(tags[0])
            self.parts.append(block)
        block.add(tags[1:], row)

    def joined(self) -> TagBlock:
        """The block with nested conditions joined, if nothing else is between them."""
        parts = [part.joined() if isinstance(part, TagBlock) else part for part in self.parts]
        only = parts[0] if len(parts) == 1 else None
        if isinstance(only, TagBlock) and self.tag.startswith("if ") and only.tag.startswith("if "):
            return TagBlock("if " + all_of(self.tag.removeprefix("if "), only.tag.removeprefix("if ")), only.parts)
        return TagBlock(self.tag, parts)

    def first(self) -> Check:
        """The first row of the block."""
        part = self.parts[0]
        return part.first() if isinstance(part, TagBlock) else part


def all_of(*conditions: str) -> str:
    """One expression for several conditions that must all hold."""
    return " and ".join(f"({one})" if " or " in one else one for one in conditions)


def checks_units() -> dict[str, Unit]:
    """The templates with the rows that the chart has."""
    helpers = {
        f"checks/_{_name(subject)}.j2": list(_subject(subject)) for subject in SUBJECTS if hasattr(subject, "ROWS")
    }
    helpers["checks/_all.j2"] = list(_all())
    units = {path: _unit(path, lines) for path, lines in helpers.items()}
    return {**units, TEMPLATE: Unit(TEMPLATE, TEMPLATE_TEXT)}


def _unit(path: str, lines: Sequence[Line]) -> Unit:
    return Unit(path, "".join(f"{line}\n" for line, _ in lines), tuple(f"checks, {place}" for _, place in lines))


def _name(subject: ModuleType) -> str:
    return subject.__name__.rpartition(".")[2]


def _rows(subject: ModuleType, severity: Severity) -> list[Check]:
    return [row for row in getattr(subject, "ROWS", ()) if (row.worlds, row.severity) == ("both", severity)]


def _all() -> Iterator[Line]:
    """The helpers that call the helpers of all subjects."""
    for kind, (severity, _, words) in KINDS.items():
        yield from (("", kind), (f"<# {words} #>", kind), (f"<% macro all_{kind}(values, release) %>", kind))
        yield f'<< written_{kind}(values, release) | replace("\\n{CONTINUED}", " ") >>', kind
        yield from (("<% endmacro %>", kind), ("", kind))
        yield from ((f"<# {words} A line that begins with four blanks continues the one above it. #>", kind),)
        yield f"<% macro written_{kind}(values, release) %>", kind
        yield from ((f"<< {_name(one)}_{kind}(values, release) >>", kind) for one in SUBJECTS if _rows(one, severity))
        yield "<% endmacro %>", kind


def _subject(subject: ModuleType) -> Iterator[Line]:
    name = _name(subject)
    yield f"<# {SUBJECTS[subject]} #>", name
    for kind, (severity, words, _) in KINDS.items():
        rows = _rows(subject, severity)
        if rows:
            yield from (("", name), (f"<# {words} #>", name), (f"<% macro {name}_{kind}(values, release) %>", name))
            yield from _parts(_tree(rows).parts, "", _as_text)
            yield "<% endmacro %>", name


def _tree(rows: Iterable[Check]) -> TagBlock:
    root = TagBlock("")
    for row in rows:
        root.add(row.tags(), row)
    return root.joined()


def row_units() -> dict[str, Unit]:
    """A helper for each row, in their order, and the template that calls them all."""
    names = row_names(CHECKS)
    lines = [("<# The rows of the checks. #>", "rows")]
    for name, row in zip(names, CHECKS, strict=True):
        lines += [("", row.id), (f"<# {row.id} {_shown(row.path)} #>", row.id)]
        lines += [(f"<% macro {name}(values, release) %>", row.id), *_parts(_tree([row]).parts, "", _as_problem)]
        lines += [("<% endmacro %>", row.id)]
    calls = [(f"<< {name}(values, release) >>", name) for name in names]
    return {ROWS: _unit(ROWS, lines), ALL_ROWS: _unit(ALL_ROWS, calls)}


def row_names(rows: Iterable[Check]) -> list[str]:
    """A name for each row: its id, with a number if several rows have the same id."""
    seen: Counter[str] = Counter()
    names = []
    for row in rows:
        seen[row.id] += 1
        names.append(row.id.lower() + (f"_{seen[row.id]}" if seen[row.id] > 1 else ""))
    return names


def _shown(path: str) -> str:
    """A path for readers, with template expressions in angle brackets."""
    return re.sub(r"<< *(.*?) *>>", r"<\1>", path)


def _as_text(row: Check) -> Iterator[Line]:
    """The lines of a message in the chart."""
    yield f"{row.message} [{row.id}]", row.id
    yield from [(f"  {row.hint}", row.id)] if row.hint else []


def _as_problem(row: Check) -> Iterator[Line]:
    """The path and the message."""
    matches = _PATH.finditer(row.path)
    parts = (part["value"] or (part["loop"] and f"{INDEX}({part['loop']})") or f'"{part["key"]}"' for part in matches)
    yield f"<< {PROBLEM}([{', '.join(parts)}]) >>{row.message}", row.id


def _parts(parts: Sequence[TagBlock | Check], pad: str, written: Callable[[Check], Iterator[Line]]) -> Iterator[Line]:
    """Rows and blocks, separated by empty lines. Tags are indented; messages are text, so they are not."""
    for number, part in enumerate(parts):
        row = part.first() if isinstance(part, TagBlock) else part
        if number:
            yield "", row.id
        if isinstance(part, Check):
            yield from written(part)
            continue
        yield f"{pad}<% {part.tag} %>", row.id
        word = part.tag.partition(" ")[0]
        yield from _parts(part.parts, pad if word == "set" else pad + "  ", written)
        if word != "set":
            yield f"{pad}<% end{word} %>", row.id
