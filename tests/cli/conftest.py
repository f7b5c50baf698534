"""Fixtures: a folder with values files, and the command line run in it."""

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from dsgen.cli import main

MINIMAL = Path(__file__).parents[2] / "values-examples" / "minimal.yaml"


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
