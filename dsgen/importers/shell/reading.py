"""Reads a script statement by statement, as bash would, without running anything.

The result is what happened in order: variables, files, folders, other commands, and the command lines that start the
training. Branches are followed if their condition is known; loops are followed if their words are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.shell.branches import (
    read_c_for,
    read_case,
    read_for,
    read_function,
    read_if,
    read_list,
    read_while,
)
from dsgen.importers.shell.calls import read_command, read_pipeline, read_redirected, read_words
from dsgen.importers.shell.expansion import TooLongError
from dsgen.importers.shell.reader import ITSELF, Handle, Handlers, Launch, Reading, ScriptEvent, ScriptReader
from dsgen.importers.shell.scope import ShellScope, Value
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import SourceMap, Text

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ITEMS = 1000


def read_assignment(reader: ScriptReader, script: Script, node: Node, is_exported: bool = False) -> None:
    expansion = reader.make_expansion(script)
    first, value = node.children[0], node.child_by_field_name("value")
    of = script.read_text(node)
    is_more = any(script.read_text(child).chars == "+=" for child in node.children)
    name = script.read_text(first.children[0] if first.type == "subscript" else first).chars
    new: Value
    if value is None:
        new = Text()
    elif value.type == "array":
        new = expansion.expand_array(value)
    else:
        new = expansion.expand_text(value)
    if first.type == "subscript":
        new = _set_item(reader, name, script.read_text(first).chars, new)
    elif is_more:
        new = _join_values(reader.scope.variables.get(name), new)
    reader.scope.assign(name, new, of.places[0])
    if is_exported:
        reader.scope.export(name, of.places[0])
    reader.add_event("exported" if is_exported else "assigned", of, name=name, value=new)


def _set_item(reader: ScriptReader, name: str, subscript: str, value: Value) -> Value:
    """An array with one item set."""
    index = subscript[len(name) + 1 : -1]
    items = reader.scope.variables.get(name)
    items = list(items) if isinstance(items, list) else []
    if index.isdigit() and int(index) < MOST_ITEMS and isinstance(value, Text):
        items += [Text()] * (int(index) + 1 - len(items))
        items[int(index)] = value
    return items


def read_assignments(reader: ScriptReader, script: Script, node: Node) -> None:
    for child in node.named_children:
        reader.read_statement(script, child)


def read_declaration(reader: ScriptReader, script: Script, node: Node) -> None:
    words = [child for child in node.children if child.is_named]
    options = "".join(
        script.read_text(one).chars for one in words if script.read_text(one).chars.startswith(("-", "+"))
    )
    is_export = script.read_text(node.children[0]).chars == "export" and "n" not in options
    is_export |= "x" in options and script.read_text(node.children[0]).chars in ("declare", "typeset")
    named = 0
    for one in words:
        if one.type == "variable_assignment":
            read_assignment(reader, script, one, is_export)
            named += 1
            continue
        for word in reader.make_expansion(script).expand_words([one]):
            name, has_value, value = word.partition("=")
            if not re.fullmatch(r"[A-Za-z_]\w*", name.chars):
                continue
            named += 1
            if has_value:
                reader.scope.assign(name.chars, value, word.places[0])
            if is_export:
                reader.scope.export(name.chars, word.places[0])
            known = reader.scope.variables.get(name.chars, Text())
            reader.add_event("exported" if is_export else "assigned", word, name=name.chars, value=known)
    if not named:
        unknown = any(one.type in ("command_substitution", "string", "concatenation") for one in words)
        if unknown:
            reader.add_event(
                "lost",
                script.read_text(node),
                "the variables that it sets are only known on the cluster",
                "set them in training.env, or their file in training.envFrom",
            )
        else:
            reader.add_event("dropped", script.read_text(node), ITSELF)


def read_unset(reader: ScriptReader, script: Script, node: Node) -> None:
    for child in node.named_children:
        reader.scope.unset(script.read_text(child).chars)
    reader.add_event("dropped", script.read_text(node), "the variable is not set in a pod")


def _join_values(before: Value | None, more: Value) -> Value:
    if isinstance(more, list) or isinstance(before, list):
        first = before if isinstance(before, list) else [before] if before else []
        return [*first, *(more if isinstance(more, list) else [more])]
    return (before or Text()) + more


__all__ = ["Launch", "Reading", "ScriptEvent", "read_command_line", "read_script"]

STATEMENTS: Mapping[str, Handle] = {
    "command": read_command,
    "variable_assignment": read_assignment,
    "variable_assignments": read_assignments,
    "declaration_command": read_declaration,
    "unset_command": read_unset,
    "pipeline": read_pipeline,
    "list": read_list,
    "redirected_statement": read_redirected,
    "if_statement": read_if,
    "case_statement": read_case,
    "for_statement": read_for,
    "c_style_for_statement": read_c_for,
    "while_statement": read_while,
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
    return Reading(reader.events, reader.launches, scope, reader.files)


def read_command_line(
    atlas: SourceMap, scope: ShellScope, words: list[Text], statement: Text, files: Mapping[str, Text]
) -> Reading:
    """Read one command line whose words are known, such as that of a container. files: scripts by their path."""
    reader = ScriptReader(atlas, scope, files, HANDLERS)
    try:
        reader.read_words(words, statement, {})
    except TooLongError as error:
        raise ImportRefusedError(
            "a value in the command has no end", atlas.resolve_place(statement.places[0])
        ) from error
    return Reading(reader.events, reader.launches, scope, reader.files)
