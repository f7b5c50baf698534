"""The scripts run on Python 3.8, the oldest supported version."""

import ast
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "dsgen" / "scripts"
# Python 3.9 made these generic: earlier ones can read `list[int]` only where nobody evaluates it.
GENERIC = {"dict", "frozenset", "list", "set", "tuple", "type", "Callable", "Iterable", "Iterator"}


class Evaluated(ast.NodeVisitor):
    """Collects lines of subscripts like `list[int]` that are evaluated: annotations are not, nor is TYPE_CHECKING."""

    def __init__(self) -> None:
        self.lines: list[int] = []

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def visit_arg(self, _: ast.arg) -> None:
        """An annotation at most."""

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in [*node.decorator_list, node.args, *node.body]:
            self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  # the name that ast looks for

    def visit_If(self, node: ast.If) -> None:
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in GENERIC:
            self.lines.append(node.lineno)
        self.generic_visit(node)


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("*/*.py")), ids=lambda path: path.relative_to(SCRIPTS).as_posix())
def test_nothing_is_too_new(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text, feature_version=(3, 8))
    seen = Evaluated()
    seen.visit(tree)

    assert [] == seen.lines
    assert "from __future__ import annotations\n" in text or path.name == "__init__.py"
