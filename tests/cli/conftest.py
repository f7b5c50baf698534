"""Fixtures: a folder with values files, and the command line run in it."""

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from dsgen.cli import main
from dsgen.writer import INDEX

MINIMAL = Path(__file__).parents[2] / "values-examples" / "minimal.yaml"
JOB = MINIMAL.read_text()
IMAGE = "image: {repository: registry.example.com/platform/deepspeed, tag: v1}\n"


class Result(NamedTuple):
    """What a call left: exit code, standard output and standard error."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with cifar.yaml, mnist.yaml and the overlay prod.yaml."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(MINIMAL, tmp_path / "cifar.yaml")
    (tmp_path / "mnist.yaml").write_text(MINIMAL.read_text().replace("cifar", "mnist"))
    (tmp_path / "prod.yaml").write_text("workers: {replicas: 4}\n")
    return tmp_path


@pytest.fixture
def cli(folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:  # noqa: ARG001 - the working folder
    """Run dsgen with these arguments, and this text on standard input."""

    def call(*arguments: str | Path, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main([str(argument) for argument in arguments])
        return Result(code, *capfd.readouterr())

    return call


@pytest.fixture
def repository(folder: Path) -> Path:
    """Two jobs of one name in two namespaces, and defaults with their image."""
    for path in folder.iterdir():
        path.unlink()
    put(folder / "dsgen.yaml", f"defaults:\n  {IMAGE}")
    put(folder / "jobs/a/values.yaml", job("cifar"))
    put(folder / "jobs/b/values.yaml", job("cifar", "research"))
    return folder


def job(name: str, namespace: str = "training", **lines: str) -> str:
    """A values file without an image."""
    text = JOB.replace("cifar", name).replace("namespace: training", f"namespace: {namespace}")
    kept = [line for line in text.splitlines() if not line.startswith("image:")]
    return "\n".join([*kept, *(f"{key}: {value}" for key, value in lines.items())]) + "\n"


def texts_in(folder: Path) -> dict[str, str]:
    """The files below a folder but the index."""
    return {name: content.decode() for name, content in bytes_in(folder).items() if Path(name).name != INDEX}


def bytes_in(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
