"""ElasticJob of DLRover (elastic.iml.github.io/v1alpha1): workers that dlrover-run starts."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.fields import Fields, Table, as_text, drop, format_scalar, lose, to
from dsgen.importers.kinds import lose_other, refuse_servers
from dsgen.importers.objects import HEAD, write_restarts
from dsgen.importers.pods import map_replicas, read_number, write_pods

REPLICAS = ("spec", "replicaSpecs", "worker")
RUNTIME: Mapping[str, str] = {
    "NODE_NUM": "NNODES",
    "NODE_RANK": "NODE_RANK",
    "WORKER_RANK": "NODE_RANK",
    "WORKER_NUM": "NNODES",
    "MASTER_ADDR": "MASTER_ADDR",
}
ELASTIC = "a run shrinks after a loss only (workers.min), and no master tunes it"
SPEC: Table = {
    "distributionStrategy": drop("the values describe a training of equal workers"),
    "replicaSpecs": {"worker": {
        "replicas": map_replicas,
        "restartCount": write_restarts,
        "priority": to("workers.priorityClassName", as_text),
        "autoScale": lose(ELASTIC),
        "restartTimeout": lose(ELASTIC),
        "template": {},
    }, "*": lose_other},
    "suspend": drop("a job starts when it is applied"),
    "envs": lose("they are for the master of DLRover"),
    **dict.fromkeys(("optimizeMode", "enableDynamicSharding", "enableElasticScheduling", "brainService",
                     "resourceLimits", "relaunchStrategy", "optimizePlan"), lose(ELASTIC)),
}  # fmt: skip


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One ElasticJob. Raises ImportRefusedError for parameter servers."""
    fields = Fields(conversion, document)
    strategy = fields.find_node("spec", "distributionStrategy")
    if strategy is not None and "ParameterServer" in format_scalar(strategy.value):
        raise ImportRefusedError("the job has parameter servers, dsgen has only equal workers", strategy.position)
    kinds = fields.find_node(*REPLICAS[:-1])
    if kinds is not None and isinstance(kinds.value, dict):
        refuse_servers([(name, one.position) for name, one in kinds.value.items()])
    fields.apply({**HEAD, "spec": SPEC})
    nodes = read_number(fields, *REPLICAS, "replicas")
    write_pods(fields, (*REPLICAS, "template"), nodes, RUNTIME, ("main",))
    fields.finish()
