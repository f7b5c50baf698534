"""PyTorchJob (kubeflow.org/v1): equal pods that an operator numbers, with torchrun or with one process each."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.fields import Action, Fields, Table, as_count, drop, lose
from dsgen.importers.objects import HEAD, make_policy_table, report_restart_policy, write_restarts
from dsgen.importers.pods import SAME, compare_templates, map_replicas, map_slots, read_number, write_pods
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

REPLICAS = ("spec", "pytorchReplicaSpecs")
RUNTIME: Mapping[str, str] = {
    "RANK": "NODE_RANK",
    "WORLD_SIZE": "NNODES",
    "MASTER_ADDR": "MASTER_ADDR",
    "MASTER_PORT": "MASTER_PORT",
    "PET_NNODES": "NNODES",
    "PET_NODE_RANK": "NODE_RANK",
    "PET_NPROC_PER_NODE": "NPROC_PER_NODE",
    "PET_MASTER_ADDR": "MASTER_ADDR",
    "PET_MASTER_PORT": "MASTER_PORT",
}
"""What the operator sets in each pod: RANK and WORLD_SIZE count pods."""
RENDEZVOUS = "dsgen gives every process its rank and the address of worker 0"
ELASTIC: Table = {
    "maxRestarts": write_restarts,
    "nProcPerNode": map_slots,
    **dict.fromkeys(("rdzvBackend", "rdzvHost", "rdzvPort", "rdzvId", "standalone"), drop(RENDEZVOUS)),
    "rdzvConf": lose("dsgen has its own rendezvous", "set lifecycle.startTimeoutSeconds"),
    "*": lose("a run shrinks after a loss only (workers.min)"),
}


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One PyTorchJob."""
    fields = Fields(conversion, document)
    roles = [role for role in ("Worker", "Master") if fields.find_node(*REPLICAS, role) is not None]
    nodes = sum(read_number(fields, *REPLICAS, role, "replicas") for role in roles)
    main = next(iter(roles), "Worker")
    spec = {
        "nprocPerNode": map_slots,
        "elasticPolicy": ELASTIC,
        "runPolicy": make_policy_table(nodes),
        "pytorchReplicaSpecs": {},
    }
    fields.apply({**HEAD, "spec": spec})
    for role in roles:
        table: Table = {"restartPolicy": _report_restart(main), "replicas": map_replicas}
        fields.apply(table, (*REPLICAS, role), fields.find_node(*REPLICAS, role))
    if len(roles) == 2:
        compare_templates(fields, (*REPLICAS, "Worker", "template"), (*REPLICAS, "Master", "template"))
    node = fields.find_node("spec", "nprocPerNode") or fields.find_node("spec", "elasticPolicy", "nProcPerNode")
    each = as_count(node.value) if node is not None else None
    write_pods(fields, (*REPLICAS, main, "template"), nodes, RUNTIME, ("pytorch",), each)
    fields.finish()


def _report_restart(main: str) -> Action:
    """restartPolicy of a role; that of the others is the same as that of the main one."""

    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        twin = fields.find_node(*REPLICAS, main, "restartPolicy")
        if path[-2] != main and twin is not None and twin.value == node.value:
            fields.drop(path, node, SAME)
        else:
            report_restart_policy(fields, path, node)

    return convert_part
