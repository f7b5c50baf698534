"""The API server accepts everything that `dsgen gitops` can write, with strict validation."""

from pathlib import Path

import pytest

from tests.cli.test_gitops import EVERYTHING
from tests.e2e.cluster import kubectl
from tests.e2e.gitops.channels import ARGO, FLUX, need
from tests.e2e.training import dsgen

JOB = Path(__file__).parents[3] / "values-examples" / "minimal.yaml"


@pytest.mark.parametrize("arguments", EVERYTHING.values(), ids=EVERYTHING)
def test_the_api_server_takes_it(arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(ARGO if arguments[1].startswith("Application") else FLUX)
    monkeypatch.chdir(tmp_path)
    dsgen("gitops", str(JOB), "-d", "made", *arguments)

    said = kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "--filename", "made")

    written = [path for path in Path("made").glob("*.yaml") if path.name != "kustomization.yaml"]
    assert len(written) == len(said.splitlines()) > 0
    assert all(line.endswith("(server dry run)") for line in said.splitlines())
