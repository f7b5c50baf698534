"""Conditions, branches and loops of a script: followed as far as their conditions and words are known."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dsgen.importers.shell.calls import is_hostfile
from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.shell.parameters import compute
from dsgen.importers.shell.reader import ScriptReader
from dsgen.importers.shell.syntax import Script, walk_nodes
from dsgen.importers.texts import Kind, Text, UnknownPart

if TYPE_CHECKING:
    from tree_sitter import Node

_NUMBERS: Mapping[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_EQUAL = ("==", "=")
LONGEST_PATTERN = 200


@dataclass
class Conditions:
    """Decides the conditions of one script.

    assumed: variables that nothing sets, which were taken as empty.
    """

    expansion: Expansion
    assumed: list[UnknownPart] = field(default_factory=list)

    def decide(self, node: Node) -> bool | None:
        """Whether a condition holds; None if that is not known."""
        if node.type in ("unary_expression", "negated_command"):
            return self._decide_unary(node)
        if node.type == "binary_expression":
            return self._decide_binary(node)
        if node.type in ("parenthesized_expression", "test_command"):
            if self.expansion.script.read_text(node).chars.startswith("(("):
                return _as_truth(self.expansion.expand_arithmetic(node))
            inner = [child for child in node.children if child.is_named]
            return self.decide(inner[0]) if len(inner) == 1 else None
        if node.type == "command":
            return self._decide_command(node)
        if node.type == "compound_statement" and self.expansion.script.read_text(node).chars.startswith("(("):
            return _as_truth(self.expansion.expand_arithmetic(node))
        if node.type in ("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "number"):
            return self._is_filled(node)
        return None

    def matches(self, value: Text, patterns: list[str]) -> bool | None:
        """Whether a text matches one of the patterns of a `case`."""
        text = self._resolve_known(value)
        if text is None:
            return True if "*" in patterns else None
        return any(fnmatch.fnmatchcase(text, one) for one in patterns if len(one) <= LONGEST_PATTERN)

    def _decide_command(self, node: Node) -> bool | None:
        words = self.expansion.expand_words(_list_arguments(node))
        name = words[0].chars if words else ""
        if name in ("true", ":"):
            return True
        if name == "false":
            return False
        return self._decide_test([word for word in words[1:] if word.chars != "]"]) if name in ("test", "[") else None

    def _decide_test(self, words: list[Text]) -> bool | None:
        """`test` with its words."""
        if words and words[0].chars == "!":
            return _negate(self._decide_test(words[1:]))
        if len(words) == 2 and words[0].chars in ("-z", "-n"):
            return _decide_filled(self._resolve_known(words[1]), words[0].chars, words[1])
        if len(words) == 3:
            return self._compare(words[0], words[1].chars, words[2])
        return bool(words[0].chars) if len(words) == 1 else None

    def _decide_unary(self, node: Node) -> bool | None:
        children = node.children
        sign = self.expansion.script.read_text(children[0]).chars
        if sign == "!":
            return _negate(self.decide(children[1]))
        if sign in ("-z", "-n"):
            value = self._expand_text(children[1])
            return _decide_filled(self._resolve_known(value), sign, value)
        if sign == "-v":
            return self.expansion.scope.is_set(self._expand_text(children[1]).chars)
        return None

    def _decide_binary(self, node: Node) -> bool | None:
        left, sign, right = node.children[0], node.children[1], node.children[-1]
        operator = self.expansion.script.read_text(sign).chars
        if operator in ("&&", "-a"):
            return _decide_both(self.decide(left), self.decide(right))
        if operator in ("||", "-o"):
            return _negate(_decide_both(_negate(self.decide(left)), _negate(self.decide(right))))
        return self._compare(self._expand_text(left), operator, self._expand_text(right))

    def _compare(self, left: Text, operator: str, right: Text) -> bool | None:
        one, other = self._resolve_known(left), self._resolve_known(right)
        if one is None or other is None:
            # A part that only the cluster knows is not empty.
            is_compared_to_nothing = "" in (one, other) and operator in (*_EQUAL, "!=")
            return operator == "!=" if is_compared_to_nothing else None
        if operator in _NUMBERS:
            first, second = compute(one or "0"), compute(other or "0")
            return None if first is None or second is None else _NUMBERS[operator](first, second)
        if operator in _EQUAL or operator == "!=":
            is_equal = one == other or (len(other) <= LONGEST_PATTERN and fnmatch.fnmatchcase(one, other))
            return is_equal == (operator in _EQUAL)
        return None

    def _is_filled(self, node: Node) -> bool | None:
        value = self._expand_text(node)
        return _decide_filled(self._resolve_known(value), "-n", value)

    def _expand_text(self, node: Node) -> Text:
        return self.expansion.expand_text(node)

    def _resolve_known(self, value: Text) -> str | None:
        """The text with variables that nothing sets as empty; None if other parts are unknown."""
        text = ""
        for piece in self.expansion.scope.atlas.split_pieces(value):
            if isinstance(piece, str):
                text += piece
            elif piece.kind in ("variable", "positional"):
                self.assumed.append(piece)
                text += "0" if piece.name == "#" else ""
            else:
                return None
        return text


def _list_arguments(node: Node) -> list[Node]:
    return [child for child in node.children if child.is_named]


def _as_truth(number: Text) -> bool | None:
    return number.chars.strip("-") not in ("", "0") if number.is_known else None


def _decide_filled(known: str | None, sign: str, value: Text) -> bool | None:
    is_filled = bool(known) if known is not None else bool(value)
    return is_filled == (sign == "-n")


def _negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def _decide_both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


MOST_ROUNDS = 64
NOT_FOLLOWED = "its condition is only known on the cluster, so it was not followed"
NOT_TRUE = "its condition does not hold"
PARAMETERS = "it reads arguments of the script, which was imported without any"
CHECKS = "it checks the arguments or the environment of the script"
REPEATS = "it repeats the commands in it"


def read_list(reader: ScriptReader, script: Script, node: Node) -> None:
    left, right = node.children[0], node.children[-1]
    is_and = script.read_text(node.children[1]).chars == "&&"
    if not _is_test(left, script):
        reader.read_statement(script, left)
        if is_and:
            reader.read_statement(script, right)
        else:
            reader.add_event("dropped", script.read_text(right), "it runs only if the command before it fails")
        return
    truth, conditions = _decide(reader, script, [left])
    if truth is (not is_and) or (conditions.assumed and _exits(right)):
        reader.add_event("dropped", script.read_text(right), CHECKS if _exits(right) else NOT_TRUE)
    elif truth is None:
        _read_unfollowed(reader, script, [right], node)
    else:
        _report_assumed(reader, script, conditions, left)
        reader.read_statement(script, right)


def read_if(reader: ScriptReader, script: Script, node: Node) -> None:
    branches = list(_find_branches(node))
    is_open = True
    for number, (condition, body) in enumerate(branches):
        if not is_open:
            _skip(reader, script, body, NOT_TRUE)
            continue
        truth, conditions = _decide(reader, script, condition) if condition else (True, None)
        if truth and conditions and conditions.assumed and any(map(_exits, body)):
            _skip(reader, script, body, CHECKS)
        elif truth:
            if conditions:
                _report_assumed(reader, script, conditions, condition[0])
            reader.read_statements(script, body)
            is_open = False
        elif truth is False:
            _skip(reader, script, body, NOT_TRUE)
        else:
            rest = [one for _, bodies in branches[number:] for one in bodies]
            _read_unfollowed(reader, script, rest, node)
            return


def read_case(reader: ScriptReader, script: Script, node: Node) -> None:
    expansion = reader.make_expansion(script)
    value = node.child_by_field_name("value")
    subject = expansion.expand_text(value) if value is not None else Text()
    if any(one.kind == "positional" for one in reader.atlas.list_unknowns(subject)):
        reader.add_event("dropped", script.read_text(node), PARAMETERS)
        return
    conditions = Conditions(expansion)
    items = [child for child in node.children if child.type == "case_item"]
    for item in items:
        cut = next((index for index, one in enumerate(item.children) if script.read_text(one).chars == ")"), 0)
        patterns = [script.read_text(one).chars.strip("\"'") for one in item.children[:cut] if one.is_named]
        matches = conditions.matches(subject, patterns)
        if matches is None:
            _read_unfollowed(reader, script, [one for other in items for one in other.children if one.is_named], node)
            return
        if matches:
            reader.read_statements(script, item.children[cut + 1 :])
            break
    if not items or items[0].end_byte == node.end_byte:
        return
    reader.add_event("dropped", script.read_text(node)[:0] or script.read_text(node), "its other branches do not apply")


def _skip(reader: ScriptReader, script: Script, body: Sequence[Node], why: str) -> None:
    named = [one for one in body if one.is_named and one.type != "comment"]
    for one in named:
        reader.add_event("dropped", script.read_text(one), why)


def _read_unfollowed(reader: ScriptReader, script: Script, body: Sequence[Node], node: Node) -> None:
    """A branch whose condition is not known: only a launch in it counts, if there is no other."""
    inner = [one for one in body if one.is_named]
    if any(map(_exits, inner)) and not _may_start_training(reader, script, inner):
        reader.add_event("dropped", script.read_text(node), CHECKS)
        return
    if _may_start_training(reader, script, inner):
        was, reader.is_certain = reader.is_certain, False
        reader.add_event(
            "lost",
            _find_head(script, node),
            "its condition is only known on the cluster",
            "see whether the commands in it are those that you want",
        )
        reader.read_statements(script, inner)
        reader.is_certain = was
    elif all(_is_silent(reader, script, one) for one in inner):
        reader.add_event("dropped", script.read_text(node), "it only prints")
    else:
        reader.add_event(
            "lost",
            script.read_text(node),
            NOT_FOLLOWED,
            "write what applies to your cluster into the values, or into training.setup",
        )


def _may_start_training(reader: ScriptReader, script: Script, nodes: Sequence[Node]) -> bool:
    """Whether one of the commands in it may start a training."""
    return any(reader.rank_node(script, one) > 0 for node in nodes for one in walk_nodes(node) if one.type == "command")


def _is_silent(reader: ScriptReader, script: Script, node: Node) -> bool:
    commands = [
        one for one in walk_nodes(node) if one.type in ("command", "variable_assignment", "function_definition")
    ]
    return all(one.type == "command" and reader.read_meaning(script, one).role == "silent" for one in commands)


def read_for(reader: ScriptReader, script: Script, node: Node) -> None:
    variable = node.child_by_field_name("variable")
    body = node.child_by_field_name("body")
    if body is None or variable is None:
        return
    if is_hostfile(reader, script, node):
        return
    name = script.read_text(variable).chars
    start, end = node.children.index(variable), node.children.index(body)
    values = reader.make_expansion(script).expand_words([one for one in node.children[start + 1 : end] if one.is_named])
    unknown = [one for value in values for one in reader.atlas.list_unknowns(value)]
    if unknown:
        of_nodes = any(one.kind in ("hosts", "runtime") for one in unknown)
        kind: Kind = "runtime" if of_nodes else "command"
        item = reader.atlas.add_unknown(
            UnknownPart(kind, "NODE_RANK" if of_nodes else name, f"${name}"), script.read_text(variable).places
        )
        hosts = any(one.kind == "hosts" for one in unknown)
        if hosts:
            item = reader.atlas.add_unknown(UnknownPart("hosts", "MASTER_ADDR"), script.read_text(variable).places)
        _read_round(reader, script, body, {name: item}, of_nodes, is_repeated=not of_nodes)
        return
    for value in values[:MOST_ROUNDS]:
        _read_round(reader, script, body, {name: value}, reader.has_nodes or len(values) > 1, reader.is_repeated)
    if not values:
        reader.add_event("dropped", script.read_text(node), "it has nothing to repeat")


def read_c_for(reader: ScriptReader, script: Script, node: Node) -> None:
    body = node.child_by_field_name("body")
    if body is None or is_hostfile(reader, script, node):
        return
    head = script.cut_text(node.start_byte, body.start_byte).chars
    name = re.search(r"\(\(\s*(\w+)\s*=", head)
    item = reader.atlas.add_unknown(UnknownPart("runtime", "NODE_RANK"), script.read_text(node).places)
    _read_round(reader, script, body, {name[1]: item} if name else {}, has_nodes=True, is_repeated=reader.is_repeated)


def _read_round(
    reader: ScriptReader, script: Script, body: Node, variables: Mapping[str, Text], has_nodes: bool, is_repeated: bool
) -> None:
    """The body of a loop, once."""
    for name, value in variables.items():
        reader.scope.assign(name, value)
    was = reader.has_nodes, reader.is_repeated
    reader.has_nodes, reader.is_repeated = has_nodes, is_repeated
    reader.read_statements(script, body.children)
    reader.has_nodes, reader.is_repeated = was


def read_while(reader: ScriptReader, script: Script, node: Node) -> None:
    body = node.child_by_field_name("body")
    text = script.read_text(node).chars
    if is_hostfile(reader, script, node):
        return
    if re.search(r"getopts|\bshift\b|\$#|\$1\b", text):
        reader.add_event("dropped", script.read_text(node), PARAMETERS)
    elif body is not None and _may_start_training(reader, script, [body]):
        reader.add_event(
            "lost", _find_head(script, node), REPEATS, "set lifecycle.maxRestarts for restarts after a failure"
        )
        reader.read_statements(script, body.children)
    elif _is_silent(reader, script, node) or re.search(r"\b(ssh|nslookup|getent|nc|ping|sleep)\b", text):
        reader.add_event(
            "dropped", script.read_text(node), "it only waits or prints; the launcher waits for the workers"
        )
    else:
        reader.add_event(
            "lost",
            script.read_text(node),
            "it repeats until something on the cluster changes",
            "write it into training.setup if every worker needs it",
        )


def read_function(reader: ScriptReader, script: Script, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        reader.functions[script.read_text(name).chars] = (script, body)
    reader.add_event(
        "dropped", script.read_text(node)[:0] or script.read_text(node), "its commands are read where it is called"
    )


def _decide(reader: ScriptReader, script: Script, nodes: Sequence[Node]) -> tuple[bool | None, Conditions]:
    conditions = Conditions(reader.make_expansion(script))
    named = [node for node in nodes if node.is_named]
    return (conditions.decide(named[0]) if len(named) == 1 else None), conditions


def _report_assumed(reader: ScriptReader, script: Script, conditions: Conditions, node: Node) -> None:
    """Say which variables were taken as empty for a condition."""
    names = sorted({one.name for one in conditions.assumed})
    if names:
        words = ", ".join(names)
        reader.add_event(
            "dropped",
            script.read_text(node),
            f"{words} not set in the script: taken as empty",
            f"--set {names[0]}=VALUE changes it",
        )


def _find_branches(node: Node) -> Iterator[tuple[list[Node], list[Node]]]:
    """The conditions and commands of `if`, `elif` and `else`; the condition of `else` is empty."""
    children = [child for child in node.children if child.type not in ("elif_clause", "else_clause")]
    then = next((index for index, child in enumerate(children) if child.type == "then"), len(children))
    named = [child for child in children if child.is_named and child.type != "comment"]
    yield (
        [child for child in named if child.end_byte <= children[then - 1].end_byte],
        [child for child in children[then + 1 :] if child.is_named],
    )
    for clause in node.children:
        if clause.type == "elif_clause":
            yield from _find_branches(clause)
        elif clause.type == "else_clause":
            yield [], [child for child in clause.children if child.is_named]


def _exits(node: Node) -> bool:
    """Whether commands end the script."""
    names = (one for one in walk_nodes(node) if one.type == "command_name")
    return any(one.text in (b"exit", b"return") for one in names)


def _is_test(node: Node, script: Script) -> bool:
    if node.type in ("test_command", "negated_command") or script.read_text(node).chars.startswith("(("):
        return True
    if node.type == "list":
        return all(_is_test(child, script) for child in node.children if child.is_named)
    return node.type == "command" and script.read_text(node).chars.split(" ")[0] in ("test", "[", "true", "false")


def _find_head(script: Script, node: Node) -> Text:
    """The first line of a statement."""
    return script.read_text(node).partition("\n")[0]
