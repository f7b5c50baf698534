"""Fields that several kinds of Kubernetes objects have: metadata, and how jobs run, restart, end and wait in queues."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.conversion import as_dns_name, is_placeholder
from dsgen.importers.fields import Action, Fields, Table, as_count, as_text, as_whole, drop, format_scalar, lose, to
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

CLUSTER = "the cluster writes it"
KIND = "the kind of the object"
QUEUE, PRIORITY = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"
TOOLS = ("kubectl.kubernetes.io/", "meta.helm.sh/", "argocd.argoproj.io/", "fluxcd.io/", "kustomize.toolkit.fluxcd.io/",
         "app.kubernetes.io/managed-by", "helm.sh/")  # fmt: skip


def write_name(fields: Fields, path: KeyPath, node: Node) -> None:
    """metadata.name: a name of a job has no dots, and begins with a letter."""
    text = format_scalar(node.value)
    found = "" if is_placeholder(text) else as_dns_name(text, 63)
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


NO_RESTART = "a failed training does not restart unless lifecycle.maxRestarts allows it"
UNSAID = "the source does not say how often a failed training may restart"
RESTART_HINT = "set lifecycle.maxRestarts if the program loads its own checkpoint"
MOST_RESTARTS = 1000
TTL = "Argo CD and Flux would show the job as out of sync, or apply its Jobs again"
ENDS = "workers end with the run, and their pods stay until the run is deleted"
GANG = "a gang of dsgen is the whole run"
CONTROLLER = "it belongs to the controller, which dsgen does not need"


def write_restarts(fields: Fields, path: KeyPath, node: Node) -> None:
    """How often a failed training may restart."""
    if as_whole(node.value) == 0:
        fields.drop(path, node, NO_RESTART)
    else:
        to("lifecycle.maxRestarts", lambda data: min(as_whole(data) or 0, MOST_RESTARTS) or None)(fields, path, node)


def report_restart_policy(fields: Fields, path: KeyPath, node: Node) -> None:
    """restartPolicy, after the number of restarts was read."""
    if node.value == "Never":
        fields.drop(path, node, NO_RESTART)
    elif fields.conversion.draft.get("lifecycle.maxRestarts") and node.value in ("OnFailure", "Always"):
        fields.map(path, node, "lifecycle.maxRestarts")
    elif node.value == "ExitCode":
        fields.lose(path, node, "the operator restarts pods that end with a code above 127",
                    "set lifecycle.maxRestarts and lifecycle.restartExitCodes")  # fmt: skip
    else:
        fields.lose(path, node, UNSAID, RESTART_HINT)


def write_suspend(fields: Fields, path: KeyPath, node: Node) -> None:
    """A queue suspends and resumes a job by itself."""
    if node.value is not True:
        fields.drop(path, node, "a job starts when it is applied")
    elif fields.conversion.draft.get("scheduling.queue"):
        fields.drop(path, node, "Kueue suspends and resumes the workers")
    else:
        fields.set(path, node, "lifecycle.suspend", True)


def lose_ttl(fields: Fields, path: KeyPath, node: Node) -> None:
    """Jobs that Kubernetes deletes would be recreated by GitOps."""
    hint = f"without Argo CD and Flux, set lifecycle.ttlSecondsAfterFinished: {format_scalar(node.value)}"
    fields.lose(path, node, TTL, hint)


def report_minimum(total: int) -> Action:
    """minAvailable of a gang: dsgen's is always the whole run."""

    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        if as_count(node.value) in (total, total + 1):
            fields.drop(path, node, GANG)
        else:
            fields.lose(path, node, f"{GANG}, so fewer workers do not start")

    return convert_part


def make_scheduling_table(nodes: int) -> Table:
    """schedulingPolicy of an operator."""
    return {
        "queue": write_volcano_queue,
        "priorityClass": write_priority,
        "minAvailable": report_minimum(nodes),
        "scheduleTimeoutSeconds": to("lifecycle.startTimeoutSeconds", as_count),
        "minResources": drop("the scheduler adds up the requests of the pods"),
    }


def write_volcano_queue(fields: Fields, path: KeyPath, node: Node) -> None:
    """A queue of Volcano; a queue of Kueue, which a label names, takes precedence."""
    draft = fields.conversion.draft
    if draft.get("scheduling.queue"):
        fields.drop(path, node, "the job is in a queue of Kueue")
        return
    draft.set("scheduling.gang", "volcano")
    to("scheduling.queue", as_text)(fields, path, node)


def write_priority(fields: Fields, path: KeyPath, node: Node) -> None:
    """A priority in the queue, or of the pods if there is no queue."""
    draft = fields.conversion.draft
    has_queue = draft.get("scheduling.queue") or fields.find_node(*path[:-1], "queue") is not None
    key = "scheduling.priorityClass" if has_queue or draft.get("scheduling.gang") else "workers.priorityClassName"
    to(key, as_text)(fields, path, node)


def make_policy_table(nodes: int, clean: Action | None = None) -> dict[str, Table]:
    """runPolicy of Kubeflow's operators. clean: what becomes of cleanPodPolicy."""
    return {
        "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
        "backoffLimit": write_restarts,
        "suspend": write_suspend,
        "ttlSecondsAfterFinished": lose_ttl,
        "cleanPodPolicy": clean or drop(ENDS),
        "managedBy": lose("dsgen has no equivalent of it"),
        "schedulingPolicy": make_scheduling_table(nodes),
    }
