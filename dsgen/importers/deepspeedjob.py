"""DeepSpeedJob of T9k (batch.tensorstack.dev/v1beta1): workers, and a launcher that runs deepspeed."""

from __future__ import annotations

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Action, Fields, Table, as_count, as_list, as_text, as_true, as_words, drop, lose, to
from dsgen.importers.launch import write_counts
from dsgen.importers.mpijob import drop_sshd
from dsgen.importers.objects import HEAD, write_restarts
from dsgen.importers.pods import map_replicas, map_slots, read_number, read_pod
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

WORKER = ("spec", "worker")
SLOTS = ("slotsPerWorker", "slotPerWorker")
PAUSED = "the job is paused, and a job of dsgen that must not run is a file that nobody applied"
PAUSED_HINT = "remove spec.runMode.pause, and apply the result when it is to run"
ELASTIC = "a run shrinks after a loss only (workers.min)"


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One DeepSpeedJob."""
    fields = Fields(conversion, document)
    fields.apply({**HEAD, "spec": _make_spec_table()})
    nodes = read_number(fields, *WORKER, "replicas")
    paused = fields.find_node("spec", "runMode", "pause", "enabled")
    if paused is not None and paused.value is True:
        raise ImportRefusedError(PAUSED, paused.position, PAUSED_HINT)
    each = max(read_number(fields, "spec", "config", key, default=0) for key in SLOTS)
    pod = read_pod(fields, (*WORKER, "template"), "workers", ("worker",))
    drop_sshd(fields, pod)
    conversion.facts.workers = pod.facts
    slots = each or (1 if pod.devices == 0 else pod.devices)
    write_counts(conversion, nodes or None, slots, JobSize(devices=pod.devices))
    conversion.facts.replicas, conversion.facts.slots = nodes, slots or 0
    if not any(conversion.draft.get(f"training.{key}") for key in ("python", "module", "exec")):
        conversion.draft.set_hole("training.python", "", "the source names no program")
    fields.finish()


def _make_spec_table() -> Table:
    run: Table = {"python": _write_program("python"), "module": _write_program("module"), "exec": _write_exec}
    return {
        "scheduler": {"volcanoScheduler": {
            "queue": _write_volcano("scheduling.queue"),
            "priorityClassName": _write_volcano("scheduling.priorityClass"),
        }, "*": lose("dsgen has no equivalent of this scheduler", "set workers.schedulerName")},
        "runPolicy": {
            "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
            "backoffLimit": write_restarts,
            "cleanUpPolicy": drop("workers end with the run, and their pods stay until the run is deleted"),
        },
        "runMode": {
            "debug": {
                **dict.fromkeys(("enabled", "enable"), to("lifecycle.debug.enabled", as_true)),
                "replicaSpecs": {"*": {
                    "type": drop("it is about the workers"),
                    "skipInitContainer": to("lifecycle.debug.skipInitContainers", as_true),
                    "command": lose("the workers of dsgen wait with sshd", "set lifecycle.debug.command"),
                }},
            },
            "pause": {"enabled": drop("the job is not paused"), "*": lose("dsgen resumes a run as it was")},
        },
        "elastic": {"enabled": drop("a run shrinks after a loss only (workers.min)"), "*": lose(ELASTIC)},
        "config": {
            **dict.fromkeys(SLOTS, map_slots),
            "localRank": to("training.deepspeed.localRank", as_true),
            "autotune": _write_autotuning,
            "run": run,
            "otherArgs": to("training.deepspeed.args", as_words),
            "customCommand": lose("dsgen starts deepspeed itself", "set launch.method: launcher-command"),
        },
        "disableCustomEnv": drop("a pod has the environment of training.env"),
        "worker": {"replicas": map_replicas, "restartPolicy": drop("a worker that is lost is replaced"),
                   "template": {}},
        "tensorboardSpec": lose("dsgen has TensorBoard of its own", "set monitoring.tensorboard"),
    }  # fmt: skip


def _write_program(key: str) -> Action:
    """A script or a module, with its arguments: a list, or one text."""

    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        words = as_list(node.as_data()) or (str(node.value).split() if isinstance(node.value, str) else [])
        draft = fields.conversion.draft
        if not words:
            fields.lose(path, node, "it names no program")
            return
        fields.map(path, node, draft.set(f"training.{key}", str(words[0])))
        for word in words[1:]:
            draft.add("training.args", str(word))
        start = ["-m"] if key == "module" else []
        fields.conversion.facts.command = ["python3", *start, *map(str, words)]

    return convert_part


def _write_exec(fields: Fields, path: KeyPath, node: Node) -> None:
    words = as_words(node.as_data()) or (["bash", "-c", node.value] if isinstance(node.value, str) else None)
    if words is None:
        fields.lose(path, node, "it names no program")
    else:
        fields.set(path, node, "training.exec", words)
        fields.conversion.facts.command = words


def _write_autotuning(fields: Fields, path: KeyPath, node: Node) -> None:
    if node.value in ("tune", "run"):
        fields.set(path, node, "training.deepspeed.autotuning", node.value)
    else:
        fields.drop(path, node, "it is the default")


def _write_volcano(key: str) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        fields.conversion.draft.set("scheduling.gang", "volcano")
        to(key, as_text)(fields, path, node)

    return convert_part
