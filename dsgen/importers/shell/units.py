"""The statements of a script that carry meaning, for the balance of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsgen.importers.conversion import Conversion
from dsgen.importers.shell.syntax import parse
from dsgen.importers.texts import Text

if TYPE_CHECKING:
    from tree_sitter import Node

STATEMENTS = ("command", "variable_assignment", "declaration_command", "unset_command")


def find_units(conversion: Conversion, text: Text) -> Iterator[Text]:
    """Each command, assignment and definition of a script that is not inside of another one."""
    script = parse(text, conversion.atlas)
    for node in _find_statements(script.root):
        if script.read_text(node).chars.strip():
            yield script.read_text(node)


def _find_statements(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type in ("command_substitution", "process_substitution", "heredoc_body", "comment"):
            continue
        if child.type in STATEMENTS:
            yield child
        else:
            yield from _find_statements(child)
