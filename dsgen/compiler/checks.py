"""The table of checks as templates.

For Python, each row becomes a helper that returns paths and messages. In the chart, helpers collect the messages, and
one template fails with all errors. Each subject is a file with at most two helpers: its errors and its warnings. Rows
with the same conditions and loops are grouped there, and rows that stand at several places of the values have a helper
of their own; the order of messages has no meaning.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from dsgen.checks import CHECKS, SUBJECTS
from dsgen.checks.row import Check, Shared, Shortcut, quote_text
from dsgen.compiler.frontend import CompileError, Unit, name_source
from dsgen.compiler.frontend.statements import INDEX, PROBLEM
from dsgen.problems import Severity

Line = tuple[str, str]
"""A line, and its origin: the id of a row, or a subject."""

KINDS: dict[str, tuple[Severity, str, str]] = {
    "problems": ("error", "A message for each error, with a hint below it.", "All errors in the values."),
    "warnings": ("warning", "A message for each warning, with a hint below it.", "All warnings about the values."),
}
ROWS, ALL_ROWS = "checks/_rows.j2", "checks/rows.yaml"
_ID = re.compile(r'(?P<is_of_row>\bid=)?"(?P<id>DS\d+)"')
_AROUND = re.compile(r"^ *(<% (if|for|set) |<< .*? >>)|( %>| \[DS\d+\])$")
"""What stands around the text of a row on a line."""
_PATH = re.compile(r"<< *(?P<value>.*?) *>>|\[(?P<loop>\w+)\]|(?P<key>[^.\[<]+)")
_PRINTED = re.compile(r"<< *(.*?) *>>")
CALL, WHERE = "call ", "where"
"""The beginning of the tag of a helper with shared rows, and the argument that begins its messages."""
PLACE = f"set {WHERE} = "
_ARGUMENT = re.compile(rf"(?<=[( ]){WHERE}(?=[,)])")
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

    def join_nested(self) -> TagBlock:
        """The block with nested conditions joined, if nothing else is between them, and without a name for the place
        that only one helper gets.
        """
        parts = [part.join_nested() if isinstance(part, TagBlock) else part for part in self.parts]
        only = parts[0] if len(parts) == 1 else None
        if isinstance(only, TagBlock) and self.tag.startswith(PLACE) and only.tag.startswith(CALL):
            return TagBlock(_ARGUMENT.sub(lambda _: self.tag.removeprefix(PLACE), only.tag, count=1), only.parts)
        if isinstance(only, TagBlock) and self.tag.startswith("if ") and only.tag.startswith("if "):
            return TagBlock(
                "if " + join_conditions(self.tag.removeprefix("if "), only.tag.removeprefix("if ")), only.parts
            )
        return TagBlock(self.tag, parts)

    def find_first_row(self) -> Check:
        """The first row of the block."""
        part = self.parts[0]
        return part.find_first_row() if isinstance(part, TagBlock) else part


def join_conditions(*conditions: str) -> str:
    """One expression for several conditions that must all hold."""
    return " and ".join(f"({one})" if " or " in one else one for one in conditions)


def make_chart_units() -> dict[str, Unit]:
    """The templates with the rows that the chart has."""
    helpers = {
        f"checks/_{_name_subject(subject)}.j2": list(_write_subject(subject))
        for subject in SUBJECTS
        if hasattr(subject, "ROWS")
    }
    helpers["checks/_all.j2"] = list(_write_all())
    units = {path: _make_unit(path, lines) for path, lines in helpers.items()}
    return {**units, TEMPLATE: Unit(TEMPLATE, TEMPLATE_TEXT)}


def _make_unit(path: str, lines: Sequence[Line]) -> Unit:
    return Unit(path, "".join(f"{line}\n" for line, _ in lines), lambda number: _find_place(*lines[number - 1]))


def _find_place(line: str, origin: str) -> str:
    """For messages: the file and line of the row from which a line comes, and the id of the row. Of several rows with
    this id, it is the first one with the text of the line, or with most of its conditions.
    """
    places = _find_sources().get(origin)
    if not places:
        return f"checks, {origin}"
    conditions = _AROUND.sub("", line).split(" and ")
    place, _ = max(places, key=lambda one: sum(condition in one[1] for condition in conditions))
    return f"{place}: {origin}"


@functools.cache
def _find_sources() -> dict[str, list[tuple[str, str]]]:
    """By the id of a row: each place where a module has it, and the text from there to the next id. It is empty where
    dsgen is installed without its sources.
    """
    found: dict[str, list[tuple[bool, str, str]]] = {}
    for path in filter(Path.is_file, (Path(str(subject.__file__)).with_suffix(".py") for subject in SUBJECTS)):
        text = path.read_text(encoding="utf-8")
        ids = list(_ID.finditer(text))
        for match, end in zip(ids, [*(one.start() for one in ids[1:]), len(text)], strict=True):
            place = f"{name_source(path)}:{text.count(chr(10), 0, match.start()) + 1}"
            found.setdefault(match["id"], []).append((not match["is_of_row"], place, text[match.end() : end]))
    return {id_: [one[1:] for one in sorted(places, key=lambda one: one[0])] for id_, places in found.items()}


def _name_subject(subject: ModuleType) -> str:
    return subject.__name__.rpartition(".")[2]


def _select_rows(subject: ModuleType, severity: Severity) -> list[Check]:
    return [row for row in getattr(subject, "ROWS", ()) if (row.worlds, row.severity) == ("both", severity)]


def _write_all() -> Iterator[Line]:
    """The helpers that call the helpers of all subjects."""
    for kind, (severity, _, words) in KINDS.items():
        calls = (f"{_name_subject(one)}_{kind}(values, release)" for one in SUBJECTS if _select_rows(one, severity))
        yield from (
            ("", kind),
            (f"<# {words} A line that begins with four blanks continues the one above it. #>", kind),
        )
        yield f"<% macro all_{kind}(values, release) %>", kind
        yield f'<< [{", ".join(calls)}] | blocks | replace("\\n{CONTINUED}", " ") >>', kind
        yield "<% endmacro %>", kind


def _write_subject(subject: ModuleType) -> Iterator[Line]:
    name = _name_subject(subject)
    yield f"<# {SUBJECTS[subject]} #>", name
    for kind, (severity, words, _) in KINDS.items():
        rows = _select_rows(subject, severity)
        if rows:
            yield from (("", name), (f"<# {words} #>", name), (f"<% macro {name}_{kind}(values, release) %>", name))
            tree = _build_tree([_place_in_helpers(row, kind) for row in rows])
            yield from _write_parts(tree.parts, "", _as_text)
            yield "<% endmacro %>", name
            helpers = {f"{one.name}_{kind}": one for row in rows for one in row.shared if one.name}
            for helper, shared in helpers.items():
                yield from _write_helper(helper, shared, kind, tree)


def _write_helper(name: str, shared: Shared, kind: str, tree: TagBlock) -> Iterator[Line]:
    """The helper with shared rows, which must be the same in all places."""
    first, *others = (list(_write_parts(block.parts, "", _as_text)) for block in _find_calls(tree, f"{CALL}{name}("))
    origin = first[0][1]
    if any(text != first for text in others):
        raise CompileError(f"{_find_place(*first[0])}: the rows of {name} differ from place to place")
    words = f"A message for each {KINDS[kind][0]} in {shared.words}. Each begins with `{WHERE}`, the place."
    yield from (("", origin), (f"<# {words} #>", origin))
    yield f"<% macro {name}({', '.join((*_name_arguments(shared),))}) %>", origin
    yield from first
    yield "<% endmacro %>", origin


def _find_calls(block: TagBlock, start: str) -> Iterator[TagBlock]:
    """All blocks whose tag begins so."""
    for part in block.parts:
        if isinstance(part, TagBlock):
            yield from [part] if part.tag.startswith(start) else ()
            yield from _find_calls(part, start)


def _name_arguments(shared: Shared) -> dict[str, str]:
    """The arguments of the helper and their expressions, with that for the text that begins the messages."""
    arguments = dict(shared.arguments)
    roots = {"values": "values"} if "values" in arguments else {}
    return {**roots, WHERE: _as_expression(shared.where), **arguments}


def _as_expression(text: str) -> str:
    """A text with printed expressions as one expression."""
    pieces = _PRINTED.split(text)
    parts = [(f"({one})" if "|" in one else one) if at % 2 else quote_text(one) for at, one in enumerate(pieces) if one]
    return " ~ ".join(parts)


def _place_in_helpers(row: Check, kind: str) -> Check:
    """The row as the chart has it: the calls of its helpers are among the tags, and it reads their arguments."""
    tags, message = _add_helper_calls(row.list_tags(), row.message, row.shared, kind)
    return row._replace(message=message, when="", inside=tuple(tag for tag in tags if not isinstance(tag, Shortcut)))


def _add_helper_calls(
    tags: Sequence[str], message: str, shared: Sequence[Shared], kind: str, is_inside: bool = False
) -> tuple[list[str], str]:
    if not shared:
        return list(tags), message
    first, *others = shared
    arguments, around = _name_arguments(first), list(tags[: first.after])
    if _PRINTED.search(first.where) and not is_inside:
        around.append(f"{PLACE}{arguments[WHERE]}")
        arguments[WHERE] = WHERE
    if first.name:
        around.append(f"{CALL}{first.name}_{kind}({', '.join(arguments.values())})")
    inside, message = _add_helper_calls(
        [tag if isinstance(tag, Shortcut) else _use_arguments(tag, first) for tag in tags[first.after :]],
        _use_arguments(message, first),
        [_nest(one, first) for one in others],
        kind,
        is_inside=True,
    )
    return [*around, *inside], message


def _nest(inner: Shared, outer: Shared) -> Shared:
    """What the helper `inner` gets in the helper `outer`."""
    arguments = tuple((name, _use_arguments(value, outer)) for name, value in inner.arguments)
    return inner._replace(
        where=_use_arguments(inner.where, outer), after=inner.after - outer.after, arguments=arguments
    )


def _use_arguments(text: str, shared: Shared) -> str:
    """A tag, message or expression with the names of the arguments in place of their expressions."""
    head, rest = (f"<< {WHERE} >>", text.removeprefix(shared.where)) if text.startswith(shared.where) else ("", text)
    for name, value in shared.arguments:
        if value.startswith('"'):
            rest = rest.replace(value.strip('"'), f"<< {name} >>")
        else:
            rest = re.sub(rf"(?<![\w.]){re.escape(value)}(?!\w)", name, rest)
    return head + rest


def _build_tree(rows: Iterable[Check]) -> TagBlock:
    root = TagBlock("")
    for row in rows:
        root.add(row.list_tags(), row)
    return root.join_nested()


def make_row_units() -> dict[str, Unit]:
    """A helper for each row, in their order, and the template that calls them all."""
    names = name_rows(CHECKS)
    lines = [("<# The rows of the checks. #>", "rows")]
    for name, row in zip(names, CHECKS, strict=True):
        lines += [("", row.id), (f"<# {row.id} {_format_path(row.path)} #>", row.id)]
        lines += [
            (f"<% macro {name}(values, release) %>", row.id),
            *_write_parts(_build_tree([row]).parts, "", _as_problem),
        ]
        lines += [("<% endmacro %>", row.id)]
    calls = [(f"<< {name}(values, release) >>", name) for name in names]
    return {ROWS: _make_unit(ROWS, lines), ALL_ROWS: _make_unit(ALL_ROWS, calls)}


def name_rows(rows: Iterable[Check]) -> list[str]:
    """A name for each row: its id, with a number if several rows have the same id."""
    seen: Counter[str] = Counter()
    names = []
    for row in rows:
        seen[row.id] += 1
        names.append(row.id.lower() + (f"_{seen[row.id]}" if seen[row.id] > 1 else ""))
    return names


def _format_path(path: str) -> str:
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


def _write_parts(
    parts: Sequence[TagBlock | Check], pad: str, written: Callable[[Check], Iterator[Line]]
) -> Iterator[Line]:
    """Rows and blocks, separated by empty lines. Tags are indented; messages are text, so they are not."""
    for number, part in enumerate(parts):
        row = part.find_first_row() if isinstance(part, TagBlock) else part
        if number:
            yield "", row.id
        if isinstance(part, Check):
            yield from written(part)
            continue
        if part.tag.startswith(CALL):
            yield f"{pad}<< {part.tag.removeprefix(CALL)} >>", row.id
            continue
        yield f"{pad}<% {part.tag} %>", row.id
        word = part.tag.partition(" ")[0]
        yield from _write_parts(part.parts, pad if word == "set" else pad + "  ", written)
        if word != "set":
            yield f"{pad}<% end{word} %>", row.id
