"""The commands of docs/first-training.md, one after another, with the image of the tests."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.cluster import Namespace
from tools import docs

pytestmark = pytest.mark.by_turns
PAGE = docs.ROOT / "docs" / "first-training.md"


def commands() -> list[str]:
    """Those that write the job, and those that apply it; not those that make a cluster and an image."""
    blocks = [block for block in docs.BLOCK.finditer(PAGE.read_text()) if "first" in block["body"]]
    written = [step.command for block in blocks if block["language"] == "console" for step in docs.steps(block["body"])]
    applied = next(block["body"].splitlines() for block in blocks if "kubectl apply" in block["body"])
    return [*written, *applied]


def test_the_commands_of_the_page_lead_to_a_loss_that_falls(
    namespaces: Callable[..., Namespace], image: str, tmp_path: Path
) -> None:
    space = namespaces("first")
    docs.make_folder(tmp_path)
    path = f"{tmp_path}/.programs:{os.environ['PATH']}"
    printed = ""
    for command in commands():
        words = command.replace("-n first", f"-n {space.name}").replace("dsgen-first:1", image)
        if "create namespace" in words:
            continue  # it is there
        environment = {**os.environ, "PATH": path, "PYTHONPATH": str(docs.ROOT)}
        done = subprocess.run(
            ["bash", "-c", words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"$ {words}\n{done.stdout}{done.stderr}"
        printed = done.stdout
    losses = [float(loss) for loss in re.findall(r"step \d+ loss (\S+)", printed)]

    assert 20 == len(losses)
    assert losses[-1] < losses[0]
