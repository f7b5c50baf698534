"""The objects of a run have the same bytes as in the first release of this minor version."""

from collections import Counter
from pathlib import Path

import pytest

from tests.contract import golden
from tests.parity import parsed

ROOT = Path(__file__).parent.parent.parent
HOW = "the bytes of a run have changed: tests/contract/README.md says what that needs"


def test_the_objects_of_a_run_have_not_changed() -> None:
    expected = (golden.GOLDEN / "run.yaml").read_text(encoding="utf-8")

    assert expected == golden.present()["run.yaml"], HOW


def test_the_job_uses_a_little_of_everything() -> None:
    kinds = Counter(parsed(document.text)["kind"] for document in golden.documents())

    assert {"Job": 2, "ConfigMap": 4, "Secret": 1, "Service": 2, "PersistentVolumeClaim": 1}.items() <= kinds.items()


def test_every_newer_folder_is_announced() -> None:
    """Each minor version after the first that has golden files has them because its runs are written differently."""
    folders = sorted(path.name for path in golden.HERE.iterdir() if (path / "run.yaml").exists())
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert folders
    for version in folders[1:]:
        section = changelog.partition(f"## [{version}.0]")[2].partition("\n## ")[0]
        assert "- **New run id**" in section, f"{version} has golden files of its own; its changelog does not say why"


def test_golden_files_are_never_written_over(tmp_path: Path) -> None:
    golden.write(tmp_path / "0.1", {"run.yaml": "a\n"})

    with pytest.raises(FileExistsError):
        golden.write(tmp_path / "0.1", {"run.yaml": "b\n"})

    assert "a\n" == (tmp_path / "0.1" / "run.yaml").read_text(encoding="utf-8")
