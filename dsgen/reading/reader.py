"""Reads the text of a values file to a tree; other packages use this module."""

from __future__ import annotations

from dsgen.reading import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dsgen.reading.nodes import SourceText, Tree


def read(file: SourceText) -> Tree:
    """The tree of one file with all its problems; raises nothing."""
    tree = plain.read(file)
    if tree is None:
        from dsgen.reading import source  # imported late: the import of PyYAML takes longer than reading most files

        tree = source.read(file)
    return tree
