"""Arithmetic and parameters of a shell: `$NAME`, `${NAME:-x}`, `${ARRAY[@]}`, `$1`, `${#NAME}`."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from dsgen.importers.shell.scope import Default, ShellScope, Value
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import OF_OPERATION, Kind, Text, UnknownPart, add_places, join, place_at, spend

if TYPE_CHECKING:
    from tree_sitter import Node

LARGEST = 1 << 62
_BINARY: Mapping[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b) if abs(a) < 1 << 50 else a // b,
    ast.Mod: lambda a, b: a - b * int(a / b),
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
ASSIGNS = re.compile(
    r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
"""An assignment in an arithmetic expression."""


def compute(expression: str) -> int | None:
    """The number of an expression without variables; None if it has others parts, or is not arithmetic."""
    if len(expression) > 500 or re.search(r"\*\*|//|_|\b(and|or|not)\b", expression):
        return None
    text = expression.strip().replace("&&", " and ").replace("||", " or ")
    try:
        return _evaluate(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError, OverflowError):
        return None


def _evaluate(node: ast.AST) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < LARGEST:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _evaluate(node.operand)
        return -inner if isinstance(node.op, ast.USub) else inner
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


def decode_ansi(text: Text) -> Text | None:
    """The characters of `$'...'`; None if it has an escape with a number."""
    chars, places, index = "", list[int](), 0
    while index < len(text.chars):
        if text.chars[index] == "\\":
            index += 1
            if text.chars[index : index + 1] not in _ANSI:
                return None
            chars += _ANSI[text.chars[index]]
        else:
            chars += text.chars[index]
        places.append(text.places[index])
        index += 1
    return Text(chars, places)


def edit(value: Text, sign: str, argument: str) -> Text | None:
    """Prefixes and suffixes removed, parts replaced or cut, or case changed; None if dsgen does not know the result."""
    text = value.chars
    if len(text) > LONGEST or re.search(r"[\[\]\\\"'$`!@+()~]" if sign[0] in "#%/" else r"[^\d: -]", argument):
        return None
    if sign in ("#", "##", "%", "%%"):
        return _strip(value, sign, argument)
    if sign in ("^^", ",,") and not argument:
        changed = text.upper() if sign == "^^" else text.lower()
        return Text(changed, value.places) if text.isascii() else None
    if sign in ("/", "//"):
        old, _, new = argument.partition("/")
        if not old or old[0] in "#%" or re.search(r"[*?]", old) or "&" in new:
            return None
        return place_at(text.replace(old, new, -1 if sign == "//" else 1), value)
    if sign != ":":
        return None
    start, has_size, length = argument.partition(":")
    first, size = compute(start), compute(length) if has_size else None
    if first is None or (has_size and (size is None or size < 0)) or -first > len(text):
        return None
    first = first if first >= 0 else len(text) + first
    return value[first : first + size] if size is not None else value[first:]


def _strip(value: Text, sign: str, pattern: str) -> Text | None:
    """The value without the shortest or longest beginning or end that matches a pattern."""
    if len(pattern) > 100 or pattern.count("*") > 5:
        return None
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
OF_SHELL = re.compile(r"S?RANDOM|SECONDS|LINENO|E?UID|P?PID|BASHPID|EPOCH(SECONDS|REALTIME)|BASH_SUBSHELL|OSTYPE")
"""Variables that each shell sets by itself."""
PARAMETER = re.compile(r"([#!]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!_-])(?:\[([^\]]*)\])?(.*)", re.ASCII | re.DOTALL)
SIGN = re.compile(r":?[-=?+]|##?|%%?|//?|\^\^?|,,?|:")


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


def add_part(words: Expands, kind: Kind, name: str, of: Text) -> Text:
    """An unknown part for an expansion of a script."""
    cause = of.places[0] if kind == "unclear" and of.places else 0
    return words.scope.atlas.add_unknown(UnknownPart(kind, name, of.chars, cause), of.places)


def read_parameter(words: Expands, node: Node, mode: Mode) -> Iterator[WordPart]:
    if node.type == "arithmetic_expansion":
        yield WordPart(words.expand_arithmetic(node), mode)
        return
    of = words.script.read_text(node)
    match = PARAMETER.fullmatch(of.chars[1:] if node.type == "simple_expansion" else of.chars[2:-1])
    if not match or match[1] == "!":
        yield WordPart(add_part(words, "unclear", "", of), mode)
        return
    prefix, name, index, rest = match[1], match[2], match[3] or "", match[4]
    if prefix == "#":
        yield WordPart(_count_length(words, name, index, of), mode)
    elif name in ("@", "*") or index in ("@", "*"):
        yield from _expand_items(words, name, mode, rest, of, is_joined=mode == "quoted" and "*" in (name, index))
    else:
        yield _mark_split(words, _modify(words, _find_value(words, name, index, of), name, rest, node, of), mode, of)


def _mark_split(words: Expands, value: Text, mode: Mode, of: Text) -> WordPart:
    """The value of an expansion without quotes: it may become several words, or the names of files."""
    if mode != "split":
        return WordPart(value, mode)
    scope = words.scope
    unknown = scope.atlas.list_unknowns(value) if len(value.chars) == 1 else []
    if unknown and unknown[0].kind in ("variable", "unclear"):
        return WordPart(scope.atlas.add_unknown(replace(unknown[0], is_split=True), value.places), mode)
    if "IFS" in scope.variables and not re.fullmatch(r"[A-Za-z0-9]*", value.chars):
        return WordPart(add_part(words, "unclear", "", of), mode)
    if value.places and re.search(r"[*?]|\[.+\]", value.chars):
        scope.doubts[value.places[0]] = "bash puts the names of files that match in its place"
    return WordPart(value, mode)


def _find_value(words: Expands, name: str, index: str, of: Text) -> Text | None:
    """The value of a parameter, None if it is not set."""
    if name.isdigit():
        return _find_argument(words, int(name), of)
    if name == "#" and words.scope.arguments is not None:
        return place_at(str(len(words.scope.arguments)), of)
    if name == "#":
        return add_part(words, "unclear" if words.scope.cause else "positional", "" if words.scope.cause else "#", of)
    if name in "?$!_-" or (OF_SHELL.fullmatch(name) and not words.scope.is_set(name)):
        return add_part(words, "command", name, of)
    value = words.scope.find(name)
    if isinstance(value, list):
        return _find_item(words, name, index, value, of)
    if index and index != "0" and value is not None:
        return value if words.scope.atlas.list_unknowns(value) else add_part(words, "unclear", "", of)
    return None if value is None else add_places(value, of)


def _find_item(words: Expands, name: str, index: str, items: list[Text], of: Text) -> Text | None:
    """An item of an array. One whose number is only known on the cluster is a variable with the array's name."""
    known = words.scope.find(index.lstrip("$").strip("{}"))
    number = compute(known.chars if isinstance(known, Text) else index) if index else 0
    if any(one.kind == "hosts" for item in items for one in words.scope.atlas.list_unknowns(item)):
        return add_part(words, "hosts", "MASTER_ADDR" if number == 0 else "OTHER", of)
    if number is not None and -len(items) <= number < len(items):
        return items[number]
    if any(words.scope.atlas.list_unknowns(item) for item in items):
        return add_part(words, "unclear", "", of)
    if number is None and index and isinstance(known, Text | None) and re.match(r"[$A-Z]", index):
        return words.scope.atlas.add_unknown(UnknownPart("variable", name, f"${{{name}}}"), of.places)
    return add_part(words, "unclear", "", of) if number is None or number < 0 else Text()


def _find_argument(words: Expands, number: int, of: Text) -> Text | None:
    if number == 0:
        return place_at(words.scope.name, of)
    known = words.scope.arguments
    if known is not None:
        return add_places(known[number - 1], of) if number <= len(known) else None
    if words.scope.cause:
        return add_part(words, "unclear", "", of)
    given = words.scope.given.get(str(number))
    return None if given is None else add_places(given, of)


def _resolve_missing(words: Expands, name: str, of: Text) -> Text:
    if name.isdigit():
        return Text() if words.scope.arguments is not None else add_part(words, "positional", name, of)
    return words.scope.resolve_text(name, of.places, f"${{{name}}}" if of.chars.startswith("${") else f"${name}")


def _count_length(words: Expands, name: str, index: str, of: Text) -> Text:
    value = words.scope.find(name) if name not in ("@", "*") else words.scope.arguments
    is_all = index in ("@", "*") or name in ("@", "*")
    items: list[Text] = value if isinstance(value, list) else [value] if value is not None else []
    unknown = [one for item in items for one in words.scope.atlas.list_unknowns(item)]
    if any(one.kind == "hosts" for one in unknown):
        return add_part(words, "runtime" if is_all else "hosts", "NNODES" if is_all else "OTHER", of)
    if any(item.places and item.places[0] in words.scope.doubts for item in items):
        return add_part(words, "unclear", "", of)
    if is_all and value is not None and not any(one.kind == "unclear" for one in unknown):
        return place_at(str(len(items)), of)
    if not index and items and items[0].is_known:
        return place_at(str(len(items[0].chars)), of)
    return add_part(words, "unclear", "", of)


def _list_items(words: Expands, name: str, rest: str, of: Text) -> list[Text] | None:
    """The words of `"$@"` or `"${ARRAY[@]}"`; None if they are not known."""
    scope = words.scope
    value: Value | None = scope.arguments if name in ("@", "*") else scope.find(name)
    if rest and not re.fullmatch(rf':?\+"\$\{{{name}\[@\]\}}"', rest):
        return [] if value is None and name not in ("@", "*") and re.fullmatch(":?[+-]", rest) else None
    if value is None:
        return None if name in ("@", "*") else []
    if isinstance(value, list):
        return [add_places(one, of) for one in value]
    if name in scope.given:
        return [add_places(one, of) for one in value.split()]
    return None if any(one.kind == "unclear" for one in scope.atlas.list_unknowns(value)) else [add_places(value, of)]


def _expand_items(words: Expands, name: str, mode: Mode, rest: str, of: Text, is_joined: bool) -> Iterator[WordPart]:
    """`$@`, `${ARRAY[@]}`, and `"${ARRAY[*]}"`, which is one word."""
    items = _list_items(words, name, rest, of)
    if items is None and name in ("@", "*") and not words.scope.cause and not rest:
        yield WordPart(words.scope.atlas.add_unknown(UnknownPart("positional", "@", '"$@"'), of.places), mode)
    elif items is None or (is_joined and "IFS" in words.scope.variables):
        yield WordPart(add_part(words, "unclear", "", of), mode)
    elif is_joined:
        yield WordPart(join(items, " ") if items else Text(), "quoted")
    else:
        if not items:
            yield WordPart(Text(), "split")
        for number, item in enumerate(items):
            spend(OF_OPERATION)
            if number:
                yield WordPart(Text(), "break")
            yield _mark_split(words, item, mode, of)


def _modify(words: Expands, value: Text | None, name: str, rest: str, node: Node, of: Text) -> Text:
    """`${VAR:-x}` and its relatives."""
    match = SIGN.match(rest)
    if not match:
        return value if value is not None else _resolve_missing(words, name, of)
    sign, is_empty = match[0], value is None or (not value.chars and match[0][0] == ":")
    if sign[-1] == "?":
        return value if value is not None else _resolve_missing(words, name, of)
    argument = _expand_argument(words, node, len(of.chars) - 1 - len(rest) + len(sign))
    if sign[-1] in "-=+":
        return _choose_default(words, value, name, sign, argument, is_empty, of)
    if value is None:
        is_plain = not name.isdigit() and "$" not in rest
        return add_part(words, "variable" if is_plain else "unclear", name if is_plain else "", of)
    unknown = words.scope.atlas.list_unknowns(value)
    if any(one.kind == "hosts" for one in unknown):
        is_first = len(value.chars) == 1 and unknown[0].name == "MASTER_ADDR" and sign in ("%", "%%")
        return value if is_first else add_part(words, "hosts", "OTHER", of)
    edited = edit(value, sign, argument.chars) if not unknown and not re.search("['\"]", rest) else None
    return edited if edited is not None else add_part(words, "unclear", "", of)


def _choose_default(
    words: Expands, value: Text | None, name: str, sign: str, argument: Text, is_empty: bool, of: Text
) -> Text:
    is_unclear = value is not None and any(one.kind == "unclear" for one in words.scope.atlas.list_unknowns(value))
    is_used = is_empty != (sign[-1] == "+")
    if is_unclear or (is_used and re.search(r"['\"\\]", of.chars)):
        return add_part(words, "unclear", "", of)
    if name.isdigit() or value is None:
        used = Text() if sign[-1] == "+" else argument
        words.scope.defaults.append(Default(name, used, of.places[0]))
    if sign[-1] == "+":
        return Text() if is_empty else argument
    if not is_empty:
        return value or Text()
    if sign[-1] == "=":
        words.scope.assign(name, argument, of.places[0])
    return argument


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
