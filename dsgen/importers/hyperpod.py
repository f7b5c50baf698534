"""HyperPodPyTorchJob of SageMaker HyperPod: equal pods, with torchrun of its own or with hyperpodrun."""

from __future__ import annotations

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.fields import Fields, Table, as_count, lose
from dsgen.importers.objects import HEAD, make_policy_table, report_restart_policy, write_restarts
from dsgen.importers.pods import map_replicas, map_slots, read_number, write_pods
from dsgen.importers.pytorchjob import RUNTIME

REPLICAS = ("spec", "replicaSpecs")
CONTROL = "it belongs to the control plane of HyperPod"


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One HyperPodPyTorchJob."""
    fields = Fields(conversion, document)
    node = fields.find_node(*REPLICAS)
    items = node.value if node is not None and isinstance(node.value, list) else []
    if len(items) > 1:
        raise ImportRefusedError("the job has several kinds of pods, and dsgen has only workers", document.position)
    nodes = read_number(fields, *REPLICAS, 0, "replicas")
    replica: Table = {
        "name": lose("dsgen has only workers"),
        "replicas": map_replicas,
        "maxReplicas": lose("a run shrinks after a loss only (workers.min)"),
        "spares": lose("HyperPod's spares replace workers during the training", "set launch.preflight.spares"),
        "restartPolicy": report_restart_policy,
        "template": {},
    }
    spec: Table = {
        "nprocPerNode": map_slots,
        "replicaSpecs": {"*": replica},
        "runPolicy": {**make_policy_table(nodes), "jobMaxRetryCount": write_restarts, "*": lose(CONTROL)},
        "*": lose(CONTROL),
    }
    fields.apply({**HEAD, "spec": spec})
    each = fields.find_node("spec", "nprocPerNode")
    number = as_count(each.value) if each is not None else None
    write_pods(fields, (*REPLICAS, 0, "template"), nodes, RUNTIME, ("pytorch", "pytorch-container"), number)
    fields.finish()
