"""The objects of a run have the bytes that are written down for this minor version."""

from pathlib import Path

import pytest

from tests.contract import golden

HOW = "the bytes of a run have changed: tests/contract/README.md says what that needs"
UNRELEASED, RELEASED = "## [Unreleased]\n", "## [0.7.0] - 2026-11-23\n"


def test_the_objects_of_a_run_have_not_changed() -> None:
    expected = (golden.GOLDEN / "run.yaml").read_text(encoding="utf-8")

    assert expected == golden.present()["run.yaml"], HOW


def test_digests_become_scripts_again() -> None:
    made = [document.text for document in golden.documents()]

    assert made == [golden.with_scripts(golden.with_digests(text)) for text in made]
    assert 60 < sum(golden.with_digests(text).count(" sha256:") for text in made)


def test_every_newer_folder_is_announced() -> None:
    """Each minor version after the first that has golden files has them because its runs are written differently."""
    folders = sorted(path.name for path in golden.HERE.iterdir() if (path / "run.yaml").exists())
    changelog = golden.CHANGELOG.read_text(encoding="utf-8")

    assert folders
    for version in folders[1:]:
        heading = f"## [{version}.0]" if golden.is_released(version, changelog) else "## [Unreleased]"
        section = changelog.partition(heading)[2].partition("\n## ")[0]
        assert "- **New run id**" in section, f"{version} has golden files of its own; its changelog does not say why"


def test_only_the_newest_minor_version_may_be_unreleased() -> None:
    changelog = golden.CHANGELOG.read_text(encoding="utf-8")
    folders = {path.name for path in golden.HERE.iterdir() if (path / "run.yaml").exists()}

    assert set() == {name for name in folders - {golden.MINOR} if not golden.is_released(name, changelog)}


@pytest.mark.parametrize(
    ("changelog", "expected"),
    [
        (RELEASED, True),
        (UNRELEASED, False),
        ("## [0.7.0]\n", False),
        ("## [0.7.1] - 2026-11-23\n", False),
        ("## [0.70.0] - 2026-11-23\n", False),
        ("see ## [0.7.0] - 2026-11-23\n", False),
    ],
)
def test_a_version_with_a_date_in_the_changelog_is_released(changelog: str, expected: bool) -> None:
    assert expected is golden.is_released("0.7", changelog)


def test_make_contract_renews_until_the_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(UNRELEASED, encoding="utf-8")
    written = [golden.main(tmp_path, changelog)]
    (tmp_path / golden.MINOR / "run.yaml").write_text("old", encoding="utf-8")
    written += [golden.main(tmp_path, changelog)]
    made = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / golden.MINOR).iterdir()}

    (tmp_path / golden.MINOR / "run.yaml").write_text("released", encoding="utf-8")
    changelog.write_text(f"## [{golden.MINOR}.0] - 2026-11-23\n", encoding="utf-8")
    refused = golden.main(tmp_path, changelog)

    assert ([0, 0], 1) == (written, refused)
    assert golden.present() == made
    assert "released" == (tmp_path / golden.MINOR / "run.yaml").read_text(encoding="utf-8")
    assert "what was released never changes" in capsys.readouterr().err
