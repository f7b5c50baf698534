"""A repository of jobs that one release of dsgen rendered, and another one renders again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dsgen import __version__
from dsgen.generated.digest import SCRIPTS
from dsgen.language.environment import PACKAGE
from tests.cli.conftest import MINIMAL

OLD = "0.0.9"
OLD_SCRIPTS = "0123456789"
JOBS = ("cifar", "mnist", "sst")
VALUES = MINIMAL.read_text() + "lifecycle:\n  suspend: false\n"

# What a release may do to every object, whatever renders them: another text, and another name of the identity.
OTHER_TEMPLATES = """

_present = render


def render(values, release):
    return [
        one._replace(text="# by another release\\n" + one.text.replace(".launcher\\"", ".old\\""))
        for one in _present(values, release)
    ]
"""


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with another release of dsgen: its version, scripts, templates and defaults are others."""
    folder = tmp_path_factory.mktemp("release")
    package = folder / "dsgen"
    shutil.copytree(PACKAGE, package)
    edit(package / "__init__.py", __version__, OLD)
    for module in (package / "generated").glob("*.py"):
        module.write_text(module.read_text().replace(SCRIPTS, OLD_SCRIPTS))
    for script in (package / "scripts").glob("*/*.py"):
        script.write_text(script.read_text() + "# other words\n")
    schema = package / "schema" / "values.json"
    content = json.loads(schema.read_text())
    content["properties"]["lifecycle"]["properties"]["orphanTimeoutSeconds"]["default"] += 7
    schema.write_text(json.dumps(content))
    module = package / "render.py" if (package / "render.py").exists() else package / "render" / "__init__.py"
    module.write_text(module.read_text() + OTHER_TEMPLATES)
    return folder


@pytest.fixture(scope="session")
def repository(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Values files, and the manifests and a chart as the other release wrote them."""
    folder = tmp_path_factory.mktemp("repository")
    for name in JOBS:
        (folder / f"{name}.yaml").write_text(VALUES.replace("cifar", name))
    by(release, folder, "render", *(f"{name}.yaml" for name in JOBS), "-d", "out")
    by(release, folder, "chart", "cifar.yaml", "-d", "chart")
    return folder


@pytest.fixture
def upgraded(repository: Path, folder: Path) -> Path:
    """A copy of the repository, the working folder."""
    shutil.copytree(repository, folder, dirs_exist_ok=True)
    return folder


def by(release: Path, folder: Path, *arguments: str) -> None:
    """Run a release."""
    environment = {**os.environ, "PYTHONPATH": str(release)}
    subprocess.run([sys.executable, "-m", "dsgen", *arguments], cwd=folder, env=environment, check=True)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new))


def of_identity(files: dict[str, str]) -> dict[str, str]:
    """The files of ServiceAccounts, Roles and RoleBindings that the other release named differently."""
    return {path: text for path, text in files.items() if path.endswith(".old.yaml")}


def of_run(files: dict[str, str]) -> dict[str, str]:
    """The files of runs, which have their label, and their scripts."""
    return {path: text for path, text in files.items() if "dsgen.dev/run:" in text or "-scripts-" in path}


FILES = [f"{name}.yaml" for name in JOBS]
