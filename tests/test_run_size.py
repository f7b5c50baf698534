"""The size of a run in a repository: the scripts once for a job, and little else."""

import json
from pathlib import Path

import pytest

from dsgen.language.functions import SHIPPED, compute_digest
from dsgen.runs.rendered import name_file
from tests.parity import parsed
from tests.test_golden import is_needed
from tests.test_objects import documents, objects

PACKAGE = Path(__file__).parent.parent / "dsgen"
CASE = Path(__file__).parent / "contract" / "values.yaml"
"""A job that uses a little of everything."""
SCRIPTS_BYTES = 150 * 1024
"""Of a ConfigMap with scripts, as the API server counts it: keys and texts. With a third more, it is 200 KiB."""
RUN_BYTES = 32 * 1024
"""All other objects of a run with 64 workers."""


def job(run: str = "1") -> dict[str, str]:
    """Name of the file -> text, of a job with 64 workers."""
    names = f"{{name: cifar, namespace: training, run: {{id: '{run}'}}}}"
    made = documents(CASE.read_text(), names, "workers: {replicas: 64}")
    return {name_file(document.text): document.text for document in made if document.scope == "run"}


def size(*texts: str) -> int:
    return sum(len(text.encode()) for text in texts)


def test_the_scripts_keep_their_budget() -> None:
    """The failure says how much is left."""
    scripts = {name: parsed(text)["data"] for name, text in job().items() if "-scripts-" in name}
    left = {name: SCRIPTS_BYTES - size(*data, *data.values()) for name, data in scripts.items()}

    assert len(left) == 5
    assert {} == {name: number for name, number in left.items() if number < 0}, left


def test_client_side_apply_can_carry_the_scripts() -> None:
    """kubectl keeps the object in an annotation, and those of an object may have 256 KiB."""
    kept = [json.dumps(parsed(text)) for name, text in job().items() if "-scripts-" in name]

    assert max(map(size, kept)) * 4 / 3 <= 256 * 1024


def test_the_rest_of_a_run_keeps_its_budget() -> None:
    assert size(*(text for name, text in job().items() if "-scripts-" not in name)) <= RUN_BYTES


def test_scripts_are_frozen_objects_named_by_their_content() -> None:
    """One for each folder, with the text of the source."""
    made = objects(CASE.read_text(), "{name: cifar}")
    found = {}
    for name, thing in made.items():
        if "-scripts-" in name:
            _, _, folder, content = name.removeprefix("ConfigMap/").split("-")
            assert (content, True) == (compute_digest(SHIPPED.texts, "**"), thing["immutable"])
            found |= {f"scripts/{folder}/{key}": text for key, text in thing["data"].items()}

    assert found == {path: text for path, text in SHIPPED.texts.items() if is_needed(path, "pdsh")}
    source = [path for path in PACKAGE.glob("scripts/*/*") if path.suffix in (".conf", ".json", ".py", ".sh")]
    assert SHIPPED.texts == {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in source}


@pytest.mark.parametrize(
    "other", [{"scripts/a": "1", "scripts/b": "3"}, {"scripts/a": "1"}, {"scripts/a": "1", "scripts/c": "2"}]
)
def test_another_content_is_another_digest(other: dict[str, str]) -> None:
    texts = {"scripts/a": "1", "scripts/b": "2"}

    assert compute_digest(texts, "**") == compute_digest(dict(reversed(texts.items())), "**")
    assert compute_digest(texts, "**") != compute_digest(other, "**")


def test_the_settings_of_a_run_replace_no_script() -> None:
    made = objects(CASE.read_text(), "{name: cifar, launch: {method: pdsh}, training: {setup: 'true'}}")
    scripts = made[f"ConfigMap/cifar-scripts-shared-{compute_digest(SHIPPED.texts, '**')}"]["data"]

    assert not scripts.keys() & made["ConfigMap/cifar-1-config"]["data"].keys()
