"""MPIJob (kubeflow.org/v2beta1, v1 and v1alpha1): workers with sshd, and a launcher that runs mpirun or deepspeed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dsgen.importers.container_commands import make_runtime, write_command
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Fields, Table, as_count, as_text, as_whole, drop, lose
from dsgen.importers.launch import OTHER_MPI_HINT, OTHER_MPI_WHY
from dsgen.importers.objects import HEAD, RESTART_HINT, UNSAID, make_policy_table
from dsgen.importers.pod_fields import Pod
from dsgen.importers.pods import map_replicas, map_slots, read_pod
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

REPLICAS = ("spec", "mpiReplicaSpecs")
RUNTIME: Mapping[str, str] = {
    "OMPI_COMM_WORLD_RANK": "RANK",
    "OMPI_COMM_WORLD_SIZE": "WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK": "LOCAL_RANK",
}
KEY = "dsgen generates the ssh key and mounts it"
SSHD = "dsgen starts sshd with its own configuration"
WAITS = "the launcher waits for all workers"
NOT_TORCH = re.compile(r"horovod|tensorflow|\btf_|(^|/)(tf|jax)|mxnet|mpi")
TORCH = re.compile(r"torch|deepspeed|MASTER_(ADDR|PORT)|accelerate|transformers")


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One MPIJob."""
    fields = Fields(conversion, document)
    workers, launcher, head = _find_templates(fields)
    slots_node = fields.find_node("spec", "slotsPerWorker")
    each = as_count(slots_node.value) if slots_node is not None else None
    nodes = _count_workers(fields, head)
    fields.apply({**HEAD, "spec": _make_spec_table(nodes)})
    pod = read_pod(fields, workers, "workers", ("worker", "mpi-worker", "mpi"))
    start = read_pod(fields, launcher, "launcher", _list_main_names(fields)) if launcher else pod
    conversion.facts.workers = pod.facts
    if launcher:
        conversion.facts.launcher = start.facts
        drop_sshd(fields, pod)
    joins = fields.find_node("spec", "runLauncherAsWorker")
    kind = fields.find_node("spec", "mpiImplementation")
    world = JobSize(
        nodes=nodes or None,
        slots=each or (pod.devices if slots_node is None else 1) or (None if pod.devices is None else 1),
        devices=pod.devices,
        is_launcher=bool(launcher),
        joins=joins is not None and joins.value is True,
        passes_environment=kind is not None and kind.value in ("Intel", "MPICH"),
    )
    write_command(fields, start, world, make_runtime(conversion, RUNTIME))
    write_expected_world(conversion, start)
    fields.finish()


def _find_templates(fields: Fields) -> tuple[KeyPath, KeyPath, KeyPath]:
    """The templates of workers and launcher, and the map that has the number of workers. v1alpha1 has one template."""
    if fields.find_node(*REPLICAS) is None:
        return ("spec", "template"), (), ("spec",)
    launcher: KeyPath = (
        (*REPLICAS, "Launcher", "template") if fields.find_node(*REPLICAS, "Launcher") is not None else ()
    )
    return (*REPLICAS, "Worker", "template"), launcher, (*REPLICAS, "Worker")


def _list_main_names(fields: Fields) -> tuple[str, ...]:
    node = fields.find_node("spec", "mainContainer")
    name = as_text(node.value) if node is not None else None
    return (name,) if name else ("mpi-launcher", "mpi", "launcher")


def _count_workers(fields: Fields, head: KeyPath) -> int:
    """Pods that train: the workers, and the launcher if it is one of them."""
    node, joins = fields.find_node(*head, "replicas"), fields.find_node("spec", "runLauncherAsWorker")
    number = as_whole(node.value) if node is not None else 1
    return (number or 0) + (joins is not None and joins.value is True)


def _make_spec_table(nodes: int) -> Table:
    pods: Table = {"replicas": map_replicas, "restartPolicy": _drop_restart, "template": {}}
    policy = make_policy_table(nodes, _write_clean_policy)
    return {
        "slotsPerWorker": map_slots,
        "runPolicy": policy,
        **policy,
        "mpiReplicaSpecs": {
            "Worker": pods,
            "Launcher": {
                "replicas": drop("a job has one launcher"),
                "restartPolicy": _report_restart,
                "template": {},
            },
        },
        "replicas": map_replicas,
        "template": {},
        "sshAuthMountPath": drop(KEY),
        "launcherCreationPolicy": drop(WAITS),
        "runLauncherAsWorker": _report_joining_launcher,
        "mpiImplementation": _report_implementation,
        "mainContainer": drop("the command says which container it is"),
        "mpiDistribution": _report_implementation,
        **dict.fromkeys(("launcherOnMaster", "launcherOnWorker"), lose("the launcher of dsgen runs on any node")),
    }


def _report_joining_launcher(fields: Fields, path: KeyPath, node: Node) -> None:
    if node.value is True:
        fields.map(path, node, "workers.replicas")
    else:
        fields.drop(path, node, "the launcher of dsgen does not train")


def _report_implementation(fields: Fields, path: KeyPath, node: Node) -> None:
    if str(node.value).lower() == "openmpi":
        fields.drop(path, node, "launch.method openmpi uses Open MPI")
    else:
        fields.lose(path, node, OTHER_MPI_WHY, OTHER_MPI_HINT)


def _write_clean_policy(fields: Fields, path: KeyPath, node: Node) -> None:
    if node.value == "None":
        fields.set(path, node, "lifecycle.keepWorkers", "always")
    else:
        fields.drop(path, node, "workers end with the run")


def _drop_restart(fields: Fields, path: KeyPath, node: Node) -> None:
    fields.drop(path, node, "a worker that is lost is replaced")


def _report_restart(fields: Fields, path: KeyPath, node: Node) -> None:
    if node.value == "OnFailure" and not fields.conversion.draft.get("lifecycle.maxRestarts"):
        fields.lose(path, node, UNSAID, RESTART_HINT)
    else:
        fields.drop(path, node, "a failed training restarts as often as lifecycle.maxRestarts allows")


def drop_sshd(fields: Fields, pod: Pod) -> None:
    """The command of the workers starts sshd; any other one is lost."""
    starts = any("sshd" in str(node.value) or "sleep" in str(node.value) for _, node in pod.command)
    for path, node in pod.command:
        if starts:
            fields.drop(path, node, SSHD)
        else:
            fields.lose(
                path, node, "workers run nothing but the ranks", "put what prepares a worker into training.setup"
            )


def write_expected_world(conversion: Conversion, pod: Pod) -> None:
    """Programs of MPI do not connect to each other as torch.distributed does."""
    draft = conversion.draft
    if draft.get("launch.method") != "openmpi":
        return
    words = " ".join([*conversion.facts.command, draft.get("image.repository", ""), *pod.facts.env])
    is_python = bool(draft.get("training.python") or draft.get("training.module"))
    if not TORCH.search(words) and (not is_python or NOT_TORCH.search(words)):
        key: KeyPath = ("launch", "expectWorld")
        draft.set(key, False)
        draft.add_comment(key, "the program uses MPI, not torch.distributed")
