"""Kubernetes objects: their metadata, and how they are started in a queue."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.conversion import dns_name
from dsgen.importers.fields import Fields, Table, drop, to, written
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

CLUSTER = "the cluster writes it"
KIND = "the kind of the object"
QUEUE, PRIORITY = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"
TOOLS = ("kubectl.kubernetes.io/", "meta.helm.sh/", "argocd.argoproj.io/", "fluxcd.io/", "kustomize.toolkit.fluxcd.io/",
         "app.kubernetes.io/managed-by", "helm.sh/")  # fmt: skip


def name(fields: Fields, path: KeyPath, node: Node) -> None:
    """metadata.name: a name of a job has no dots, and begins with a letter."""
    found = dns_name(written(node.value), 63) if not isinstance(node.value, dict | list) else ""
    if found and not fields.conversion.draft.get("name"):
        fields.set(path, node, "name", found)
    elif found:
        fields.drop(path, node, "the job has a name already")
    else:
        fields.lose(path, node, "no name of a job can be made of it", "set name")


def _label(fields: Fields, path: KeyPath, node: Node) -> None:
    key, value = str(path[-1]), written(node.value)
    if isinstance(node.value, dict | list):
        fields.lose(path, node, "its value is no text")
    elif key == QUEUE:
        fields.set(path, node, "scheduling.queue", value)
    elif key == PRIORITY:
        fields.set(path, node, "scheduling.priorityClass", value)
    elif key.startswith(TOOLS) or key in ("app.kubernetes.io/name", "app.kubernetes.io/instance"):
        fields.drop(path, node, "the tool that applies the manifests writes it")
    else:
        fields.set(path, node, ("labels", key), value)


def _annotation(fields: Fields, path: KeyPath, node: Node) -> None:
    key = str(path[-1])
    if isinstance(node.value, dict | list):
        fields.lose(path, node, "its value is no text")
    elif key.startswith(TOOLS) or "/last-applied" in key:
        fields.drop(path, node, "the tool that applies the manifests writes it")
    else:
        fields.set(path, node, ("annotations", key), written(node.value))


METADATA: Table = {
    "name": name,
    "generateName": name,
    "namespace": to("namespace", lambda data: written(data) or None),
    "labels": {"*": _label},
    "annotations": {"*": _annotation},
    **dict.fromkeys(
        ("creationTimestamp", "uid", "resourceVersion", "generation", "selfLink", "managedFields", "ownerReferences",
         "finalizers", "deletionTimestamp", "deletionGracePeriodSeconds"),
        drop(CLUSTER),
    ),
}  # fmt: skip
HEAD: Mapping[str, Table] = {
    "apiVersion": drop(KIND),
    "kind": drop(KIND),
    "metadata": METADATA,
    "status": drop(CLUSTER),
}
"""What all objects have."""
