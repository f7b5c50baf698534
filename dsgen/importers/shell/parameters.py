"""Parameters of a shell: `$NAME`, `${NAME:-x}`, `${ARRAY[@]}`, `$1`, `${#NAME}` and their relatives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from dsgen.importers.shell.arithmetic import compute
from dsgen.importers.shell.editing import edit
from dsgen.importers.shell.scope import Default, Scope
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import Text, Unknown, add_places, join

if TYPE_CHECKING:
    from tree_sitter import Node

Mode = Literal["literal", "quoted", "split", "break"]
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Run(NamedTuple):
    """A part of a word: literal or quoted, or the result of an expansion, which is split at blanks.

    break: the items of an array are words of their own.
    """

    text: Text
    mode: Mode


class Expands(Protocol):
    """What expands the words of a script."""

    script: Script
    scope: Scope

    def expand_text(self, node: Node) -> Text:
        """The value of a node that is not split into words."""

    def expand_arithmetic(self, node: Node) -> Text:
        """The number of `$(( ))`."""


def add_unknown_command(words: Expands, node: Node, of: Text) -> Text:
    """An unknown part that only a shell in the cluster can compute."""
    return words.scope.atlas.add_unknown(Unknown("command", node.type, of.chars), of.places)


def read_parameter(words: Expands, node: Node, mode: Mode) -> Iterator[Run]:
    if node.type == "arithmetic_expansion":
        yield Run(words.expand_arithmetic(node), mode)
        return
    of = words.script.read_text(node)
    body = of.chars[1:] if node.type == "simple_expansion" else of.chars[2:-1]
    match = re.match(r"([#!]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!_-])(\[[^\]]*\])?", body)
    if not match:
        yield Run(add_unknown_command(words, node, of), mode)
        return
    prefix, name, index = match[1], match[2], (match[3] or "")[1:-1]
    rest = body[match.end() :]
    if prefix == "#" or prefix == "!":
        yield Run(
            _count_length(words, name, index, of) if prefix == "#" else _resolve_indirect(words, name, index, of), mode
        )
    elif name in ("@", "*") or index in ("@", "*"):
        yield from _expand_items(words, name, mode, rest, of)
    else:
        yield Run(_modify(words, _find_value(words, name, index, of), name, rest, node, of), mode)


def _find_value(words: Expands, name: str, index: str, of: Text) -> Text | None:
    """The value of a parameter, None if it is not set."""
    if name.isdigit():
        return _find_argument(words, int(name), of)
    if name in "?$!_-#":
        return _resolve_special(words, name, of)
    value = words.scope.find(name)
    if isinstance(value, list):
        return _find_item(words, name, index, value, of)
    if index and value is not None and words.scope.atlas.list_unknowns(value):
        return value
    return None if value is None else add_places(value, of)


def _find_item(words: Expands, name: str, index: str, items: list[Text], of: Text) -> Text | None:
    """An item of an array. One whose number is only known on the cluster is a variable with the array's name."""
    number = compute(_resolve_index(words, index)) if index else 0
    if number is not None and -len(items) <= number < len(items):
        return items[number]
    if any(words.scope.atlas.list_unknowns(item) for item in items):
        return items[0]  # such as the nodes, of which nobody knows how many there are
    if number is None:
        return words.scope.atlas.add_unknown(Unknown("variable", name, f"${{{name}}}"), of.places)
    return Text() if items else None


def _resolve_index(words: Expands, index: str) -> str:
    value = words.scope.find(index.lstrip("$").strip("{}"))
    return value.chars if isinstance(value, Text) else index


def _find_argument(words: Expands, number: int, of: Text) -> Text | None:
    if number == 0:
        return Text(words.scope.name, [of.places[0]] * len(words.scope.name))
    known = words.scope.arguments
    if known is not None:
        return add_places(known[number - 1], of) if number <= len(known) else None
    given = words.scope.given.get(str(number))
    return None if given is None else add_places(given, of)


def _resolve_special(words: Expands, name: str, of: Text) -> Text:
    if name == "?":
        return Text("0", of.places[:1])
    if name == "#" and words.scope.arguments is not None:
        count = str(len(words.scope.arguments))
        return Text(count, [of.places[0]] * len(count))
    kind: Literal["positional", "changing"] = "positional" if name == "#" else "changing"
    return words.scope.atlas.add_unknown(Unknown(kind, name, of.chars), of.places)


def _resolve_missing(words: Expands, name: str, of: Text) -> Text:
    if name.isdigit():
        if words.scope.arguments is not None:
            return Text()
        return words.scope.atlas.add_unknown(Unknown("positional", name, f"${name}"), of.places)
    if name == "RANDOM":
        return words.scope.atlas.add_unknown(Unknown("changing", name, of.chars), of.places)
    return words.scope.resolve_text(name, of.places, f"${{{name}}}" if of.chars.startswith("${") else f"${name}")


def _count_length(words: Expands, name: str, index: str, of: Text) -> Text:
    value = words.scope.find(name) if name not in ("@", "*") else words.scope.arguments
    if isinstance(value, list) and (index or name in ("@", "*")):
        number = str(len(value))
    elif isinstance(value, Text) and value.is_known and not index:
        number = str(len(value.chars))
    elif isinstance(value, Text) and any(one.kind == "hosts" for one in words.scope.atlas.list_unknowns(value)):
        return words.scope.atlas.add_unknown(Unknown("runtime", "NNODES", "$NNODES"), of.places)
    else:
        return words.scope.atlas.add_unknown(Unknown("command", "length", of.chars), of.places)
    return Text(number, [of.places[0]] * len(number))


def _resolve_indirect(words: Expands, name: str, index: str, of: Text) -> Text:
    value = words.scope.find(name)
    if not index and isinstance(value, Text) and NAME.fullmatch(value.chars):
        return words.scope.resolve_text(value.chars, of.places)
    return words.scope.atlas.add_unknown(Unknown("command", "indirect", of.chars), of.places)


def _expand_items(words: Expands, name: str, mode: Mode, rest: str, of: Text) -> Iterator[Run]:
    """`$@`, `${ARRAY[@]}`."""
    value = words.scope.arguments if name in ("@", "*") else words.scope.find(name)
    if value is None and name in ("@", "*"):
        yield Run(words.scope.atlas.add_unknown(Unknown("positional", "@", '"$@"'), of.places), mode)
        return
    if value is None:
        default = re.match(r":?[-+]", rest)
        yield Run(Text() if default or mode == "quoted" else _resolve_missing(words, name, of), "split")
        return
    items = [add_places(one, of) for one in (value if isinstance(value, list) else [value])]
    offset = re.fullmatch(r":\s*(\d+)", rest)
    items = items[max(int(offset[1]) - (name in ("@", "*")), 0) :] if offset else items
    if not items:
        yield Run(Text(), "split")
    for number, item in enumerate(items):
        if number:
            yield Run(Text(), "break")
        yield Run(item, mode)


def _modify(words: Expands, value: Text | None, name: str, rest: str, node: Node, of: Text) -> Text:
    """`${VAR:-x}` and its relatives."""
    match = re.match(r":?[-=?+]|##?|%%?|//?|\^\^?|,,?|:", rest)
    if not match:
        return value if value is not None else _resolve_missing(words, name, of)
    sign, is_empty = match[0], value is None or (not value.chars and match[0][0] == ":")
    argument = _expand_argument(
        words, node, len(of.chars) - (1 if of.chars.endswith("}") else 0) - len(rest) + len(sign)
    )
    if sign.endswith(("-", "=")):
        if not is_empty:
            return value or Text()
        if name.isdigit() or value is None:
            words.scope.defaults.append(Default(name, argument, of.places[0]))
        if sign.endswith("="):
            words.scope.assign(name, argument, of.places[0])
        return argument
    if sign.endswith("+"):
        return Text() if is_empty else argument
    if value is None:
        return _resolve_missing(words, name, of)
    if sign.endswith("?") or not value.is_known:
        return value if sign.endswith("?") else _leave_unknown(words, value, of)
    return edit(value, sign, argument.chars) or Text()


def _leave_unknown(words: Expands, value: Text, of: Text) -> Text:
    unknown = words.scope.atlas.list_unknowns(value)
    if unknown and unknown[0].kind in ("hosts", "changing", "positional"):
        return value
    return words.scope.atlas.add_unknown(Unknown("command", "expansion", of.chars), of.places)


def _expand_argument(words: Expands, node: Node, offset: int) -> Text:
    """The expanded text after the operator."""
    start, end = words.script.find_start(node) + offset, node.end_byte - 1
    inner = [child for child in node.children if child.is_named and child.start_byte >= start]
    parts, at = list[Text](), start
    for child in inner:
        parts.append(words.script.cut_text(at, words.script.find_start(child)))
        parts.append(words.expand_text(child))
        at = child.end_byte
    return join([*parts, words.script.cut_text(at, end)]).strip()
