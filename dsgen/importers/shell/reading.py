"""Reads a script statement by statement, as bash would, without running anything.

The result is what happened in order: variables, files, folders, other commands, and the command lines that start the
training. Assignments, commands and branches whose condition is known are followed; loops, functions and `case` are not:
what they may change is unknown afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.secrets import is_secret_name
from dsgen.importers.shell.calls import is_hostfile, read_command, read_pipeline, read_redirected, read_words
from dsgen.importers.shell.conditions import Conditions
from dsgen.importers.shell.effects import OPEN, EffectFinder
from dsgen.importers.shell.expansion import TooLongError
from dsgen.importers.shell.parameters import ASSIGNS
from dsgen.importers.shell.reader import (
    CHECKS,
    ITSELF,
    Handle,
    Handlers,
    Launch,
    Reading,
    ScriptEvent,
    ScriptReader,
    ends_script,
)
from dsgen.importers.shell.scope import ShellScope, Value
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import SourceMap, Text

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ITEMS = 1000
NOT_TRUE = "its condition does not hold"
CONDITION = "its condition is only known on the cluster"
FAILS = "it runs only if the command before it fails"
LOOP, CASE = "dsgen does not follow loops", "dsgen does not follow case"
NOT_COMPUTED = "dsgen does not compute it"
QUESTIONS = re.compile(
    r"[ef]?grep|which|command|type|hash|test|\[|diff|cmp|ping|nc|pgrep|ls|stat|declare|nvidia-smi|false"
)
"""Commands that are asked for their exit code."""


def read_assignment(reader: ScriptReader, script: Script, node: Node, is_exported: bool = False) -> bool:
    expansion = reader.make_expansion(script)
    first, value = node.children[0], node.child_by_field_name("value")
    of = script.read_text(node)
    is_more = any(script.read_text(child).chars == "+=" for child in node.children)
    name = script.read_text(first.children[0] if first.type == "subscript" else first).chars
    new: Value | None
    if value is None:
        new = Text()
    elif value.type == "array":
        new = expansion.expand_array(value)
    else:
        new = expansion.expand_text(value)
    if first.type == "subscript":
        new = _set_item(reader, name, script.read_text(first).chars, new)
    elif is_more:
        new = _join_values(reader.scope.find(name), new)
    if isinstance(new, list):
        unknown = [one for item in new for one in reader.atlas.list_unknowns(item)]
        new = None if any(one.kind == "unclear" and not one.name for one in unknown) else new
    if new is None:
        reader.scope.blur([name], of.places[0])
    else:
        reader.scope.assign(name, new, of.places[0])
    if is_exported:
        reader.scope.export(name, of.places[0])
    kept = reader.scope.variables.get(name, Text())
    reader.add_event("exported" if is_exported else "assigned", of, name=name, value=kept)
    return True


def _set_item(reader: ScriptReader, name: str, subscript: str, value: Value) -> Value | None:
    """An array with one item set; None if it is not known."""
    index = subscript[len(name) + 1 : -1]
    items = reader.scope.find(name)
    items = list(items) if isinstance(items, list) else [] if items is None else None
    if items is None or not index.isdigit() or int(index) > min(len(items), MOST_ITEMS) or not isinstance(value, Text):
        return None
    items[int(index) : int(index) + 1] = [value]
    return items


def _join_values(before: Value | None, more: Value) -> Value | None:
    if isinstance(before, list):
        return [*before, *more] if isinstance(more, list) else None
    if isinstance(more, list):
        return [*([before] if before is not None else []), *more]
    return (before or Text()) + more


def read_assignments(reader: ScriptReader, script: Script, node: Node) -> bool:
    for child in node.named_children:
        reader.read_statement(script, child)
    return True


def read_declaration(reader: ScriptReader, script: Script, node: Node) -> bool:
    words = [child for child in node.children if child.is_named]
    of, command = script.read_text(node), script.read_text(node.children[0]).chars
    texts = [script.read_text(one).chars for one in words]
    options = "".join(text for text in texts if text.startswith(("-", "+")))
    is_export = command == "export" and "n" not in options
    is_export |= "x" in options and command in ("declare", "typeset")
    if re.search("[fF]", options):
        reader.add_event("dropped", of, "it is about functions")
        return True
    if command == "local" or re.search(r"[^-apxrgn]|\+|n", options.replace("-p", "")):
        _read_unclear(reader, script, node, of)
        return True
    named = [_declare(reader, script, one, is_export) for one in words]
    if not any(named):
        unknown = any(one.type in (*OPEN, "concatenation") for one in words)
        why = "the variables that it sets are only known on the cluster" if unknown else ITSELF
        hint = "set them in training.env, or their file in training.envFrom"
        reader.add_event("lost" if unknown else "dropped", of, why, hint if unknown else "")
        if unknown:
            reader.scope.blur(set(reader.scope.variables), of.places[0])
    return True


def _declare(reader: ScriptReader, script: Script, node: Node, is_export: bool) -> bool:
    """Read one word of a declaration; returns whether it names a variable."""
    if node.type == "variable_assignment":
        return read_assignment(reader, script, node, is_export)
    named = False
    for word in reader.make_expansion(script).expand_words([node]):
        name, has_value, value = word.partition("=")
        if not re.fullmatch(r"[A-Za-z_]\w*", name.chars):
            continue
        named = True
        if has_value:
            reader.scope.assign(name.chars, value, word.places[0])
        if is_export:
            reader.scope.export(name.chars, word.places[0])
        known = reader.scope.variables.get(name.chars, Text())
        reader.add_event("exported" if is_export else "assigned", word, name=name.chars, value=known)
    return named


def _read_unclear(reader: ScriptReader, script: Script, node: Node, of: Text) -> None:
    """A statement that sets variables in a way that dsgen does not compute."""
    found = EffectFinder(reader, script).find([node])
    reader.scope.blur(found.names, of.places[0])
    for name in found.exported:
        reader.scope.export(name, of.places[0])
    reader.events.append(ScriptEvent("outside", of, NOT_COMPUTED, names=frozenset(found.names)))


def read_unset(reader: ScriptReader, script: Script, node: Node) -> bool:
    of = script.read_text(node)
    names = [script.read_text(child).chars.strip("'\"") for child in node.named_children]
    if any("[" in name or "$" in name for name in names):
        _read_unclear(reader, script, node, of)
        return True
    for name in names:
        reader.scope.unset(name)
    reader.add_event("dropped", of, "the variable is not set in a pod")
    return True


# -- conditions and branches ------------------------------------------------------------------------------------------


def read_test(reader: ScriptReader, script: Script, node: Node) -> bool | None:
    of = script.read_text(node)
    conditions = Conditions(reader.make_expansion(script))
    truth = conditions.decide(node)
    reader.assumed = sorted({one.name for one in conditions.assumed})
    if of.chars.startswith("((") and ASSIGNS.search(of.chars):
        _read_unclear(reader, script, node, of)
        return None
    return truth


def read_negated(reader: ScriptReader, script: Script, node: Node) -> bool | None:
    truth = reader.read_statement(script, node.children[-1])
    return None if truth is None else not truth


def _is_question(script: Script, node: Node) -> bool:
    """Whether a command is asked for its exit code."""
    if node.type in ("test_command", "negated_command") or script.read_text(node).chars.startswith("(("):
        return True
    if node.type == "list":
        return any(_is_question(script, child) for child in node.children if child.is_named)
    if node.type in ("redirected_statement", "pipeline"):
        inner = node.named_children[0 if node.type == "redirected_statement" else -1]
        return _is_question(script, inner)
    return node.type == "command" and QUESTIONS.fullmatch(script.read_text(node).chars.split()[0]) is not None


def read_list(reader: ScriptReader, script: Script, node: Node) -> bool | None:
    left, right = node.children[0], node.children[-1]
    is_and = script.read_text(node.children[1]).chars == "&&"
    reader.assumed = []
    truth = reader.read_statement(script, left)
    assumed, reader.assumed = reader.assumed, []
    of = script.read_text(right)
    if truth is None:
        if is_and and not _is_question(script, left):
            return reader.read_statement(script, right)
        found = EffectFinder(reader, script).find([right])
        if not is_and and not _is_question(script, left) and not found.starts and not found.names:
            reader.add_event("dropped", of, FAILS)
        else:
            reader.read_outside(of, script, [[right]], CONDITION if _is_question(script, left) else FAILS)
        return None
    if assumed:
        if ends_script(script, [right]):
            reader.add_event("dropped", of, CHECKS)
            return None
        _report_assumed(reader, script, assumed, left, [right])
    if truth is is_and:
        return reader.read_statement(script, right)
    reader.add_event("dropped", of, NOT_TRUE)
    reader.assumed = assumed
    return truth


def _report_assumed(
    reader: ScriptReader, script: Script, assumed: Sequence[str], condition: Node, body: Sequence[Node]
) -> None:
    """Say which variables were taken as unset for a condition, if that changes something."""
    found = EffectFinder(reader, script).find(body)
    names = ", ".join(assumed)
    is_harmless = found.is_silent and not found.names and not found.files and not found.starts
    hint = "" if any(map(is_secret_name, assumed)) else f"--set {assumed[0]}=VALUE changes it"
    kind, why = ("dropped", CHECKS) if is_harmless else ("lost", f"{names} not set in the script: taken as unset here")
    reader.add_event(kind, script.read_text(condition), why, hint)  # type: ignore[arg-type]  # one of two kinds


def read_if(reader: ScriptReader, script: Script, node: Node) -> None:
    branches = list(_find_branches(node))
    is_open = True
    for number, (condition, body) in enumerate(branches):
        if not is_open:
            _skip(reader, script, body)
            continue
        reader.assumed = []
        truth = reader.read_statements(script, condition) if condition else True
        assumed, reader.assumed = reader.assumed, []
        if truth is None:
            reader.read_outside(script.read_text(node), script, [one for _, one in branches[number:]], CONDITION)
            return
        if assumed and ends_script(script, body):
            _skip(reader, script, body, CHECKS)
            continue
        if assumed:
            rest = [one for _, bodies in branches[number:] for one in bodies]
            _report_assumed(reader, script, assumed, condition[0], rest)
        if truth:
            reader.read_statements(script, body)
            is_open = False
        else:
            _skip(reader, script, body)


def _skip(reader: ScriptReader, script: Script, body: Sequence[Node], why: str = NOT_TRUE) -> None:
    for one in body:
        if one.is_named and one.type != "comment":
            reader.add_event("dropped", script.read_text(one), why)


def _find_branches(node: Node) -> Iterator[tuple[list[Node], list[Node]]]:
    """The conditions and commands of `if`, `elif` and `else`; the condition of `else` is empty."""
    children = [child for child in node.children if child.type not in ("elif_clause", "else_clause")]
    then = next((index for index, child in enumerate(children) if child.type == "then"), len(children))
    yield children[1:then], children[then + 1 :]
    for clause in node.children:
        if clause.type == "elif_clause":
            yield from _find_branches(clause)
        elif clause.type == "else_clause":
            yield [], clause.children


def read_subshell(reader: ScriptReader, script: Script, node: Node) -> bool | None:
    with reader.fork():
        return reader.read_statements(script, node.children)


# -- what is not followed ---------------------------------------------------------------------------------------------


def read_loop(reader: ScriptReader, script: Script, node: Node) -> None:
    body = node.child_by_field_name("body")
    if is_hostfile(reader, script, node):
        return
    children = body.children if body is not None else []
    reader.read_outside(script.read_text(node), script, [children], LOOP, loop=node)


def read_case(reader: ScriptReader, script: Script, node: Node) -> None:
    items = [child for child in node.children if child.type == "case_item"]
    bodies = []
    for item in items:
        cut = next((index for index, one in enumerate(item.children) if script.read_text(one).chars == ")"), 0)
        bodies.append(item.children[cut + 1 :])
    reader.read_outside(script.read_text(node), script, bodies, CASE)


def read_function(reader: ScriptReader, script: Script, node: Node) -> bool:
    reader.note_function(script, node)
    reader.add_event("dropped", script.read_text(node), "it only defines a function")
    return True


__all__ = ["Launch", "Reading", "ScriptEvent", "read_command_line", "read_script"]

STATEMENTS: Mapping[str, Handle] = {
    "command": read_command,
    "variable_assignment": read_assignment,
    "variable_assignments": read_assignments,
    "declaration_command": read_declaration,
    "unset_command": read_unset,
    "test_command": read_test,
    "negated_command": read_negated,
    "subshell": read_subshell,
    "pipeline": read_pipeline,
    "list": read_list,
    "redirected_statement": read_redirected,
    "if_statement": read_if,
    "case_statement": read_case,
    "for_statement": read_loop,
    "c_style_for_statement": read_loop,
    "while_statement": read_loop,
    "function_definition": read_function,
}
HANDLERS = Handlers(STATEMENTS, read_words)


def read_script(atlas: SourceMap, scope: ShellScope, text: Text, helpers: Mapping[str, Text]) -> Reading:
    """Read a whole script. helpers: scripts that it may call, by file name.

    Raises ImportRefusedError for a script that has no end.
    """
    reader = ScriptReader(atlas, scope, helpers, HANDLERS)
    try:
        reader.read_commands(text)
    except TooLongError as error:
        raise ImportRefusedError("a value in the script has no end", atlas.resolve_place(text.places[0])) from error
    return Reading(reader.events, reader.launches, scope, reader.files, reader.blocked)


def read_command_line(
    atlas: SourceMap, scope: ShellScope, words: list[Text], statement: Text, files: Mapping[str, Text]
) -> Reading:
    """Read one command line whose words are known, such as that of a container. files: scripts by their path."""
    reader = ScriptReader(atlas, scope, files, HANDLERS)
    try:
        reader.read_words(words, statement, {})
    except TooLongError as error:
        at = atlas.resolve_place(statement.places[0])
        raise ImportRefusedError("a value in the command has no end", at) from error
    return Reading(reader.events, reader.launches, scope, reader.files, reader.blocked)
