"""Patterns of files in dsgen.yaml."""

from pathlib import Path

import pytest

from dsgen.repository import globs
from dsgen.writer import INDEX

PATHS = [
    *("jobs/a/values.yaml", "jobs/b/values.yaml", "jobs/b/deep/values.yaml", "jobs/top.yaml"),
    *("jobs/.hidden/values.yaml", "rendered/a/job.yaml", f"rendered/a/{INDEX}", "x.yaml"),
]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("jobs/*/values.yaml", ["jobs/a/values.yaml", "jobs/b/values.yaml"]),
        ("jobs/**/values.yaml", ["jobs/a/values.yaml", "jobs/b/deep/values.yaml", "jobs/b/values.yaml"]),
        ("jobs/**", ["jobs/a/values.yaml", "jobs/b/deep/values.yaml", "jobs/b/values.yaml", "jobs/top.yaml"]),
        ("jobs/t?p.yaml", ["jobs/top.yaml"]),
        ("./x.yaml", ["x.yaml"]),
        ("jobs/.hidden/*.yaml", ["jobs/.hidden/values.yaml"]),
        ("**/job.yaml", []),  # dsgen wrote that folder
        ("jobs", []),
    ],
)
def test_a_pattern_means_files(pattern: str, expected: list[str], tmp_path: Path) -> None:
    for path in PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()

    assert expected == sorted(globs.find_files(str(tmp_path), pattern))
    assert expected == [
        path for path in sorted(PATHS) if globs.matches(path, pattern) and not path.startswith("rendered")
    ]


@pytest.mark.parametrize("pattern", ["jobs/*/values.yaml", "jobs/**/values.yaml", "**/v*.yaml"])
@pytest.mark.parametrize(
    ("target", "leads"),
    [("out", True), ("out/deep", True), ("none", False), ("rendered", False), ("loop", False), ("many", True)],
)
def test_a_link_to_a_folder_is_named_if_it_leads_to_a_match(
    pattern: str, target: str, leads: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(globs, "MOST_BEHIND_LINKS", 20)
    for path in ("out/values.yaml", "out/deep/values.yaml", "none/notes.txt", "many/x", f"rendered/{INDEX}"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "rendered" / "values.yaml").touch()
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop" / "loop").symlink_to(".")
    for number in range(20):
        (tmp_path / "many" / str(number)).touch()
    (tmp_path / "root" / "jobs").mkdir(parents=True)
    for name in ("a", ".a"):
        (tmp_path / "root" / "jobs" / name).symlink_to(tmp_path / target)

    assert ["jobs/a"] * leads == list(globs.find_files(str(tmp_path / "root"), pattern))
    assert [] == list(globs.find_files(str(tmp_path / "root"), pattern, into_written=True))


def test_many_stars_take_no_time() -> None:
    assert not globs.matches("/".join(["a" * 200] * 30), "/".join(["**", "*a" * 40 + "b"] * 15))


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("README.md", "../README.md"),
        (".#notes", "me@host.1:2"),
        ("gone", "nowhere"),
        ("loop", "loop"),
        (".cache", "/etc"),
        ("a/notes.txt", "../../README.md"),
        ("socket", "/dev/null"),
    ],
)
def test_a_link_that_no_pattern_matches_is_not_named(tmp_path: Path, name: str, target: str) -> None:
    """An editor leaves such links while a file is edited."""
    (tmp_path / "README.md").write_text("")
    (tmp_path / "jobs" / "a").mkdir(parents=True)
    (tmp_path / "jobs" / "a" / "values.yaml").write_text("")
    (tmp_path / "jobs" / name).symlink_to(target)

    assert ["jobs/a/values.yaml"] == list(globs.find_files(str(tmp_path), "jobs/*/values.yaml"))
