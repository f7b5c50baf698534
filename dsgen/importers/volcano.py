"""Job of Volcano (batch.volcano.sh/v1alpha1) with the plugin pytorch, or with a master that runs mpiexec."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dsgen.importers.container_commands import make_runtime, write_command
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Fields, Table, as_text, drop, format_scalar, lose, to
from dsgen.importers.kinds import choose_workers, list_words, lose_other
from dsgen.importers.mpijob import drop_sshd, write_expected_world
from dsgen.importers.objects import HEAD, lose_ttl, report_minimum, write_restarts
from dsgen.importers.pods import compare_templates, map_replicas, read_number, read_pod, write_pods
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

TASKS: KeyPath = ("spec", "tasks")
RUNTIME: Mapping[str, str] = {
    "RANK": "NODE_RANK",
    "VC_TASK_INDEX": "NODE_RANK",
    "VK_TASK_INDEX": "NODE_RANK",
    "WORLD_SIZE": "NNODES",
    "MASTER_ADDR": "MASTER_ADDR",
    "MASTER_PORT": "MASTER_PORT",
    **dict.fromkeys(("VC_WORKER_HOSTS", "VC_MPIWORKER_HOSTS", "VC_MASTER_HOSTS"), "MASTER_ADDR"),
    **dict.fromkeys(("VC_WORKER_NUM", "VC_MPIWORKER_NUM"), "NNODES"),
}
PLUGINS: Table = {
    **dict.fromkeys(("ssh", "svc", "env"), drop("dsgen has a Service, ssh keys and numbers of workers of its own")),
    "pytorch": drop("dsgen gives every process its rank and the address of worker 0"),
    "mpi": drop("launch.method openmpi starts the ranks"),
    "*": lose("dsgen has no equivalent of this plugin of Volcano"),
}
STARTS = re.compile(r"\b(mpirun|mpiexec|deepspeed|horovodrun)\b")


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One Job of Volcano. Raises ImportRefusedError if its tasks are not equal pods, or workers with a master."""
    fields = Fields(conversion, document)
    tasks = _list_tasks(fields)
    if not tasks:
        raise ImportRefusedError("the job has no tasks", document.position)
    conversion.draft.set("scheduling.gang", "volcano")
    names = [format_scalar((task.find_child("name") or task).value) for task in tasks]
    master = next((at for at, task in enumerate(tasks) if STARTS.search(" ".join(list_words(task)))), None)
    rest = [index for index in range(len(tasks)) if index != master or len(tasks) == 1]
    chosen = [rest[at] for at in choose_workers([(names[at], tasks[at]) for at in rest], document.position)]
    counts = [read_number(fields, *TASKS, index, "replicas") for index in range(len(tasks))]
    for index, task in enumerate(tasks):
        if index not in chosen and index != master:
            lose_other(fields, (*TASKS, index), task)
    fields.apply({**HEAD, "spec": _make_spec_table(sum(counts[at] for at in chosen))})
    if master is not None and master not in chosen:
        _write_with_master(fields, master, chosen[-1])
    else:
        for other in chosen[:-1]:
            compare_templates(fields, (*TASKS, chosen[-1], "template"), (*TASKS, other, "template"))
        write_pods(fields, (*TASKS, chosen[-1], "template"), sum(counts[at] for at in chosen), RUNTIME)
    fields.finish()


def _list_tasks(fields: Fields) -> list[Node]:
    node = fields.find_node(*TASKS)
    return list(node.value) if node is not None and isinstance(node.value, list) else []


def _write_with_master(fields: Fields, master: int, worker: int) -> None:
    """Workers with sshd, and a master that starts the ranks: the launcher."""
    pod = read_pod(fields, (*TASKS, worker, "template"), "workers")
    start = read_pod(fields, (*TASKS, master, "template"), "launcher")
    conversion = fields.conversion
    conversion.facts.workers, conversion.facts.launcher = pod.facts, start.facts
    drop_sshd(fields, pod)
    nodes = read_number(fields, *TASKS, worker, "replicas")
    world = JobSize(nodes or None, pod.devices if pod.devices != 0 else 1, pod.devices, is_launcher=True)
    write_command(fields, start, world, make_runtime(conversion, RUNTIME))
    write_expected_world(conversion, start)


def _make_spec_table(total: int) -> Table:
    return {
        "minAvailable": report_minimum(total),
        "schedulerName": drop("scheduling.gang chooses the scheduler"),
        "queue": _write_queue,
        "priorityClassName": to("scheduling.priorityClass", as_text),
        "maxRetry": write_restarts,
        "ttlSecondsAfterFinished": lose_ttl,
        "runningEstimate": lose("dsgen has no estimate of a run"),
        "plugins": PLUGINS,
        "policies": _report_policies,
        "volumes": lose("dsgen mounts volumes by storage", "set storage"),
        "networkTopology": lose("it asks for nodes that are close to each other", "set scheduling.topology"),
        "tasks": {"*": {
            "name": drop("dsgen has workers and a launcher"),
            "replicas": map_replicas,
            "minAvailable": report_minimum(total),
            "template": {},
            "policies": _report_policies,
            "maxRetry": write_restarts,
            "dependsOn": drop("workers and launcher wait for each other"),
            "topologyPolicy": lose("dsgen has no equivalent of it"),
        }},
    }  # fmt: skip


def _write_queue(fields: Fields, path: KeyPath, node: Node) -> None:
    if node.value == "default":
        fields.drop(path, node, "it is the default of Volcano")
    else:
        to("scheduling.queue", as_text)(fields, path, node)


def _report_policies(fields: Fields, path: KeyPath, node: Node) -> None:
    """Rules: that the job ends with a task is what dsgen does; others are lost."""
    for index, one in enumerate(node.value if isinstance(node.value, list) else ()):
        data = one.as_data() if isinstance(one.value, dict) else {}
        if data.get("event") == "TaskCompleted" and data.get("action") == "CompleteJob":
            fields.drop((*path, index), one, "a run ends when its training ends")
        elif data.get("action") == "RestartJob" and data.get("event") in ("PodEvicted", "PodFailed"):
            fields.lose((*path, index), one, "the source does not say how often a failed training may restart",
                        "set lifecycle.maxRestarts if the program loads its own checkpoint")  # fmt: skip
        else:
            fields.lose((*path, index), one, "dsgen has no rules for events")
