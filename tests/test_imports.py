"""What commands do not load, because they do not need it; and late imports."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GOOD = ROOT / "values-examples" / "minimal.yaml"
CONFIGURED = ROOT / "values-examples" / "cpu-smoke-test.yaml"
WITH_PRODUCT = ROOT / "values-examples" / "multi-node-gpu.yaml"
"""A file whose section estimate names the accelerator, but no model."""
BAD = ROOT / "tests" / "cases" / "invalid" / "bad-quantity.yaml"

UNUSED = {"jinja2", "kubernetes", "ruamel", "tree_sitter", "yamllint"}
"""Libraries that `dsgen render` and `dsgen validate` do not use."""
OF_VALUES = {"jsonschema", "yaml"}
SLOW = {"asyncio", "concurrent", "http", "importlib.metadata", "multiprocessing", "ssl", "unittest", "urllib.request"}
"""Modules of Python that take as long as a whole render."""
EXPLANATIONS = {"dsgen.compiler", "dsgen.reports", "dsgen.importers.origins"}
SCRIPT = """
import sys
from dsgen.cli import main
code = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


def run(*arguments: str) -> tuple[int, set[str]]:
    """The exit code of a command, and the modules that it loads."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True)
    return done.returncode, {*done.stderr.splitlines()[-1].split()}


@pytest.mark.parametrize("command", ["render", "validate"])
@pytest.mark.parametrize(("file", "expected"), [(GOOD, 0), (CONFIGURED, 0), (WITH_PRODUCT, 0), (BAD, 1)])
def test_a_usual_file_loads_no_other_library_and_no_explanation(command: str, file: Path, expected: int) -> None:
    code, loaded = run(command, str(file))

    assert expected == code
    assert set() == loaded & (UNUSED | SLOW)
    assert set() == loaded & EXPLANATIONS
    assert [] == [name for name in loaded if name.startswith("dsgen.estimate")]


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("completion", "bash")])
def test_a_command_without_values_loads_no_library_but_click(arguments: tuple[str, ...]) -> None:
    code, loaded = run(*arguments)

    assert (0, set()) == (code, loaded & (UNUSED | OF_VALUES | SLOW))


def late_imports(text: str) -> Iterator[int]:
    """The lines of imports inside functions that are the first of their function."""
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            lines = [node.lineno for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)]
            yield from sorted(lines)[:1]


def unexplained(text: str) -> list[str]:
    """Late imports without a reason on their line or the one above, or once for the module, in its docstring or below
    a heading.
    """
    lines = text.splitlines()
    reason = "imported late"
    once = [number for number, line in enumerate(lines, 1) if reason in line.lower() and line[:1] != " "]
    return [
        lines[number - 1].strip()
        for number in late_imports(text)
        if not any(one < number for one in once)
        and not any(reason in line.lower() for line in lines[number - 3 : number])
    ]


def test_every_late_import_has_its_reason() -> None:
    paths = [path for path in (ROOT / "dsgen").rglob("*.py") if not {"scripts", "generated"} & {*path.parts}]

    assert {} == {str(path): found for path in paths if (found := unexplained(path.read_text()))}
