"""Helm would install every example, says the API server, in a namespace that enforces its Pod Security level.

test_admission.py gives it the manifests, more strictly than Helm does.
"""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from tests.e2e.cluster import Namespace
from tests.e2e.conftest import unavailable
from tests.helm import MAJORS, helm

pytestmark = pytest.mark.by_turns

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "deepspeed-job"
EXAMPLES = sorted((ROOT / "values-examples").glob("*.yaml"))
LEVELS = ("privileged", "baseline", "restricted")


@pytest.fixture(scope="module")
def spaces(namespaces: Callable[..., Namespace]) -> Mapping[str, Namespace]:
    """A namespace for each level."""
    return {level: namespaces(f"examples-{level}", level) for level in LEVELS}


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_helm_would_install_it(file: Path, major: int, spaces: Mapping[str, Namespace]) -> None:
    space = spaces[yaml.safe_load(file.read_text()).get("security", {}).get("podSecurityLevel", "baseline")]
    values = ["--values", str(file), "--set", f"namespace={space.name}"]
    command = [helm(major), "install", "example", str(CHART), "--namespace", space.name, *values, "--dry-run=server"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    if "ensure CRDs are installed first" in done.stderr:
        unavailable(f"{file.name} needs definitions in the cluster (tests/e2e/README.md): {done.stderr}")
    assert (0, True) == (done.returncode, "Watch the run:" in done.stdout), done.stderr
