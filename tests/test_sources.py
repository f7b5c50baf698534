"""The origin of dsgen and of actions: no tracked file installs dsgen by its name, or uses an action by a tag.

The package `dsgen` in the Python package index is the program of another author.
"""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import dsgen
from tools import docs

ROOT = docs.ROOT
NAME = r"dsgen(?:[-_.]k8s)?(?:\[[^]]*\])?"
BY_NAME = re.compile(
    rf"""
    \b(?:(?:pipx?3?|uv|poetry|pdm|conda|mamba)\s(?:\S+\s)*?(?:install|inject(?!\s{NAME}\b)|upgrade|add|run)|uvx)\s
      (?:[^|;&`\n]*\s)?["']?{NAME}(?=[\s"'`=<>~!]|$)  # a command
    | [\s"'`\[]{NAME}\s?(?:===?|~=|!=|[<>]=?)\s?v?[0-9]  # a requirement with a version
    | \bDSGEN_PACKAGE\s*[:=]\s*["']?{NAME}(?=[\s"']|$)  # the variable with the name
    | \badditional_dependencies\b.*[\s"'\[]{NAME}(?=[\s"',\]]|$)  # a hook
    """,
    re.VERBOSE,
)
PINNED = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$")


def tracked() -> Iterator[tuple[str, str]]:
    """Path and text of all tracked files, without this one and pictures."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in filter(None, listed.split("\0")):
        if (ROOT / path) != Path(__file__) and not path.endswith((".png", ".svg")):
            yield path, (ROOT / path).read_text(errors="replace")


def by_name(text: str) -> list[str]:
    """The lines that ask a package index for dsgen."""
    return [line for line in text.splitlines() if BY_NAME.search(line)]


def test_nothing_installs_dsgen_by_its_name() -> None:
    assert {} == {path: lines for path, text in tracked() if (lines := by_name(text))}


def test_the_readme_says_how_dsgen_is_installed() -> None:
    readme = (ROOT / "README.md").read_text()

    assert "DSGEN_PACKAGE=https://" in readme
    assert 1 == readme.count("is the program of another author")


def test_installations_name_the_version_of_dsgen() -> None:
    named = re.compile(r"(?:dsgen_k8s-|dsgen\.git@v|releases/download/v|tag --sign v|\b(?:rev|ref): v)([\d.]+\d)")
    found = [(path, version) for path, text in tracked() if "tests" not in path for version in named.findall(text)]

    assert {"README.md", "docs/ci.md", "ci/gitlab.yml"} <= {path for path, _ in found}
    assert [] == [each for each in found if each[1] != dsgen.__version__]


def test_every_ignore_has_its_reason() -> None:
    bare = re.compile(r"# (?:type: ignore|noqa)(?:: ?[A-Z0-9, ]+|\[[\w, -]+\])?\s*$", re.MULTILINE)

    assert {} == {path: lines for path, text in tracked() if path.endswith(".py") and (lines := bare.findall(text))}


def actions() -> Iterator[tuple[str, str]]:
    """The path of each file, with each action that it uses, with the comment."""
    for path, text in tracked():
        if path.endswith((".md", ".yml", ".yaml")):
            for action in re.findall(r"^ *(?:- )?uses: +(.*?) *$", text, re.MULTILINE):
                yield path, action


def test_actions_are_pinned_to_one_commit() -> None:
    used = [*actions()]
    commits = defaultdict(set)
    for _, action in used:
        commits[action.partition("@")[0]].add(action)

    assert [] == [(path, action) for path, action in used if not PINNED.match(action)]
    assert {} == {name: different for name, different in commits.items() if len(different) > 1}
    assert {"actions/checkout", "actions/setup-python"} < commits.keys()


def workflows() -> dict[str, str]:
    """All workflows of GitHub: those of the project, and whole ones in the documentation."""
    found = {path.name: path.read_text() for path in (ROOT / ".github" / "workflows").iterdir()}
    for page in docs.pages():
        for number, block in enumerate(docs.BLOCK.finditer(page.read_text())):
            if block["language"] == "yaml" and re.search(r"^on: ", block["body"], re.MULTILINE):
                found[f"{page.name} {number}"] = block["body"]
    return found


@pytest.mark.parametrize("text", workflows().values(), ids=workflows())
def test_a_workflow_gets_no_more_permissions_than_it_needs(text: str) -> None:
    assert yaml.safe_load(text)["permissions"] in ({}, {"contents": "read"})
