"""The API server accepts the effect of each key of the values, under the Pod Security level of the values."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.cluster import Namespace
from tests.parity import flat_objects, load
from tests.test_keys import CASES, Case

pytestmark = pytest.mark.by_turns

ACCEPT = ("create", "--dry-run=server", "--validate=strict", "--warnings-as-errors", "--filename", "-")
LEVELS = ("privileged", "baseline", "restricted")


def things(case: Case, namespace: str) -> Iterator[dict[str, Any]]:
    """The objects of a case in this namespace, and its pods without the Jobs around them.

    Of a Job whose pods it would refuse, the API server only warns.
    """
    for text in flat_objects(case.text).values():
        thing = json.loads(text)
        if "namespace" in thing["metadata"]:
            thing["metadata"]["namespace"] = namespace
        yield thing
        if thing["kind"] == "Job":
            template = thing["spec"]["template"]
            metadata = {**template["metadata"], "name": thing["metadata"]["name"], "namespace": namespace}
            # the classes and the account are objects of the cluster's owner
            spec = {key: part for key, part in template["spec"].items() if not key.endswith("ClassName")}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
            yield {**pod, "spec": {**spec, "serviceAccountName": "default"}}


@pytest.mark.parametrize("level", LEVELS)
def test_accepted(level: str, namespaces: Callable[..., Namespace]) -> None:
    space = namespaces(f"keys-{level}", level)
    cases = [case for case in CASES if load(case.text)["security"]["podSecurityLevel"] == level]
    unique = {json.dumps(thing, sort_keys=True): thing for case in cases for thing in things(case, space.name)}
    assert unique

    answer = space.kubectl(*ACCEPT, text=json.dumps({"apiVersion": "v1", "kind": "List", "items": [*unique.values()]}))

    assert len(unique) == answer.count("created (server dry run)")
