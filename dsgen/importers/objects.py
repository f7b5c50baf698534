"""Kubernetes objects: their metadata, and how they are started in a queue."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.conversion import as_dns_name
from dsgen.importers.fields import Fields, Table, drop, format_scalar, to
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

CLUSTER = "the cluster writes it"
KIND = "the kind of the object"
QUEUE, PRIORITY = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"
TOOLS = ("kubectl.kubernetes.io/", "meta.helm.sh/", "argocd.argoproj.io/", "fluxcd.io/", "kustomize.toolkit.fluxcd.io/",
         "app.kubernetes.io/managed-by", "helm.sh/")  # fmt: skip


def write_name(fields: Fields, path: KeyPath, node: Node) -> None:
    """metadata.name: a name of a job has no dots, and begins with a letter."""
    found = as_dns_name(format_scalar(node.value), 63) if not isinstance(node.value, dict | list) else ""
    if found and not fields.conversion.draft.get("name"):
        fields.set(path, node, "name", found)
    elif found:
        fields.drop(path, node, "the job has a name already")
    else:
        fields.lose(path, node, "no name of a job can be made of it", "set name")


def _write_label(fields: Fields, path: KeyPath, node: Node) -> None:
    key, value = str(path[-1]), format_scalar(node.value)
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


def _write_annotation(fields: Fields, path: KeyPath, node: Node) -> None:
    key = str(path[-1])
    if isinstance(node.value, dict | list):
        fields.lose(path, node, "its value is no text")
    elif key.startswith(TOOLS) or "/last-applied" in key:
        fields.drop(path, node, "the tool that applies the manifests writes it")
    else:
        fields.set(path, node, ("annotations", key), format_scalar(node.value))


METADATA: Table = {
    "name": write_name,
    "generateName": write_name,
    "namespace": to("namespace", lambda data: format_scalar(data) or None),
    "labels": {"*": _write_label},
    "annotations": {"*": _write_annotation},
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
