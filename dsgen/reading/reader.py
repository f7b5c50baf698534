"""The way into this package: the text of a values file to a tree."""

from __future__ import annotations

from dsgen.reading import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dsgen.reading.nodes import SourceText, Tree


def read(file: SourceText) -> Tree:
    """Reads one file; all problems are in the result, nothing is raised."""
    tree = plain.read(file)
    if tree is None:
        from dsgen.reading import source  # with PyYAML, which takes longer to import than to read most files

        tree = source.read(file)
    return tree
