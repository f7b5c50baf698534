"""The size of a run in a repository: the scripts once for a job, and little for every further run."""

import difflib
from pathlib import Path

import pytest

from dsgen.language.files import SHIPPED, digest
from dsgen.runs.rendered import file_name
from tests.parity import parsed
from tests.test_objects import documents, objects

CASE = Path(__file__).parent / "contract" / "values.yaml"
"""A job that uses a little of everything."""
SCRIPTS_BYTES = 200 * 1024
"""As the API server counts a ConfigMap: keys and texts."""
RUN_BYTES = 32 * 1024
"""All other objects of a run with 64 workers."""
CHANGED_BYTES = 16 * 1024
"""What a new run of an unchanged job adds to the text of a repository, and what it removes."""


def job(run: str = "1") -> dict[str, str]:
    """Name of the file -> text, of a job with 64 workers."""
    names = f"{{name: cifar, namespace: training, run: {{id: '{run}'}}}}"
    made = documents(CASE.read_text(), names, "workers: {replicas: 64}")
    return {file_name(document.text): document.text for document in made if document.scope == "run"}


def size(*texts: str) -> int:
    return sum(len(text.encode()) for text in texts)


def test_the_scripts_keep_their_budget() -> None:
    (scripts,) = [parsed(text)["data"] for name, text in job().items() if "-scripts-" in name]

    assert size(*scripts, *scripts.values()) <= SCRIPTS_BYTES


def test_the_rest_of_a_run_keeps_its_budget() -> None:
    assert size(*(text for name, text in job().items() if "-scripts-" not in name)) <= RUN_BYTES


def test_a_new_run_is_a_small_change() -> None:
    """The scripts stay as they are; each other file is one of the new run in place of one of the old."""
    first, second = job("1"), job("2")
    renamed = {name: name.replace("cifar-1", "cifar-2") for name in first}
    assert set(renamed.values()) == set(second)
    (scripts,) = [name for name in first if "-scripts-" in name]
    assert first[scripts] == second[scripts]
    lines = [
        line
        for name, text in first.items()
        for line in difflib.ndiff(text.splitlines(keepends=True), second[renamed[name]].splitlines(keepends=True))
    ]

    added, removed = (size(*(line[2:] for line in lines if line.startswith(sign))) for sign in ("+ ", "- "))
    assert 0 < added <= CHANGED_BYTES
    assert 0 < removed <= CHANGED_BYTES


def test_scripts_are_a_frozen_object_named_by_their_content() -> None:
    data = SHIPPED.texts
    name = f"ConfigMap/cifar-scripts-{digest(data, '*')}"
    made = objects(CASE.read_text(), "{name: cifar}")

    assert made[name]["data"] == {path.removeprefix("scripts/"): text for path, text in data.items()}
    assert made[name]["immutable"] is True


@pytest.mark.parametrize(
    "other", [{"scripts/a": "1", "scripts/b": "3"}, {"scripts/a": "1"}, {"scripts/a": "1", "scripts/c": "2"}]
)
def test_another_content_is_another_digest(other: dict[str, str]) -> None:
    texts = {"scripts/a": "1", "scripts/b": "2"}

    assert digest(texts, "*") == digest(dict(reversed(texts.items())), "*")
    assert digest(texts, "*") != digest(other, "*")


def test_no_script_hides_a_file_of_the_run() -> None:
    """Both ConfigMaps are one folder in the pods."""
    made = objects(CASE.read_text(), "{name: cifar, launch: {method: pdsh}, training: {setup: 'true'}}")
    (config,) = [thing["data"] for name, thing in made.items() if name.endswith("-config")]
    (scripts,) = [thing["data"] for name, thing in made.items() if "-scripts-" in name]

    assert set() == set(config) & set(scripts)
    for role in ("launcher", "worker"):
        volumes = made[f"Job/cifar-1-{role}"]["spec"]["template"]["spec"]["volumes"]
        (sources,) = [volume["projected"]["sources"] for volume in volumes if volume["name"] == "dsgen-config"]
        assert [f"ConfigMap/{source['configMap']['name']}" for source in sources] == [
            name for name in made if name.endswith("-config") or "-scripts-" in name
        ]
