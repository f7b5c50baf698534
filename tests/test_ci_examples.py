"""The steps of the workflows in docs/ci.md, run one after another as a runner would."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tools import docs

PAGE = docs.ROOT / "docs" / "ci.md"
BLOCKS = {
    block["file"]: yaml.safe_load(block["body"]) for block in docs.BLOCK.finditer(PAGE.read_text()) if block["file"]
}
STEPS = {
    "github": [step["run"] for step in BLOCKS["github.yaml"]["jobs"]["check"]["steps"] if "run" in step],
    "gitlab": BLOCKS["gitlab.yaml"]["check"]["script"],
}
INSTALL = 'pip install "$DSGEN_PACKAGE"'
SETTINGS = """
jobs: ["*.yaml"]
argocd: {repository: "https://git.example.com/jobs.git"}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of one job, rendered."""
    docs.make_folder(tmp_path)
    for name in ("mnist.yaml", "prod.yaml"):
        (tmp_path / name).unlink()
    (tmp_path / "dsgen.yaml").write_text(SETTINGS)
    for command in ("dsgen render", "dsgen gitops"):
        assert 0 == docs.run(command, tmp_path).returncode
    return tmp_path


def ran(steps: list[str], folder: Path) -> list[tuple[str, subprocess.CompletedProcess[str]]]:
    """Each step and what it did, up to the first that fails; the installation is that of these tests."""
    done = []
    for step in steps:
        if step != INSTALL:
            done.append((step, docs.run(step, folder)))
            if done[-1][1].returncode:
                break
    return done


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_a_repository_that_is_up_to_date_passes(steps: list[str], checkout: Path) -> None:
    done = ran(steps, checkout)

    assert [0, 0, 0] == [each.returncode for _, each in done]
    assert INSTALL in steps


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize(
    ("change", "failing"),
    [
        (("cifar.yaml", r"name: cifar", "name: Cifar"), "dsgen validate"),
        (("cifar.yaml", r"replicas: \d+", "replicas: 3"), "dsgen render --check"),
        (("dsgen.yaml", r"jobs.git", "other.git"), "dsgen gitops --check"),
    ],
)
def test_what_was_forgotten_fails_its_step(
    steps: list[str], checkout: Path, change: tuple[str, str, str], failing: str
) -> None:
    name, old, new = change
    path = checkout / name
    path.write_text(re.sub(old, new, path.read_text(), count=1))

    step, done = ran(steps, checkout)[-1]

    assert step.startswith(failing)
    assert 1 == done.returncode


def test_problems_stand_at_the_lines_of_a_pull_request(checkout: Path) -> None:
    path = checkout / "cifar.yaml"
    path.write_text(path.read_text().replace("name: cifar", "name: Cifar"))

    _, done = ran(STEPS["github"], checkout)[-1]

    assert re.search(r"^::error file=cifar\.yaml,line=\d+", done.stdout, re.MULTILINE)
