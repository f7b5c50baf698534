"""The checks of the Pod Security Standards agree with the API server, rule by rule."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import yaml

from dsgen import values
from dsgen.reading.nodes import SourceText
from dsgen.reading.set_values import Override
from dsgen.render import render
from dsgen.values import Release
from tests.check_cases import FINE, GOOD, SECURITY
from tests.e2e.cluster import Namespace

pytestmark = pytest.mark.by_turns

RELEASE = Release("cifar", "training")
RULE = re.compile(r"forbids .* \((.*)\)$")
VIOLATES = "violates PodSecurity"
CREATE = ("--dry-run=server", "--validate=strict", "--filename", "-")
Spaces = Mapping[str, Namespace]


@pytest.fixture(scope="module")
def spaces(namespaces: Callable[..., Namespace]) -> Spaces:
    """A namespace for each level, which it enforces."""
    return {level: namespaces("security", level) for level in ("privileged", "baseline", "restricted")}


def loaded(sets: tuple[str, ...]) -> values.Job:
    job = values.load([SourceText("v.yaml", GOOD)], [Override("--set-json", one) for one in sets])
    assert job.values, job.diagnostics
    return job


def pods(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Launcher and worker as bare pods, so that the API server refuses them; of a Job it would only warn."""
    for document in render(data, RELEASE):
        job = yaml.safe_load(document.text)
        if job["kind"] == "Job":
            template = job["spec"]["template"]
            metadata = {"name": job["metadata"]["name"], "annotations": template["metadata"].get("annotations", {})}
            spec = {**template["spec"], "serviceAccountName": "default"}
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def answer(spaces: Spaces, sets: tuple[str, ...]) -> str:
    """What the API server says against the pods in a namespace of the declared level; nothing when it takes them."""
    complete = loaded(sets).values
    assert complete
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(pods(complete.data))})
    try:
        spaces[complete.data["security"]["podSecurityLevel"]].kubectl("create", *CREATE, text=text)
    except AssertionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("id_", "sets"), SECURITY)
def test_what_a_check_refuses_the_api_server_refuses(id_: str, sets: tuple[str, ...], spaces: Spaces) -> None:
    said = answer(spaces, sets)

    [rule] = {RULE.search(one.message) for one in values.check(loaded(sets), RELEASE) if one.id == id_}
    assert said
    if rule and VIOLATES in said:  # some are refused before anybody asks for the level
        assert rule[1] in said


@pytest.mark.parametrize("sets", [sets for sets in FINE if "ecurity" in str(sets)])
def test_what_the_checks_let_through_the_api_server_takes(sets: tuple[str, ...], spaces: Spaces) -> None:
    assert "" == answer(spaces, sets)
