"""The objects of a Kueue queue."""

import json
from typing import Any

from tests.e2e.cluster import kubectl

GROUP = "kueue.x-k8s.io"
HOW_KUEUE = "this test needs Kueue in the cluster (https://kueue.sigs.k8s.io, a release's manifests.yaml)"
LABEL = {"kubernetes.io/os": "linux"}  # a label of every node
WORKERS = 2


def api_version() -> str:
    """The API version in which Kueue's objects are written; empty where there is no Kueue."""
    groups = {group["name"]: group for group in json.loads(kubectl("get", "--raw", "/apis"))["groups"]}
    return str(groups[GROUP]["preferredVersion"]["groupVersion"]) if GROUP in groups else ""


def queue_objects(name: str, version: str) -> list[dict[str, Any]]:
    """A flavor of labelled nodes, a queue with quota for the workers of one run, and a priority that preempts."""
    resources = [
        {"name": "cpu", "nominalQuota": f"{WORKERS * 50}m"},
        {"name": "memory", "nominalQuota": f"{WORKERS * 128}Mi"},
    ]
    group = {"coveredResources": ["cpu", "memory"], "flavors": [{"name": name, "resources": resources}]}
    specs: dict[str, dict[str, Any]] = {
        "ResourceFlavor": {"spec": {"nodeLabels": LABEL}},
        "ClusterQueue": {
            "spec": {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}},
                "resourceGroups": [group],
                "preemption": {"withinClusterQueue": "LowerPriority"},
            }
        },
        "WorkloadPriorityClass": {"value": 1000},
    }
    return [{"apiVersion": version, "kind": kind, "metadata": {"name": name}, **spec} for kind, spec in specs.items()]


def held_queue(name: str, version: str) -> list[dict[str, Any]]:
    """A queue `queue` in the namespace of this name that admits nothing."""
    made = queue_objects(name, version)
    made[1]["spec"]["stopPolicy"] = "Hold"
    local = {"apiVersion": version, "kind": "LocalQueue", "metadata": {"name": "queue", "namespace": name}}
    return [*made, {**local, "spec": {"clusterQueue": name}}]


def delete(made: list[dict[str, Any]]) -> None:
    """Delete what belongs to no namespace; it goes when the namespace and its workloads have gone."""
    for entry in made:
        if "namespace" not in entry["metadata"]:
            options = ("--wait=false", "--ignore-not-found")
            kubectl("delete", f"{entry['kind'].lower()}.{GROUP}", entry["metadata"]["name"], *options)
