"""MSJob of MindSpore (mindspore.gitee.com/v1): workers that msrun starts in dsgen; the scheduler pod is not needed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.fields import Fields, Table, drop, lose
from dsgen.importers.objects import HEAD, make_policy_table, report_restart_policy
from dsgen.importers.pods import map_replicas, read_number, write_pods

REPLICAS = ("spec", "msReplicaSpecs")
RUNTIME: Mapping[str, str] = {
    "MS_WORKER_NUM": "NNODES",
    "MS_NODE_ID": "NODE_RANK",
    "MS_SCHED_HOST": "MASTER_ADDR",
    "MS_SCHED_PORT": "MASTER_PORT",
}
START = (
    "exec msrun --worker_num $((NNODES * NPROC_PER_NODE)) --local_worker_num $NPROC_PER_NODE \\\n"
    "  --node_rank $NODE_RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT --join=True"
)
SCHEDULER = "msrun starts the scheduler of MindSpore on worker 0"
MSRUN = "the operator gave the workers a scheduler; on dsgen, msrun does"


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One MSJob. Raises ImportRefusedError for parameter servers."""
    fields = Fields(conversion, document)
    servers = fields.find_node(*REPLICAS, "PS")
    if servers is not None:
        raise ImportRefusedError("the job has parameter servers, dsgen has only equal workers", servers.position)
    nodes = read_number(fields, *REPLICAS, "Worker", "replicas")
    replicas: Table = {"Worker": {"replicas": map_replicas, "restartPolicy": report_restart_policy, "template": {}},
                       "Scheduler": drop(SCHEDULER)}  # fmt: skip
    spec: Table = {
        "runPolicy": make_policy_table(nodes),
        "successPolicy": drop("a run succeeds if all of its workers do"),
        "msReplicaSpecs": replicas,
        "enableDynamicWorker": lose("a run shrinks after a loss only (workers.min)"),
    }
    fields.apply({**HEAD, "spec": spec})
    write_pods(fields, (*REPLICAS, "Worker", "template"), nodes, RUNTIME, ("mindspore",), runs_ranks=False)
    _start_by_msrun(conversion)
    fields.finish()


def _start_by_msrun(conversion: Conversion) -> None:
    """Start the program by msrun, which gives the workers their scheduler."""
    draft = conversion.draft
    command = [word for word in draft.get("launch.command") or [] if word not in ("python", "python3")]
    if command[:2] == ["bash", "-c"] or not command:
        return
    while command and command[0].startswith("-"):
        flag = command.pop(0)  # of Python, which msrun starts without options
        entry = next((one for one in conversion.ledger.entries if one.source == flag), None)
        if entry is not None:
            conversion.ledger.lose(flag, entry.position, "msrun starts Python without options", is_part=True)
    lines = [START, *(shlex.join(part) for part in _group_words(command))]
    draft.set("launch.command", ["bash", "-c", " \\\n  ".join(lines) + "\n"])
    draft.add_comment("launch.command", MSRUN)
    draft.set("launch.expectWorld", False)


def _group_words(words: list[str]) -> list[list[str]]:
    """Words in groups of at most four, for lines."""
    return [words[start : start + 4] for start in range(0, len(words), 4)]
