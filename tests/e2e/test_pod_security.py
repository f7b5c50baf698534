"""The checks of the Pod Security Standards agree with the API server, rule by rule."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import yaml

from dsgen import values
from dsgen.compiler.rules import Case
from dsgen.render import render
from dsgen.values import Release
from tests.base import RIGHT, WRONG, job, parameters
from tests.e2e.cluster import Namespace

pytestmark = pytest.mark.by_turns

RELEASE = Release("cifar", "training")
RULE = re.compile(r"forbids .* \((.*)\)$")
STANDARDS = {f"DS{number}" for number in range(320, 338)}
VIOLATES = "violates PodSecurity"
CREATE = ("--dry-run=server", "--validate=strict", "--filename", "-")
Spaces = Mapping[str, Namespace]


@pytest.fixture(scope="module")
def spaces(namespaces: Callable[..., Namespace]) -> Spaces:
    """A namespace for each level, which it enforces."""
    return {level: namespaces("security", level) for level in ("privileged", "baseline", "restricted")}


def pods(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Launcher and worker as bare pods, so that the API server refuses them; of a Job it would only warn."""
    for document in render(data, RELEASE):
        job = yaml.safe_load(document.text)
        if job["kind"] == "Job":
            template = job["spec"]["template"]
            metadata = {"name": job["metadata"]["name"], "annotations": template["metadata"].get("annotations", {})}
            spec = {**template["spec"], "serviceAccountName": "default"}
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def answer(spaces: Spaces, case: Case) -> str:
    """What the API server says against the pods in a namespace of the declared level; nothing when it takes them."""
    complete = job(case).data
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(pods(complete))})
    try:
        spaces[complete["security"]["podSecurityLevel"]].kubectl("create", *CREATE, text=text)
    except AssertionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("id_", "case"), parameters([one for one in WRONG if one[0] in STANDARDS]))
def test_what_a_check_refuses_the_api_server_refuses(id_: str, case: Case, spaces: Spaces) -> None:
    said = answer(spaces, case)

    [rule] = {RULE.search(one.message) for one in values.check(job(case), RELEASE) if one.id == id_}
    assert said
    if rule and VIOLATES in said:  # some are refused before anybody asks for the level
        assert rule[1] in said


@pytest.mark.parametrize(("_", "case"), parameters([one for one in RIGHT if "ecurity" in str(one[1])]))
def test_what_the_checks_let_through_the_api_server_takes(_: str, case: Case, spaces: Spaces) -> None:
    assert "" == answer(spaces, case)
