"""The budget of imports: what `dsgen render` and `dsgen validate` load, for a good file and for one with errors.

Whoever adds a name to these lists has measured what it costs (`make bench`), or has found no way to import it only
where it is needed.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GOOD = ROOT / "values-examples" / "minimal.yaml"
CONFIGURED = ROOT / "values-examples" / "cpu-smoke-test.yaml"
BAD = ROOT / "tests" / "cases" / "invalid" / "bad-quantity.yaml"

LIBRARY = {"collections", "decimal", "enum", "errno", "fractions", "functools", "itertools", "keyword", "math"}
LIBRARY |= {"copyreg", "gc", "numbers", "operator", "re", "reprlib", "types"}
"""Of Python, beyond what it loads by itself; what begins with _ belongs to one of these."""
FOR_ERRORS = {"bisect", "difflib", "heapq", "json", "shlex", "string", "unicodedata"}

PARTS = {
    *("api", "checks", "cli", "deepspeed", "errors", "generated", "language", "objects", "problems", "reading"),
    *("records", "render", "roots", "schema", "values"),
}
MODULES = {
    *("cli._arguments", "cli._jobs", "cli._options", "cli._parallel", "cli._printed", "cli._progress", "cli._shared"),
    "cli._targets",
    *("deepspeed.hostfile", "language.files", "language.functions", "language.text", "problems.diagnostics"),
    *(
        "reading.carried",
        "reading.files",
        "reading.nodes",
        "reading.plain",
        "reading.quantities",
        "reading.reader",
        "reading.scalars",
    ),
    *("generated.checks", "generated.defaults", "generated.helpers", "generated.manifests", "generated.schema"),
    *(
        "schema.filling",
        "schema.nulls",
        "schema.quoted",
        "schema.suggestions",
        "schema.validate",
        "schema.violations",
        "schema.walk",
        "schema.wording",
    ),
}
"""Of dsgen, beside the modules of dsgen.checks."""
WORDS = {"problems.escaping", "problems.framing", "problems.redaction", "schema.foreign"}
"""For whatever is said to people."""
SCRIPT = """
import sys
before = {*sys.modules}
from dsgen.cli import main
code = main(sys.argv[1:])
print(*sys.modules.keys() - before, file=sys.stderr)
sys.exit(code)
"""


def loaded(command: str, file: Path) -> tuple[int, set[str], set[str]]:
    """The exit code, the modules of dsgen without those of checks, and all other top-level modules."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, command, file], capture_output=True, text=True)
    names = done.stderr.splitlines()[-1].split()
    own = {name.removeprefix("dsgen.") for name in names if name.startswith("dsgen.")} - {f"cli.{command}"}
    others = {name.partition(".")[0] for name in names if not name.startswith(("dsgen", "_"))}
    return done.returncode, {name for name in own if not name.startswith("checks.")}, others


@pytest.mark.parametrize(("command", "words"), [("render", set()), ("validate", {"escaping", "redaction"})])
def test_a_good_file_loads_nothing_more(command: str, words: set[str]) -> None:
    code, own, others = loaded(command, GOOD)

    assert code == 0
    assert PARTS | MODULES | {f"problems.{name}" for name in words} == own
    assert set() == others - LIBRARY


def test_a_configuration_of_deepspeed_loads_nothing_of_the_library() -> None:
    code, own, others = loaded("render", CONFIGURED)

    assert code == 0
    assert {"deepspeed.keys", "generated.deepspeed"} <= own
    assert set() == others - LIBRARY


@pytest.mark.parametrize("command", ["render", "validate"])
def test_a_file_with_errors_loads_little_more(command: str) -> None:
    code, own, others = loaded(command, BAD)

    assert code == 1
    assert WORDS <= own <= PARTS | MODULES | WORDS
    assert set() == others - LIBRARY - FOR_ERRORS
