"""Objects of other controllers are accepted by an API server that has their definitions."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import Namespace, kubectl
from tests.e2e.conftest import unavailable
from tests.e2e.training import RESTRICTED, Job

pytestmark = pytest.mark.by_turns

HOW_CRDS = "this test needs the CustomResourceDefinition of {kind} in {group} (tests/e2e/README.md)"
MONITORING = {
    "tensorboard": {"enabled": True, "logDir": "/checkpoints/logs", "image": "tools/board:1"},
    "podMonitor": {"enabled": True, "path": "/metrics?full=1"},
}
TOPOLOGY = {"required": "topology.kubernetes.io/zone"}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "scheduling.volcano.sh/v1beta1": ("PodGroup", {"gang": "volcano", "queue": "gpus", "priorityClass": "high"}),
    "scheduling.x-k8s.io/v1alpha1": ("PodGroup", {"gang": "coscheduling", "topology": TOPOLOGY}),
    "monitoring.coreos.com/v1": ("PodMonitor", {"gang": "none"}),
}


def is_served(version: str, kind: str) -> bool:
    """Whether the API server knows this kind in this version."""
    served = [entry["groupVersion"] for group in groups() for entry in group["versions"]]
    return version in served and kind in [
        resource["kind"] for resource in json.loads(kubectl("get", "--raw", f"/apis/{version}"))["resources"]
    ]


def groups() -> list[dict[str, Any]]:
    return list(json.loads(kubectl("get", "--raw", "/apis"))["groups"])


@pytest.fixture(scope="module")
def job(make_job: Callable[..., Job]) -> Job:
    """A job in a namespace that enforces `restricted`, and warns about what its Deployments and Jobs would make."""
    job = make_job("crds", level="restricted")
    kubectl("label", "namespace", job.space.name, "pod-security.kubernetes.io/warn=restricted")
    job.values["security"] = RESTRICTED
    return job


def checked(space: Namespace, text: str) -> list[str]:
    """What a strict dry run of the API server says of each object: no unknown field, no warning."""
    strict = ("--dry-run=server", "--validate=strict", "--warnings-as-errors")
    return space.kubectl("apply", *strict, "--filename", "-", text=text).splitlines()


@pytest.mark.parametrize("version", CASES)
def test_the_api_server_takes_every_object(version: str, job: Job) -> None:
    """With the real definitions, all of a job's objects at once; TensorBoard passes the level that they pass."""
    kind, scheduling = CASES[version]
    if not is_served(version, kind):
        unavailable(HOW_CRDS.format(kind=kind, group=version))
    text = job.render(scheduling=scheduling, monitoring=MONITORING if kind == "PodMonitor" else {})
    made = list(yaml.safe_load_all(text))

    answers = checked(job.space, text)

    assert version in [thing["apiVersion"] for thing in made]
    assert len(made) == len(answers)
    assert [] == [answer for answer in answers if not answer.endswith(" created (server dry run)")]


def test_a_field_that_is_not_theirs_would_be_seen(job: Job) -> None:
    """The dry run refuses what a definition does not have."""
    version, kind = "scheduling.volcano.sh/v1beta1", "PodGroup"
    if not is_served(version, kind):
        unavailable(HOW_CRDS.format(kind=kind, group=version))
    wrong = {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": {"minMembers": 2}}

    with pytest.raises(AssertionError, match="minMembers"):
        checked(job.space, yaml.safe_dump(wrong))
