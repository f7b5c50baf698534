"""Reads a script statement by statement, as bash would, without running anything.

The result is what happened in order: variables, files, folders, other commands, and the command lines that start the
training. Branches are followed if their condition is known; loops are followed if their words are known.
"""

from __future__ import annotations

from collections.abc import Mapping

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
from dsgen.importers.shell.calls import read_command, read_words
from dsgen.importers.shell.expansion import TooLongError
from dsgen.importers.shell.reader import Event, Handle, Handlers, Launch, Reader, Reading
from dsgen.importers.shell.redirects import read_pipeline, read_redirected
from dsgen.importers.shell.scope import Scope
from dsgen.importers.shell.variables import read_assignment, read_assignments, read_declaration, read_unset
from dsgen.importers.texts import Atlas, Text

__all__ = ["Event", "Launch", "Reading", "read_command_line", "read_script"]

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


def read_script(atlas: Atlas, scope: Scope, text: Text, helpers: Mapping[str, Text]) -> Reading:
    """Read a whole script. helpers: scripts that it may call, by file name.

    Raises ImportRefusedError for a script that has no end.
    """
    reader = Reader(atlas, scope, helpers, HANDLERS)
    try:
        reader.read_commands(text)
    except TooLongError as error:
        raise ImportRefusedError("a value in the script has no end", atlas.resolve_place(text.places[0])) from error
    return Reading(reader.events, reader.launches, scope, reader.files)


def read_command_line(
    atlas: Atlas, scope: Scope, words: list[Text], statement: Text, files: Mapping[str, Text]
) -> Reading:
    """Read one command line whose words are known, such as that of a container. files: scripts by their path."""
    reader = Reader(atlas, scope, files, HANDLERS)
    try:
        reader.read_words(words, statement, {})
    except TooLongError as error:
        raise ImportRefusedError(
            "a value in the command has no end", atlas.resolve_place(statement.places[0])
        ) from error
    return Reading(reader.events, reader.launches, scope, reader.files)
