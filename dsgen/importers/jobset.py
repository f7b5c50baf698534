"""JobSet (jobset.x-k8s.io/v1alpha2): one kind of pods that train."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.fields import Action, Fields, Table, as_count, drop, format_scalar, lose, to
from dsgen.importers.kinds import choose_workers, lose_other
from dsgen.importers.objects import CONTROLLER, HEAD, lose_ttl, write_restarts, write_suspend
from dsgen.importers.pods import compare_templates, map_replicas, read_number, write_pods
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

TEMPLATE = ("template", "spec", "template")
JOBS: KeyPath = ("spec", "replicatedJobs")
RUNTIME: Mapping[str, str] = {
    "JOB_COMPLETION_INDEX": "NODE_RANK",
    "RANK": "NODE_RANK",
    "NODE_RANK": "NODE_RANK",
    "WORLD_SIZE": "NNODES",
    "NNODES": "NNODES",
    "MASTER_ADDR": "MASTER_ADDR",
    "MASTER_PORT": "MASTER_PORT",
}
"""Variables that the pods of a JobSet set from labels and names, and what dsgen has in their place."""
TOPOLOGY = ("alpha.jobset.sigs.k8s.io/exclusive-topology", "kueue.x-k8s.io/podset-required-topology")
JOB_TABLE: dict[str, Table] = {
    "parallelism": map_replicas,
    "completions": map_replicas,
    "backoffLimit": write_restarts,
    "completionMode": drop("the workers are an Indexed Job"),
    "suspend": write_suspend,
    "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
    "ttlSecondsAfterFinished": lose_ttl,
    "template": {},
    **dict.fromkeys(("manualSelector", "selector"), drop(CONTROLLER)),
    "*": lose("dsgen writes the Job of the workers itself"),
}
"""The fields of a Job of batch/v1."""


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One JobSet. Raises ImportRefusedError if several kinds of its pods train."""
    fields = Fields(conversion, document)
    node = fields.find_node(*JOBS)
    jobs = node.value if node is not None and isinstance(node.value, list) else []
    names = [format_scalar((one.find_child("name") or one).value) for one in jobs]
    chosen = choose_workers([*zip(names, jobs, strict=True)], document.position) or [0]
    job: KeyPath = (*JOBS, chosen[0])
    fields.apply(
        {
            **HEAD,
            "metadata": _make_metadata_table(),
            "spec": {"replicatedJobs": {"*": _write_job(chosen)}, **_make_spec_table()},
        }
    )
    nodes = sum(_count_pods(fields, (*JOBS, index)) for index in chosen)
    for other in chosen[1:]:
        compare_templates(fields, (*job, *TEMPLATE), (*JOBS, other, *TEMPLATE))
    write_pods(fields, (*job, *TEMPLATE), nodes, RUNTIME, runs_ranks=False, is_set_by_pods=True)
    fields.finish()


def _count_pods(fields: Fields, job: KeyPath) -> int:
    pods = max(read_number(fields, *job, "template", "spec", key) for key in ("parallelism", "completions"))
    return pods * read_number(fields, *job, "replicas")


def _write_job(chosen: list[int]) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        if path[-1] not in chosen:
            lose_other(fields, path, node)
            return
        head: Table = {
            "metadata": {"annotations": {"*": _write_annotation}, "labels": {"*": drop(CONTROLLER)}},
            "spec": JOB_TABLE,
        }
        fields.apply(
            {"name": drop(CONTROLLER), "replicas": map_replicas, "template": head, "*": lose(CONTROLLER)}, path, node
        )

    return convert_part


def _make_metadata_table() -> Table:
    head = HEAD["metadata"]
    return {**head, "annotations": {"*": _write_annotation}} if isinstance(head, Mapping) else head


def _write_annotation(fields: Fields, path: KeyPath, node: Node) -> None:
    if path[-1] in TOPOLOGY and isinstance(node.value, str):
        fields.set(path, node, "scheduling.topology.required", node.value)
    else:
        fields.set(path, node, ("annotations", str(path[-1])), format_scalar(node.value))


def _make_spec_table() -> dict[str, Table]:
    return {
        "network": drop("dsgen has a headless Service of its own"),
        "successPolicy": drop("a run succeeds if all of its workers do"),
        "failurePolicy": {
            "maxRestarts": write_restarts,
            "*": lose("dsgen restarts after any failure", "set lifecycle.restartExitCodes"),
        },
        "startupPolicy": drop("the launcher waits for all workers"),
        "suspend": write_suspend,
        "ttlSecondsAfterFinished": lose_ttl,
        "coordinator": drop("worker 0 is the coordinator"),
        "managedBy": lose("dsgen has no equivalent of it"),
    }
