"""What `dsgen render` and `dsgen validate` do not load, because a usual file needs none of it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GOOD = ROOT / "values-examples" / "minimal.yaml"
CONFIGURED = ROOT / "values-examples" / "cpu-smoke-test.yaml"
WITH_PRODUCT = ROOT / "values-examples" / "multi-node-gpu.yaml"
"""A file whose section estimate names the accelerator, but no model."""
BAD = ROOT / "tests" / "cases" / "invalid" / "bad-quantity.yaml"

LIBRARIES = {"jinja2", "jsonschema", "kubernetes", "yaml", "tree_sitter"}
SLOW = {"asyncio", "concurrent", "http", "importlib.metadata", "multiprocessing", "ssl", "unittest", "urllib.request"}
"""Modules of Python that take as long as a whole render."""
EXPLANATIONS = {"dsgen.rules", "dsgen.generated.rules"}
SCRIPT = """
import sys
from dsgen.cli import main
code = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("command", ["render", "validate"])
@pytest.mark.parametrize(("file", "expected"), [(GOOD, 0), (CONFIGURED, 0), (WITH_PRODUCT, 0), (BAD, 1)])
def test_a_usual_file_loads_no_library_and_no_explanation(command: str, file: Path, expected: int) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, command, file], capture_output=True, text=True)
    loaded = {*done.stderr.splitlines()[-1].split()}

    assert expected == done.returncode
    assert set() == loaded & (LIBRARIES | SLOW)
    assert set() == loaded & EXPLANATIONS
    assert [] == [name for name in loaded if name.startswith("dsgen.estimate")]
