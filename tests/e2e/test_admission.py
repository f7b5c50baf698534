"""Every object of the examples and of generated values, given to the API server: strictly, as a dry run.

The namespaces enforce the Pod Security level that the values declare. A Job passes admission with only a warning where
its pods would be refused, so warnings count as errors, and each pod template is given to the server as a Pod too.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client

from dsgen import values
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read
from dsgen.render import render
from dsgen.values import Release
from tests.e2e.cluster import Namespace, kubectl
from tests.e2e.conftest import unavailable
from tests.e2e.fragments import CONTAINER, HOMES, POD_SECURITY, SECURITY, SIDECAR
from tests.generated_values import Generator, repaired
from tests.parity import dump

pytestmark = pytest.mark.by_turns

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = [*sorted(ROOT.glob("values-examples/*.yaml")), *sorted(ROOT.glob("tests/cases/valid/*.yaml"))]
GENERATED = 200
LEVELS = ("privileged", "baseline", "restricted")
WITH_DEFINITIONS = ("PodGroup", "PodMonitor")
HOW = "the API server does not serve {kinds}: the tests need their CustomResourceDefinitions (tests/e2e/README.md)"
CALLS_AT_ONCE = 8
BAD = 400
"""HTTP statuses from here on are refusals."""

CLASS = "dsgen-e-admission"
"""Of priorities and of runtimes: the server looks for those that pods name."""
ACCOUNT = "dsgen-e-account"


def _at_both_roles(key: str) -> Iterator[str]:
    key = key.replace("env.A.", "env.*.").replace("storage.v.", "storage.*.")
    yield key
    for role, other in (("workers.", "launcher."), ("launcher.", "workers."), ("training.env.", "launcher.env.")):
        if key.startswith(role):
            yield other + key.removeprefix(role)


def _without(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: part for key, part in value.items() if key not in keys}


def _named(container: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A container of the user's; its name and its port are its own in the pod, and it mounts nothing."""
    ports = {"beside": [{"containerPort": 80, "name": "http"}], "first": [{"containerPort": 81, "hostPort": 8081}]}
    return [{**_without(container, "volumeMounts"), "name": name, "ports": ports[name]}]


REQUESTS = [{}, {"cpu": 1, "memory": "2Gi"}, {"cpu": "500m", "memory": 1e9, "ephemeral-storage": "1.5Gi"}]
LIMITS = [{}, {"memory": "64Gi"}, {"cpu": 64, "memory": "64Gi", "example.com/dongle": 1}]
ROLES = ("workers", "launcher")
SAMPLES: Mapping[str, list[Any]] = {
    **{key: samples for home, _, samples in HOMES for key in _at_both_roles(home)},
    "security.securityContext": [SECURITY],
    "security.podSecurityContext": [_without(POD_SECURITY, "sysctls")],  # they exclude the node's network
    **{f"{role}.initContainers": [_named(CONTAINER, "first"), []] for role in ROLES},
    **{f"{role}.sidecars": [_named(SIDECAR, "beside"), _named(CONTAINER, "beside")] for role in ROLES},
    **{f"{role}.{key}": [CLASS] for role in ROLES for key in ("priorityClassName",)},
    **{f"{of}.resources.requests": REQUESTS for of in (*ROLES, "monitoring.tensorboard")},
    **{f"{of}.resources.limits": LIMITS for of in (*ROLES, "monitoring.tensorboard")},
    **{f"{of}.resources.claims": [[]] for of in (*ROLES, "monitoring.tensorboard")},
    "workers.serviceAccountName": [ACCOUNT],
}
"""What the schema's forms alone do not make meaningful to the API server."""


class Server:
    """The API server, asked what it would say."""

    def __init__(self) -> None:
        api = client.ApiClient()
        self._host, self._connections = api.configuration.host, api.rest_client.pool_manager
        token = api.configuration.api_key.get("authorization")
        self._headers = {"Content-Type": "application/json", **({"Authorization": token} if token else {})}
        self._paths = dict(self._resources())

    def _resources(self) -> Iterator[tuple[tuple[str, str], tuple[str, bool]]]:
        groups = json.loads(kubectl("get", "--raw", "/apis"))["groups"]
        bases = ["api/v1", *(f"apis/{entry['groupVersion']}" for group in groups for entry in group["versions"])]
        for base in bases:
            for resource in json.loads(kubectl("get", "--raw", f"/{base}"))["resources"]:
                if "/" not in resource["name"]:
                    yield (
                        (base.partition("/")[2], resource["kind"]),
                        (f"/{base}", resource["name"], resource["namespaced"]),
                    )

    def serves(self, kind: str) -> bool:
        return any(kind == known for _, known in self._paths)

    def refusal(self, thing: Mapping[str, Any]) -> str:
        """What the server has against making this object; empty when nothing, not even a warning."""
        base, name, namespaced = self._paths[thing["apiVersion"], thing["kind"]]
        where = f"/namespaces/{thing['metadata']['namespace']}" if namespaced else ""
        url = f"{self._host}{base}{where}/{name}?dryRun=All&fieldValidation=Strict"
        answer = self._connections.request("POST", url, body=json.dumps(thing), headers=self._headers)
        if answer.status >= BAD:
            return str(json.loads(answer.data).get("message", answer.data))
        return str(answer.headers.get("Warning") or "")

    def refusals(self, things: list[Mapping[str, Any]]) -> list[str]:
        with ThreadPoolExecutor(CALLS_AT_ONCE) as pool:
            return list(pool.map(self.refusal, things))


@pytest.fixture(scope="module")
def server(_cluster: None) -> Server:
    connected = Server()
    if missing := [kind for kind in WITH_DEFINITIONS if not connected.serves(kind)]:
        unavailable(HOW.format(kinds=" and ".join(missing)))
    return connected


@pytest.fixture(scope="module")
def spaces(namespaces: Callable[..., Namespace]) -> Iterator[dict[str, Namespace]]:
    """A namespace for each level, and what pods may name in it."""
    made = {level: namespaces(f"admission-{level}", level) for level in LEVELS}
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": CLASS}, "value": 0},
        {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": CLASS}, "handler": "runc"},
    ]
    text = yaml.safe_dump_all(classes)
    kubectl("apply", "--filename", "-", text=text)
    for level, space in made.items():
        kubectl("label", "namespace", space.name, f"pod-security.kubernetes.io/warn={level}")
        space.kubectl("create", "serviceaccount", ACCOUNT)
    yield made
    kubectl("delete", "--filename", "-", text=text)


def level_of(tree: Mapping[str, Any]) -> str:
    return str(tree.get("security", {}).get("podSecurityLevel", "baseline"))


def objects(tree: Mapping[str, Any], space: Namespace) -> list[dict[str, Any]]:
    """What dsgen makes of values in a namespace of the tests, and the pods of its Jobs and Deployments."""
    loaded = values.load([SourceText("v.yaml", dump({**tree, "namespace": space.name}) + "\n")])
    assert loaded.values, loaded.diagnostics
    data = loaded.data
    documents = render(data, Release(data["name"] or "rel", space.name))
    made = [yaml.load(document.text, yaml.CSafeLoader) for document in documents]
    return [*made, *(pod(thing) for thing in made if "template" in thing.get("spec", {}))]


def pod(thing: Mapping[str, Any]) -> dict[str, Any]:
    """The pod of a template, by itself."""
    template = thing["spec"]["template"]
    names = {"name": thing["metadata"]["name"], "namespace": thing["metadata"]["namespace"]}
    spec = dict(template["spec"])
    spec["serviceAccountName"] = ACCOUNT  # the job's own is only there after the dry run
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**template["metadata"], **names}, "spec": spec}


def refused(server: Server, things: list[dict[str, Any]]) -> list[str]:
    """Kind, name and reason of each object that the server would not take as it is."""
    return [
        f"{thing['kind']} {thing['metadata']['name']}: {said}"
        for thing, said in zip(things, server.refusals(things), strict=True)
        if said
    ]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_are_accepted(file: Path, server: Server, spaces: dict[str, Namespace]) -> None:
    tree = read(SourceText.from_bytes(file.name, file.read_bytes())).root.as_data()

    assert [] == refused(server, objects(tree, spaces[level_of(tree)]))


def generated() -> Iterator[tuple[int, dict[str, Any]]]:
    """Values without errors, with the seed that makes them."""
    for seed in itertools.count():
        if tree := repaired(Generator(seed, SAMPLES).tree()):
            yield seed, tree


def test_generated_values_are_accepted(server: Server, spaces: dict[str, Namespace]) -> None:
    refusals = {
        f"{seed}: {refusal}": None
        for seed, tree in itertools.islice(generated(), GENERATED)
        for refusal in refused(server, objects(tree, spaces[level_of(tree)]))
    }

    assert [] == list(refusals)


@pytest.mark.parametrize(
    ("spoilt", "reason"),
    [
        ({"securityContext": {"privileged": True}}, "privileged"),
        ({"unknown": 1}, "strict decoding error: unknown field"),
        ({"image": 7}, "cannot unmarshal number"),
    ],
)
def test_what_the_server_refuses_is_noticed(
    spoilt: dict[str, Any], reason: str, server: Server, spaces: dict[str, Namespace]
) -> None:
    tree = yaml.safe_load((ROOT / "values-examples/minimal.yaml").read_text(encoding="utf-8"))
    things = objects(tree, spaces["baseline"])
    (job, bare) = (thing for thing in things if thing["metadata"]["name"].endswith("-worker"))
    for template in (job["spec"]["template"]["spec"], bare["spec"]):
        template["containers"][0] |= spoilt

    refusals = refused(server, things)

    assert [True, True] == [reason in text for text in refusals], refusals
