"""Reads values files and `--set` flags as Helm does, and keeps the place of every value.

Other packages read the text of a file with `read`.
"""

from __future__ import annotations

from dsgen.reading import fast_reader
from dsgen.reading.nodes import SourceText, Tree


def read(file: SourceText) -> Tree:
    """The tree of one file with all its problems; raises nothing."""
    tree = fast_reader.read(file)
    if tree is None:
        from dsgen.reading import yaml_reader  # imported late: PyYAML takes longer than reading most files

        tree = yaml_reader.read(file)
        if any(one.severity == "error" for one in tree.diagnostics):
            return _refuse_other_format(file) or tree
    return tree


def _refuse_other_format(file: SourceText) -> Tree | None:
    """The tree of a file that is known not to be YAML, with this one problem."""
    from dsgen.problems import Position  # imported late, as the next: only problems need them
    from dsgen.reading import nodes, yaml_errors

    problem = yaml_errors.find_other_format(file)
    return nodes.Tree(nodes.Node({}, Position(file.name, 1, 1)), [problem], complete=False) if problem else None
