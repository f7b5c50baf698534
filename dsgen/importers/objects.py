"""Tables that several kinds of Kubernetes objects have: metadata, and how jobs run, restart, end and wait in queues."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.conversion import as_dns_name, is_placeholder
from dsgen.importers.fields import Action, Field, Table, as_count, as_text, as_whole, drop, format_scalar, lose, to

CLUSTER = "the cluster writes it"
KIND = "the kind of the object"
TOOL = "the tool that applies the manifests writes it"
TOOLS = (
    *("kubectl.kubernetes.io/", "meta.helm.sh/", "helm.sh/", "argocd.argoproj.io/", "fluxcd.io/"),
    *("kustomize.toolkit.fluxcd.io/", "app.kubernetes.io/managed-by", "app.kubernetes.io/name"),
    "app.kubernetes.io/instance",
)
KEYS = {
    "kueue.x-k8s.io/queue-name": "scheduling.queue",
    "kueue.x-k8s.io/priority-class": "scheduling.priorityClass",
    "alpha.jobset.sigs.k8s.io/exclusive-topology": "scheduling.topology.required",
    "kueue.x-k8s.io/podset-required-topology": "scheduling.topology.required",
}
"""Labels and annotations that are keys of their own."""
DEFAULTS = {"sidecar.istio.io/inject": "false", "linkerd.io/inject": "disabled", "karpenter.sh/do-not-disrupt": "true"}
OPERATORS = ("training.kubeflow.org/", "kubeflow.org/", "pod-template-hash", "job-name")


def write_name(field: Field) -> None:
    """metadata.name: a name of a job has no dots, and begins with a letter."""
    found = "" if is_placeholder(field.text) else as_dns_name(field.text, 63)
    if found and not field.draft.get("name"):
        field.set("name", found)
    elif found:
        field.drop("the job has a name already")
    else:
        field.lose("no name of a job can be made of it", "set name")


def write_metadata(*where: str) -> Action:
    """A label or an annotation of an object, or of its pods."""

    def write(field: Field) -> None:
        if isinstance(field.node.value, dict | list):
            field.lose("its value is no text")
        elif field.name in KEYS:
            field.set(KEYS[field.name], field.text)
        elif len(where) == 1 and (field.name.startswith(TOOLS) or "/last-applied" in field.name):
            field.drop(TOOL)
        elif len(where) == 2 and DEFAULTS.get(field.name) == field.text:
            field.drop("dsgen writes it itself")
        elif len(where) == 2 and field.name.startswith(OPERATORS):
            field.drop("the operator sets it")
        else:
            field.set((*where, field.name), field.text)

    return write


METADATA: dict[str, Table] = {
    **dict.fromkeys(("name", "generateName"), write_name),
    "namespace": to("namespace", lambda data: format_scalar(data) or None),
    "labels": {"*": write_metadata("labels")},
    "annotations": {"*": write_metadata("annotations")},
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
REPLACED = "a worker that is lost is replaced"
ELASTIC = "a run shrinks after a loss only (workers.min)"


def write_restarts(field: Field) -> None:
    """How often a failed training may restart."""
    if as_whole(field.data) == 0:
        field.drop(NO_RESTART)
    else:
        to("lifecycle.maxRestarts", lambda data: min(as_whole(data) or 0, MOST_RESTARTS) or None)(field)


def report_restart_policy(field: Field) -> None:
    """restartPolicy, after the number of restarts was read."""
    if field.data == "Never":
        field.drop(NO_RESTART)
    elif field.draft.get("lifecycle.maxRestarts") and field.data in ("OnFailure", "Always"):
        field.map("lifecycle.maxRestarts")
    elif field.data == "ExitCode":
        field.lose("the operator restarts pods that end with a code above 127",
                   "set lifecycle.maxRestarts and lifecycle.restartExitCodes")  # fmt: skip
    else:
        field.lose(UNSAID, RESTART_HINT)


def write_suspend(field: Field) -> None:
    """A queue suspends and resumes a job by itself."""
    if field.data is not True:
        field.drop("a job starts when it is applied")
    elif field.draft.get("scheduling.queue"):
        field.drop("Kueue suspends and resumes the workers")
    else:
        field.set("lifecycle.suspend", True)


def lose_ttl(field: Field) -> None:
    """Jobs that Kubernetes deletes would be recreated by GitOps."""
    field.lose(TTL, f"without Argo CD and Flux, set lifecycle.ttlSecondsAfterFinished: {field.text}")


def report_minimum(total: int) -> Action:
    """minAvailable of a gang: dsgen's is always the whole run."""

    def report(field: Field) -> None:
        if as_count(field.data) in (total, total + 1):
            field.drop(GANG)
        else:
            field.lose(f"{GANG}, so fewer workers do not start")

    return report


def write_volcano_queue(field: Field) -> None:
    """A queue of Volcano; a queue of Kueue, which a label names, takes precedence."""
    if field.draft.get("scheduling.queue"):
        field.drop("the job is in a queue of Kueue")
    else:
        to("scheduling.queue", as_text, ("scheduling.gang", "volcano"))(field)


def write_priority(field: Field) -> None:
    """A priority in the queue, or of the pods if there is no queue."""
    scheduling = field.draft.get("scheduling") or {}
    has_queue = {"queue", "gang"} & scheduling.keys() or field.fields.find(*field.path[:-1], "queue")
    to("scheduling.priorityClass" if has_queue else "workers.priorityClassName", as_text)(field)


def make_policy_table(nodes: int, clean: Action = drop(ENDS)) -> dict[str, Table]:  # noqa: B008 - an action has no state
    """runPolicy of Kubeflow's operators. clean: what becomes of cleanPodPolicy."""
    return {
        "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
        "backoffLimit": write_restarts,
        "suspend": write_suspend,
        "ttlSecondsAfterFinished": lose_ttl,
        "cleanPodPolicy": clean,
        "managedBy": lose("dsgen has no equivalent of it"),
        "schedulingPolicy": {
            "queue": write_volcano_queue,
            "priorityClass": write_priority,
            "minAvailable": report_minimum(nodes),
            "scheduleTimeoutSeconds": to("lifecycle.startTimeoutSeconds", as_count),
            "minResources": drop("the scheduler adds up the requests of the pods"),
        },
    }
