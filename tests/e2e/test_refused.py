"""The API server refuses no object of a job that dsgen accepts, and each that dsgen refuses by its table (DS432)."""

import contextlib
import functools
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from kubernetes import client

from dsgen import schema, values
from dsgen.language.functions import overlay
from dsgen.problems import KeyPath
from dsgen.reading.nodes import SourceText
from dsgen.render import render
from dsgen.values import Release
from tests.e2e.fragments import HOMES
from tests.e2e.test_fragments import changed, complete

pytestmark = pytest.mark.by_turns
RELEASE = Release("refused", "default")
BASE = {
    "name": "refused",
    "namespace": "default",
    "image": {"repository": "a", "tag": "v1"},
    "training": {"python": "t.py"},
    "security": {"podSecurityLevel": "privileged"},
    "workers": {"replicas": 2},
    "storage": {"v": {"emptyDir": {}, "mountPath": "/v"}},
}
OTHERS: dict[type, tuple[Any, ...]] = {
    int: (-1, 0, 1, 101, 511, 512, 32768, 65536, 2**31 - 1),
    str: (
        "",
        "a",
        "A_b",
        "a/b",
        "../b",
        "/abs",
        "a b",
        "x" * 64,
        "x" * 260,
        "..a",
        "$(A)",
        "10.0.0.1",
        "é",
        "-a",
        "a:b",
    ),
    bool: (True, False),
    list: ([],),
    dict: ({},),
}
"""Values of the same type."""
PLACES = {
    "Job": "apis/batch/v1/namespaces/default/jobs",
    "PersistentVolume": "api/v1/persistentvolumes",
    "PersistentVolumeClaim": "api/v1/namespaces/default/persistentvolumeclaims",
}
NOT_COMPARED = ("terminationGracePeriodSeconds", "hostProcess")
"""What depends on other parts of the pod, and pods for Windows."""
GATED = ("clusterTrustBundle", "podCertificate")
"""What an API server drops unless a feature gate is on; then it refuses what dsgen refuses."""
OF_KUBELET = "breaks non-root policy"
"""What the kubelet refuses, and not the API server."""
LEAST = 500


def walk(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Every part of a value."""
    yield path, value
    for key, below in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from walk(below, (*path, key))


def remove(value: Any, path: KeyPath) -> Any:
    """A copy without what is at a path."""
    if isinstance(value, list):
        kept = [(key, below) for key, below in enumerate(value) if path[1:] or key != path[0]]
        return [remove(below, path[1:]) if key == path[0] else below for key, below in kept]
    kept = [(key, below) for key, below in value.items() if path[1:] or key != path[0]]
    return {key: remove(below, path[1:]) if key == path[0] else below for key, below in kept}


def add(part: schema.Schema, value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Each field that an object does not have, with a value."""
    part = schema.resolve(part)
    for other in part.get("allOf", ()):
        yield from add(other, value, path)
    for key, below in part.get("properties", {}).items() if isinstance(value, dict) else ():
        if key in value:
            yield from add(below, value[key], (*path, key))
        else:
            with contextlib.suppress(KeyError):  # data of any type
                yield (*path, key), complete(below)
    for number, item in enumerate(value) if isinstance(value, list) else ():
        yield from add(part.get("items", {}), item, (*path, number))


def change(key: str, sample: Any) -> Iterator[Any]:
    """The sample with one part changed, removed, repeated or added."""
    for path, part in walk(sample):
        for other in OTHERS.get(type(part), ()):
            yield changed(sample, path, other)
        if isinstance(part, list) and part:
            yield changed(sample, path, [*part, part[0]])
        if path:
            yield remove(sample, path)
    for path, part in add(schema.find_part(key.split(".")) or {}, sample):
        yield changed(sample, path, part)


def list_values() -> Iterator[dict[str, Any]]:
    """Values of jobs, each with one changed part."""
    for key, _, samples in HOMES:
        if key.endswith("extraPodSpec"):
            samples = [{field: part} for sample in samples for field, part in sample.items()]
        for sample in samples:
            for part in change(key, sample):
                keys = key.replace("storage.v.", "storage.w.").split(".")
                given = functools.reduce(lambda below, one: {one: below}, reversed(keys), part)
                yield overlay({"storage": {"w": {"mountPath": "/w"}}} if keys[0] == "storage" else {}, given)


@pytest.fixture(scope="module")
def ask(_cluster: None) -> Callable[[Any], str]:
    """What the API server says of an object in a strict dry run; empty if it accepts it."""
    api = client.ApiClient()
    headers = {"Content-Type": "application/json", "Accept": "application/json", **api.default_headers}

    def send(item: Any) -> str:
        url = f"{api.configuration.host}/{PLACES[item['kind']]}?dryRun=All&fieldValidation=Strict"
        answer = api.rest_client.pool_manager.request("POST", url, body=json.dumps(item), headers=headers)
        return "" if answer.status in (200, 201) else str(json.loads(answer.data)["message"])

    return send


def test_dsgen_and_the_api_server_refuse_the_same(ask: Callable[[Any], str]) -> None:
    every = list(list_values())
    asked, different = 0, []
    for given in itertools.islice(every, 0, None, max(1, len(every) // (4 * LEAST))):
        job = values.load([SourceText("v.yaml", json.dumps(overlay(BASE, given)))])
        problems = values.check(job, RELEASE) if job.values is not None else job.diagnostics
        errors = {one.id for one in problems if one.severity == "error" and OF_KUBELET not in one.message}
        if job.values is None or errors - {"DS432"} or any(field in str(given) for field in GATED):
            continue
        objects = [yaml.safe_load(document.text) for document in render(job.data, RELEASE)]
        said = [ask(one) for one in objects if one["kind"] in PLACES]
        if any(word in one for one in said for word in NOT_COMPARED):
            continue
        asked += len(said)
        if any(said) != bool(errors):
            different.append((given, errors, [*filter(None, said)]))

    assert [] == different
    assert asked >= LEAST
