"""The same values give the same bytes: in another process, time zone, locale, hash seed and folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dsgen.render import render
from dsgen.values import Release
from tests.cli.conftest import bytes_in
from tests.parity import load

EXAMPLES = sorted((Path(__file__).parent.parent / "values-examples").glob("*.yaml"))
WORLDS = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "2", "TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
    {"PYTHONHASHSEED": "3", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.ISO-8859-1", "PYTHONOPTIMIZE": "2"},
)


def made(world: dict[str, str], folder: Path, *arguments: str) -> dict[str, bytes]:
    """What a command writes in one world, and what it prints, under the name of no file."""
    folder.mkdir()
    command = [sys.executable, "-m", "dsgen", *arguments, "-d", "out"]
    printed = subprocess.run(command, cwd=folder, env={**os.environ, **world}, check=True, capture_output=True).stdout
    return {"": printed, **bytes_in(folder / "out")}


@pytest.mark.parametrize("command", ["render", "chart"])
def test_same_bytes_in_every_world(tmp_path: Path, command: str) -> None:
    example = str(next(path for path in EXAMPLES if path.stem == "nfs-persistent-volume"))
    first, *others = [made(world, tmp_path / str(number), command, example) for number, world in enumerate(WORLDS)]

    assert len(first) > 5
    for other in others:
        assert first == other


def test_the_order_of_keys_does_not_matter() -> None:
    text = next(path for path in EXAMPLES if path.stem == "minimal").read_text()
    above, training = text.split("\ntraining:\n")
    release = Release("a", "b")

    assert render(load(text), release) == render(load(f"training:\n{training}{above}\n"), release)
