"""Arithmetic and parameters of a shell: `$NAME`, `${NAME:-x}`, `${ARRAY[@]}`, `$1`, `${#NAME}`."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from dsgen.importers.shell.scope import Default, ShellScope
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import OF_OPERATION, Text, UnknownPart, add_places, join, place_at, spend

if TYPE_CHECKING:
    from tree_sitter import Node

LARGEST = 1 << 62
_BINARY: Mapping[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b) if abs(a) < 1 << 50 else a // b,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: lambda a, b: a - b * int(a / b),
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def compute(expression: str) -> int | None:
    """The number of an expression without variables; None if it has others parts, or is not arithmetic."""
    if len(expression) > 500 or "**" in expression:
        return None
    text = expression.strip().replace("&&", " and ").replace("||", " or ")
    try:
        return _evaluate(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError, OverflowError):
        return None


def _evaluate(node: ast.AST) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and abs(node.value) < LARGEST:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Not):
        inner = _evaluate(node.operand)
        return -inner if isinstance(node.op, ast.USub) else inner if isinstance(node.op, ast.UAdd) else int(not inner)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _check_limit(_BINARY[type(node.op)](_evaluate(node.left), _evaluate(node.right)))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _BINARY:
        return int(_BINARY[type(node.ops[0])](_evaluate(node.left), _evaluate(node.comparators[0])))
    if isinstance(node, ast.BoolOp):
        values = [bool(_evaluate(one)) for one in node.values]
        return int(all(values) if isinstance(node.op, ast.And) else any(values))
    raise ValueError


def _check_limit(number: int) -> int:
    if abs(number) >= LARGEST:
        raise ValueError
    return int(number)


LONGEST = 1024
"""Characters of a value that is matched with a pattern."""
_ANSI: Mapping[str, str] = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
}


def unescape(text: Text, only: str | None) -> Text:
    """Without backslashes; in quotes only before some characters. A backslash before a line break joins the lines."""
    if "\\" not in text.chars:
        return text
    kept, index = list[int](), 0
    while index < len(text.chars):
        char, following = text.chars[index], text.chars[index + 1 : index + 2]
        if char == "\\" and following == "\n":
            index += 2
            continue
        if char == "\\" and following and (only is None or following in only):
            index += 1
        kept.append(index)
        index += 1
    return Text("".join(text.chars[one] for one in kept), [text.places[one] for one in kept])


def decode_ansi(text: Text) -> Text:
    """The characters of `$'...'`."""
    chars, places, index = "", list[int](), 0
    while index < len(text.chars):
        if text.chars[index] == "\\" and text.chars[index + 1 : index + 2] in _ANSI:
            index += 1
            chars += _ANSI[text.chars[index]]
        else:
            chars += text.chars[index]
        places.append(text.places[index])
        index += 1
    return Text(chars, places)


def edit(value: Text, sign: str, argument: str) -> Text | None:
    """Prefixes and suffixes removed, parts replaced or cut, or case changed."""
    text = value.chars
    if sign in ("#", "##", "%", "%%"):
        return _strip(value, sign, argument)
    if sign in ("^", "^^", ",", ",,"):
        changed = text.upper() if sign == "^^" else text.lower() if sign == ",," else text[:1].swapcase() + text[1:]
        return Text(changed, value.places) if len(changed) == len(text) else value
    if sign in ("/", "//"):
        old, _, new = argument.partition("/")
        replaced = text.replace(old, new, -1 if sign == "//" else 1) if old and not re.search(r"[*?\[]", old) else text
        return place_at(replaced, value)
    start, _, length = argument.partition(":")
    first, size = compute(start), compute(length) if length else None
    if first is None:
        return value
    first = first if first >= 0 else max(len(text) + first, 0)
    return value[first : first + size] if size is not None and size >= 0 else value[first:]


def _strip(value: Text, sign: str, pattern: str) -> Text:
    """The value without the shortest or longest beginning or end that matches a pattern."""
    if len(pattern) > 100 or pattern.count("*") > 5 or len(value.chars) > LONGEST:
        return value
    spend(len(value.chars) ** 2 // 4)
    rule = re.compile("".join(".*" if one == "*" else "." if one == "?" else re.escape(one) for one in pattern), re.S)
    ends = range(len(value.chars) + 1)
    if sign[0] == "#":
        order = ends if sign == "#" else reversed(ends)
        return next((value[end:] for end in order if rule.fullmatch(value.chars[:end])), value)
    order = reversed(ends) if sign == "%" else ends
    return next((value[:start] for start in order if rule.fullmatch(value.chars[start:])), value)


Mode = Literal["literal", "quoted", "split", "break"]
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class WordPart(NamedTuple):
    """A part of a word: literal or quoted, or the result of an expansion, which is split at blanks.

    break: the items of an array are words of their own.
    """

    text: Text
    mode: Mode


class Expands(Protocol):
    """What expands the words of a script."""

    script: Script
    scope: ShellScope

    def expand_text(self, node: Node) -> Text:
        """The value of a node that is not split into words."""

    def expand_arithmetic(self, node: Node) -> Text:
        """The number of `$(( ))`."""


def add_unknown_command(words: Expands, node: Node, of: Text) -> Text:
    """An unknown part that only a shell in the cluster can compute."""
    return words.scope.atlas.add_unknown(UnknownPart("command", node.type, of.chars), of.places)


def read_parameter(words: Expands, node: Node, mode: Mode) -> Iterator[WordPart]:
    if node.type == "arithmetic_expansion":
        yield WordPart(words.expand_arithmetic(node), mode)
        return
    of = words.script.read_text(node)
    body = of.chars[1:] if node.type == "simple_expansion" else of.chars[2:-1]
    match = re.match(r"([#!]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!_-])(\[[^\]]*\])?", body)
    if not match:
        yield WordPart(add_unknown_command(words, node, of), mode)
        return
    prefix, name, index = match[1], match[2], (match[3] or "")[1:-1]
    rest = body[match.end() :]
    if prefix == "#" or prefix == "!":
        yield WordPart(
            _count_length(words, name, index, of) if prefix == "#" else _resolve_indirect(words, name, index, of), mode
        )
    elif name in ("@", "*") or index in ("@", "*"):
        yield from _expand_items(words, name, mode, rest, of)
    else:
        yield WordPart(_modify(words, _find_value(words, name, index, of), name, rest, node, of), mode)


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
        return words.scope.atlas.add_unknown(UnknownPart("variable", name, f"${{{name}}}"), of.places)
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
    return words.scope.atlas.add_unknown(UnknownPart(kind, name, of.chars), of.places)


def _resolve_missing(words: Expands, name: str, of: Text) -> Text:
    if name.isdigit():
        if words.scope.arguments is not None:
            return Text()
        return words.scope.atlas.add_unknown(UnknownPart("positional", name, f"${name}"), of.places)
    if name == "RANDOM":
        return words.scope.atlas.add_unknown(UnknownPart("changing", name, of.chars), of.places)
    return words.scope.resolve_text(name, of.places, f"${{{name}}}" if of.chars.startswith("${") else f"${name}")


def _count_length(words: Expands, name: str, index: str, of: Text) -> Text:
    value = words.scope.find(name) if name not in ("@", "*") else words.scope.arguments
    if isinstance(value, list) and (index or name in ("@", "*")):
        number = str(len(value))
    elif isinstance(value, Text) and value.is_known and not index:
        number = str(len(value.chars))
    elif isinstance(value, Text) and any(one.kind == "hosts" for one in words.scope.atlas.list_unknowns(value)):
        return words.scope.atlas.add_unknown(UnknownPart("runtime", "NNODES", "$NNODES"), of.places)
    else:
        return words.scope.atlas.add_unknown(UnknownPart("command", "length", of.chars), of.places)
    return Text(number, [of.places[0]] * len(number))


def _resolve_indirect(words: Expands, name: str, index: str, of: Text) -> Text:
    value = words.scope.find(name)
    if not index and isinstance(value, Text) and NAME.fullmatch(value.chars):
        return words.scope.resolve_text(value.chars, of.places)
    return words.scope.atlas.add_unknown(UnknownPart("command", "indirect", of.chars), of.places)


def _expand_items(words: Expands, name: str, mode: Mode, rest: str, of: Text) -> Iterator[WordPart]:
    """`$@`, `${ARRAY[@]}`."""
    value = words.scope.arguments if name in ("@", "*") else words.scope.find(name)
    if value is None and name in ("@", "*"):
        yield WordPart(words.scope.atlas.add_unknown(UnknownPart("positional", "@", '"$@"'), of.places), mode)
        return
    if value is None:
        default = re.match(r":?[-+]", rest)
        yield WordPart(Text() if default or mode == "quoted" else _resolve_missing(words, name, of), "split")
        return
    items = [add_places(one, of) for one in (value if isinstance(value, list) else [value])]
    offset = re.fullmatch(r":\s*(\d+)", rest)
    items = items[max(int(offset[1]) - (name in ("@", "*")), 0) :] if offset else items
    if not items:
        yield WordPart(Text(), "split")
    for number, item in enumerate(items):
        spend(OF_OPERATION)
        if number:
            yield WordPart(Text(), "break")
        yield WordPart(item, mode)


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
    return words.scope.atlas.add_unknown(UnknownPart("command", "expansion", of.chars), of.places)


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
