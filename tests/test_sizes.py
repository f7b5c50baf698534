"""Functions and modules stay short."""

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parent.parent
LONGEST_FUNCTION = 60
LONGEST_MODULE = 300
MEDIAN_FUNCTION = 10
# They are tables for the most part.
TABLES = {
    *("dsgen/language/builtins.py", "dsgen/problems/kinds/ds200.py", "dsgen/problems/kinds/ds300.py"),
    "dsgen/cluster/known.py",
}
GENERATED = ROOT / "dsgen/generated"


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function of a file with its number of lines, docstring included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno
            yield f"{path.relative_to(ROOT)}:{node.name}", node.end_lineno - node.lineno + 1


def sources(folder: str) -> list[Path]:
    return [path for path in sorted((ROOT / folder).rglob("*.py")) if GENERATED not in path.parents]


@pytest.mark.parametrize("folder", ["dsgen", "tests", "tools"])
def test_no_function_is_too_long(folder: str) -> None:
    sizes = [size for path in sources(folder) for size in functions(path)]

    assert [] == [size for size in sizes if size[1] > LONGEST_FUNCTION]


def test_most_functions_are_short() -> None:
    assert MEDIAN_FUNCTION >= median(lines for path in sources("dsgen") for _, lines in functions(path))


def test_no_module_is_too_long() -> None:
    sizes = {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in sources("dsgen")}

    assert {} == {name: lines for name, lines in sizes.items() if lines > LONGEST_MODULE and name not in TABLES}
