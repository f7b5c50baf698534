"""Runs the commands of the documentation, so that it always shows their real output.

In a Markdown file, a block marked `console` has commands after `$ `, each followed by its output; a line `...` stands
for any lines. A comment `<!-- file NAME -->` on the line before a block makes the block the file NAME. All commands of
a page run in one folder, which contains values-examples/, the files of the page, and the three files of the help texts.
Their clusters have recorded objects of real ones (tests/cluster/server.py).
"""

import contextlib
import functools
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import yaml

from dsgen.cli import main
from tests.cluster.server import RecordedServer

ROOT = Path(__file__).parent.parent
PYTHON = Path(sys.executable).absolute()  # a PATH may name it relative to the present folder
BLOCK = re.compile(
    r"^(?:<!-- file (?P<file>\S+) -->\n)?```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
PLAIN = re.compile(r"""dsgen (?:[^'"\\|<>;&$*?#`(){}\[\]~\n]|'[^']*'|"[^"$`\\]*")*""")
"""A command line of dsgen for which no shell has more to do than to find its words."""
STUMBLED = re.compile(
    "internal error, please report it|^Traceback [(]|: command not found$|: pipx inject ", re.MULTILINE
)
ANY_LINES = "...\n"
GENERATED = ("options.md", "causes.md")


class Step(NamedTuple):
    """A command of a console block, and its output."""

    command: str
    output: str


def pages() -> list[Path]:
    """All documentation that is written by hand."""
    written = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    return sorted(path for path in written if path.name not in GENERATED)


def make_folder(folder: Path) -> None:
    """Fill a folder with the files that the examples use."""
    shutil.copytree(ROOT / "values-examples", folder / "values-examples")
    minimal = (ROOT / "values-examples" / "minimal.yaml").read_text()
    (folder / "cifar.yaml").write_text(minimal)
    (folder / "mnist.yaml").write_text(minimal.replace("cifar", "mnist"))
    (folder / "prod.yaml").write_text("workers: {replicas: 4}\n")
    write_kubeconfig(folder / ".kubeconfig")
    programs = folder / ".programs"
    programs.mkdir()
    for name, arguments in {"dsgen": " -m dsgen", "python": ""}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{PYTHON}"{arguments} "$@"\n')
        (programs / name).chmod(0o755)


def write_kubeconfig(path: Path) -> None:
    """A kubeconfig with all clusters; the present context is that of the first one."""
    whole: dict[str, Any] = {}
    for name, server in _servers().items():
        one = yaml.safe_load(server.write_kubeconfig(path).read_text())
        one["contexts"][0]["name"] = one["contexts"][0]["context"]["cluster"] = one["clusters"][0]["name"] = name
        whole = {
            "current-context": whole.get("current-context", name),
            **{key: [*whole.get(key, ()), *one[key]] for key in ("contexts", "clusters")},
            "users": one["users"],
        }
    path.write_text(yaml.safe_dump(whole))


@functools.cache
def _servers() -> dict[str, RecordedServer]:
    """The clusters of the examples: one with a job that runs and one that waits, and one with a measured run."""
    return {"recorded": RecordedServer(), "processors": RecordedServer({"training/tiny": "measured"})}


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line as a reader would, with standard error and standard output together.

    Raises AssertionError for a traceback, an internal error, a missing command or a missing package, which a page must
    not show.
    """
    environment = {
        "PATH": f"{folder}/.programs:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "KUBECONFIG": f"{folder}/.kubeconfig",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
    }
    if PLAIN.fullmatch(command):
        done = _run_dsgen(command, folder, environment)
    else:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            text=True,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    assert not STUMBLED.search(done.stdout), f"$ {command}\n{done.stdout}"
    return done


def _run_dsgen(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run dsgen in this process, which takes a fraction of the time."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    streams: dict[str, Any] = {"stdin": io.TextIOWrapper(io.BytesIO()), "stdout": printed, "stderr": printed}
    variables = mock.patch.dict(os.environ, environment, clear=True)
    with contextlib.chdir(folder), variables, mock.patch.multiple(sys, **streams):
        code = main(shlex.split(command)[1:])
    return subprocess.CompletedProcess(command, code, printed.buffer.getvalue().decode())


def steps(body: str) -> Iterator[Step]:
    """The commands of a console block."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Step(command, output)


def refreshed(page: str, folder: Path) -> str:
    """The page with the present output in every console block; blocks with `...` that still match are unchanged."""

    def block(match: re.Match[str]) -> str:
        if match["file"]:
            write(folder / match["file"], match["body"])
        if match["language"] != "console":
            return match[0]
        return match[0].replace(match["body"], "".join(_refreshed_step(step, folder) for step in steps(match["body"])))

    return BLOCK.sub(block, page)


def write(path: Path, text: str) -> None:
    """Write a file of a page, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _refreshed_step(step: Step, folder: Path) -> str:
    printed = run(step.command, folder).stdout
    shown = step.output if matches(step.output, printed) else printed
    return f"$ {step.command}\n{shown}"


def matches(shown: str, printed: str) -> bool:
    """Whether a text is the printed output; `...` lines stand for any lines."""
    parts = [re.escape(part) for part in re.split(rf"^{re.escape(ANY_LINES)}", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed) is not None
