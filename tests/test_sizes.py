"""Functions stay short. Modules are cut by subject, not by size."""

import ast
import functools
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parent.parent
LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 10
GENERATED = ROOT / "dsgen/generated"


@functools.cache
def functions(path: Path) -> list[tuple[str, int]]:
    """Every function of a file with its number of lines, docstring included."""
    nodes = ast.walk(ast.parse(path.read_text()))
    found = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(f"{path.relative_to(ROOT)}:{one.name}", (one.end_lineno or 0) - one.lineno + 1) for one in found]


def sources(folder: str) -> list[Path]:
    return [path for path in sorted((ROOT / folder).rglob("*.py")) if GENERATED not in path.parents]


@pytest.mark.parametrize("folder", ["dsgen", "tests", "tools"])
def test_no_function_is_too_long(folder: str) -> None:
    sizes = [size for path in sources(folder) for size in functions(path)]

    assert [] == [size for size in sizes if size[1] > LONGEST_FUNCTION]


def test_most_functions_are_short() -> None:
    assert MEDIAN_FUNCTION >= median(lines for path in sources("dsgen") for _, lines in functions(path))
