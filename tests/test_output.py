"""Rules for all output, tested with every example."""

import functools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from yamllint import linter
from yamllint.config import YamlLintConfig

from dsgen.render import Document, render
from dsgen.values import Release
from tests.parity import load, parsed

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "values-examples").glob("*.yaml"))
LINT = YamlLintConfig((ROOT / ".yamllint").read_text())
SCRIPTS = "scripts/"
LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def documents(request: pytest.FixtureRequest) -> list[Document]:
    """The objects of one example."""
    path: Path = request.param
    data = load(path.read_text())
    return render(data, Release(data["name"], data["namespace"]))


def objects(documents: list[Document]) -> list[dict[str, Any]]:
    return [parsed(document.text) for document in documents]


@functools.cache
def linted(text: str) -> list[str]:
    """What yamllint says; of a text that several examples have, it is asked once."""
    return [str(problem) for problem in linter.run(text, LINT)]


@pytest.mark.slow
def test_yamllint_is_clean(documents: list[Document]) -> None:
    """The scripts are the same in all examples, and long: they are linted apart from the heads of their objects."""
    texts = [document.text for document in documents if not document.template.startswith(SCRIPTS)]
    for document in documents:
        if document.template.startswith(SCRIPTS):
            head, data, rest = document.text.partition("\ndata:\n")
            assert len(rest) > 10_000
            texts += [head + "\n", data[1:] + rest]

    assert [] == [problem for text in texts for problem in linted(text)]


def test_every_document_is_one_object_that_ends_in_a_newline(documents: list[Document]) -> None:
    for document in documents:
        assert (1, True, False) == (
            len(list(yaml.load_all(document.text, yaml.CSafeLoader))),
            document.text.endswith("\n"),
            document.text.endswith("\n\n"),
        )


def test_names_fit(documents: list[Document]) -> None:
    for each in objects(documents):
        name = each["metadata"]["name"]
        if each["kind"] in ("PersistentVolume", "ServiceAccount", "Role", "RoleBinding"):  # their names may have dots
            assert all(LABEL.fullmatch(part) for part in name.split("."))
        elif each["kind"] == "Job" and "completions" in each["spec"]:
            assert LABEL.fullmatch(f"{name}-{each['spec']['completions'] - 1}")
        else:
            assert LABEL.fullmatch(name)


def test_every_object_says_whose_it_is(documents: list[Document]) -> None:
    for each, document in zip(objects(documents), documents, strict=True):
        labels = each["metadata"]["labels"]
        assert {"app.kubernetes.io/managed-by", "dsgen.dev/job"} <= set(labels)
        is_shared = labels["app.kubernetes.io/component"] == "scripts"  # by the runs of the job
        assert (document.scope == "run" and not is_shared) == ("dsgen.dev/run" in labels)
