"""The way of a job through the packages: it is loaded, checked, rendered and written, in this order."""

import subprocess
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from dsgen import cli
from tests.cluster.server import RecordedServer

PACKAGE = Path(cli.__file__).parents[1]
FILE = str(PACKAGE.parent / "values-examples" / "minimal.yaml")
CALLERS = {"__main__", "api", "cli", "values"}
"""What calls the packages in order. What these packages call themselves is part of their work."""
TYPES = {"problems/__init__", "reading/nodes"}
"""A problem and a value with its place: every package gets and returns them, so to ask one is to go nowhere."""


def module(frame: FrameType) -> str:
    """The path of a frame's module below the package; empty for code elsewhere."""
    path = Path(frame.f_code.co_filename)
    return path.relative_to(PACKAGE).with_suffix("").as_posix() if path.is_relative_to(PACKAGE) else ""


def stages(arguments: Sequence[str]) -> list[str]:
    """The packages that the callers call in a command line, in order. Imports are no calls."""
    called: list[str] = []
    depth = 0  # of calls in the present package, or of an import

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth
        if event not in ("call", "return") or not (name := module(frame)):
            return
        package, is_import = name.split("/")[0], frame.f_code.co_name == "<module>"
        if depth:
            depth += 1 if event == "call" else -1
        elif event == "call" and (is_import or (package not in CALLERS and name not in TYPES)):
            depth = 1
            called.extend([] if is_import else [package])

    sys.setprofile(note)
    try:
        assert 0 == cli.main(arguments)
    finally:
        sys.setprofile(None)
    return [package for package, _ in groupby(called)]


def returns(packages: Sequence[str]) -> int:
    """How often a package is called again after others."""
    return len(packages) - len({*packages})


def test_a_printed_job_goes_through_each_package_once() -> None:
    found = stages(["render", FILE])

    assert ["reading", "schema", "checks", "render"] == found


def test_a_written_job_returns_to_few_packages(tmp_path: Path) -> None:
    found = stages(["render", FILE, "-d", str(tmp_path)])

    loaded, made = ["reading", "schema", "checks"], ["writer", "runs", "writer", "render", "runs", "writer"]
    assert [*loaded, *made, "problems"] == found  # which escapes what is printed
    assert 4 >= returns(found)


MOST_MODULES = {"render": 40, "apply": 58, "estimate": 58}
"""That a command with a FILE enters: each is one that a reader of its way must know."""
WITH_ESTIMATE = str(PACKAGE.parent / "values-examples" / "single-node.yaml")
TRACE = """
import sys
from pathlib import Path
from dsgen import cli
package, entered = Path(cli.__file__).parents[1], set()
def note(frame, event, _):
    if event == "call" and frame.f_code.co_name != "<module>":
        entered.add(frame.f_code.co_filename)
sys.setprofile(note)
code = cli.main(sys.argv[1:])
sys.setprofile(None)
inside = (Path(name) for name in entered if Path(name).is_relative_to(package))
print(*sorted(str(path.relative_to(package)) for path in inside), sep="\\n", file=sys.stderr)
sys.exit(code)
"""


def entered(*arguments: str) -> list[str]:
    """The modules that a command enters, by a trace of a new process."""
    done = subprocess.run([sys.executable, "-c", TRACE, *arguments], capture_output=True, text=True, check=True)
    modules = done.stderr.splitlines()
    print("\n".join(modules))  # with `pytest -s`
    assert len(modules) <= MOST_MODULES[arguments[0]]
    return modules


def test_a_printed_job_enters_few_modules() -> None:
    """Not the repository, the writer, the runs, the cluster and the API."""
    left_out = {"repository", "writer", "runs", "cluster", "api.py", "editing.py"}
    assert set() == left_out & {name.partition("/")[0] for name in entered("render", FILE)}


def test_an_estimate_enters_few_modules() -> None:
    entered("estimate", WITH_ESTIMATE)


def test_an_applied_job_enters_few_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = RecordedServer({"training/other": "running"})
    monkeypatch.setenv("KUBECONFIG", str(server.write_kubeconfig(tmp_path / "kubeconfig")))

    entered("apply", FILE)

    assert server.changes
    server.close()
