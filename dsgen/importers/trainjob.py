"""TrainJob (trainer.kubeflow.org/v1alpha1) with its runtime, from the same file or given beside it."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.container_commands import make_runtime, write_command
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument, read_documents
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Fields, Table, as_count, drop, format_scalar, lose, to
from dsgen.importers.mpijob import write_expected_world
from dsgen.importers.objects import HEAD, lose_ttl, write_suspend
from dsgen.importers.pod_fields import Pod, write_container_image, write_variable
from dsgen.importers.pods import (
    map_replicas,
    map_slots,
    read_container_command,
    read_container_facts,
    read_number,
    read_pod,
    write_resources,
)
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

RUNTIMES = ("ClusterTrainingRuntime", "TrainingRuntime")
RUNTIME: Mapping[str, str] = {
    "PET_NNODES": "NNODES",
    "PET_NODE_RANK": "NODE_RANK",
    "PET_NPROC_PER_NODE": "NPROC_PER_NODE",
    "PET_MASTER_ADDR": "MASTER_ADDR",
    "PET_MASTER_PORT": "MASTER_PORT",
    "JOB_COMPLETION_INDEX": "NODE_RANK",
}
JOBS: KeyPath = ("spec", "template", "spec", "replicatedJobs")
STAGE = "dsgen downloads no datasets or models before a run"
STAGE_HINT = "download them in workers.initContainers, or once onto a volume"
CONTROLLER = "it belongs to the JobSet of the runtime, which dsgen does not need"
REPLACED = "the TrainJob has another value"


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One TrainJob."""
    fields = Fields(conversion, document)
    runtime = Fields(conversion, _find_runtime(fields))
    conversion.used.add(id(runtime.document))
    path, role = _find_templates(runtime)
    trainer: KeyPath = ("spec", "trainer")
    nodes = read_number(fields, *trainer, "numNodes", default=read_number(runtime, "spec", "mlPolicy", "numNodes"))
    pod = Pod(path, "workers")
    fields.apply({**HEAD, "spec": _make_spec_table(pod)})
    given = {key for key in ("image", "command", "args") if fields.find_node(*trainer, key) is not None}
    runtime.apply(_make_runtime_table())
    found = read_pod(runtime, path, "workers", ("node", "trainer"), {key: drop(REPLACED) for key in given})
    if role:
        read_pod(runtime, role, "launcher", ("node", "launcher"), {key: drop(REPLACED) for key in given})
    _write_trainer_command(fields, runtime, found, pod, nodes, given, bool(role))
    _report_other_jobs(runtime)
    runtime.finish()
    fields.finish()


def _find_runtime(fields: Fields) -> SourceDocument:
    """The runtime that the job names, from the same file or from the files of --runtime."""
    conversion = fields.conversion
    node = fields.find_node("spec", "runtimeRef", "name")
    name = format_scalar(node.value) if node is not None else "torch-distributed"
    known = [*conversion.others, *(one for source in conversion.options.runtimes for one in read_documents(source))]
    found = next((one for one in known if one.kind in RUNTIMES and one.name == name), None)
    if found is None:
        at = node.position if node is not None else fields.document.position
        hint = f"give it: --runtime FILE, from kubectl get clustertrainingruntime {name} -o yaml"
        raise ImportRefusedError(f"the job needs the runtime {name}, which is in another file", at, hint)
    return found


def _find_templates(runtime: Fields) -> tuple[KeyPath, KeyPath]:
    """The template of the nodes, and that of the launcher if there is one."""
    node = runtime.find_node(*JOBS)
    items = node.value if node is not None and isinstance(node.value, list) else []
    names = [
        format_scalar((one.find_child("name") or one).value) if isinstance(one.value, dict) else "" for one in items
    ]
    below: KeyPath = ("template", "spec", "template")
    nodes = names.index("node") if "node" in names else 0
    launcher: KeyPath = (*JOBS, names.index("launcher"), *below) if "launcher" in names else ()
    return (*JOBS, nodes, *below), launcher


def _make_spec_table(pod: Pod) -> Table:
    overrides = lose("dsgen has no patches of a runtime", "set the field in workers, or in workers.extraPodSpec")
    return {
        "runtimeRef": drop("the values have what the runtime says"),
        "trainer": {
            "numNodes": map_replicas,
            "numProcPerNode": map_slots,
            "image": write_container_image(is_worker=True),
            "command": {},
            "args": {},
            "env": {"*": write_variable("training")},
            "resourcesPerNode": write_resources("workers", pod),
        },
        "initializer": lose(STAGE, STAGE_HINT),
        "labels": {"*": lose("dsgen labels its own pods", "set workers.podLabels")},
        "annotations": {"*": lose("dsgen annotates its own pods", "set workers.podAnnotations")},
        "suspend": write_suspend,
        "managedBy": lose("dsgen has no equivalent of it"),
        "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
        "ttlSecondsAfterFinished": lose_ttl,
        "podTemplateOverrides": overrides,
        "runtimePatches": overrides,
    }


def _make_runtime_table() -> Table:
    """The fields of a runtime beside its pods."""
    return {
        **HEAD,
        "metadata": drop("the name and labels of the runtime belong to it"),
        "spec": {
            "mlPolicy": {
                "numNodes": drop(REPLACED),
                "torch": {
                    "numProcPerNode": map_slots,
                    "elasticPolicy": lose("a run shrinks after a loss only (workers.min)"),
                },
                "mpi": {
                    "numProcPerNode": map_slots,
                    "sshAuthMountPath": drop("dsgen generates the ssh key and mounts it"),
                    "runLauncherAsNode": drop("the launcher of dsgen does not train, all nodes are workers"),
                    "mpiImplementation": drop("launch.method openmpi uses Open MPI"),
                },
            },
            "podGroupPolicy": {
                "volcano": _write_volcano,
                "coscheduling": _write_coscheduling,
            },
            "template": {"spec": {"replicatedJobs": {}, "*": drop(CONTROLLER)}, "metadata": drop(CONTROLLER)},
        },
    }


def _write_volcano(fields: Fields, path: KeyPath, node: Node) -> None:
    fields.set(path, node, "scheduling.gang", "volcano")


def _write_coscheduling(fields: Fields, path: KeyPath, node: Node) -> None:
    fields.conversion.draft.set("scheduling.gang", "coscheduling")
    fields.lose(path, node, "dsgen waits as long as lifecycle.startTimeoutSeconds", "set it")


def _write_trainer_command(
    fields: Fields, runtime: Fields, found: Pod, trainer: Pod, nodes: int, given: set[str], has_launcher: bool
) -> None:
    """The command, from the trainer or from the runtime."""
    devices = found.devices if trainer.devices == 0 else trainer.devices
    each = _read_slots(fields, runtime)
    world = JobSize(
        nodes or None, each or (1 if has_launcher and devices == 0 else None), devices, runs_ranks=has_launcher
    )
    if given & {"command", "args"}:
        found.command, found.has_command = read_container_command(fields, ("spec", "trainer"))
    else:
        fields = runtime
    _merge_facts(fields, found)
    fields.conversion.facts.workers = found.facts
    write_command(fields, found, world, make_runtime(fields.conversion, RUNTIME))
    write_expected_world(fields.conversion, found)


def _merge_facts(fields: Fields, pod: Pod) -> None:
    """What the trainer says takes the place of what the runtime says."""
    node = fields.find_node("spec", "trainer")
    if node is None:
        return
    role = read_container_facts(fields, ("spec", "trainer"), "resourcesPerNode")
    pod.facts.image = role.image or pod.facts.image
    pod.facts.env.update(role.env)
    pod.facts.requests, pod.facts.limits = role.requests or pod.facts.requests, role.limits or pod.facts.limits


def _read_slots(fields: Fields, runtime: Fields) -> int | None:
    places = (
        (fields, ("spec", "trainer", "numProcPerNode")),
        (runtime, ("spec", "mlPolicy", "torch", "numProcPerNode")),
        (runtime, ("spec", "mlPolicy", "mpi", "numProcPerNode")),
    )
    found = (one.find_node(*path) for one, path in places)
    return next((number for node in found if node is not None and (number := as_count(node.value))), None)


def _report_other_jobs(runtime: Fields) -> None:
    """The jobs of the runtime beside nodes and launcher, and the fields around their pods."""
    node = runtime.find_node(*JOBS)
    for index, one in enumerate(node.value if node is not None and isinstance(node.value, list) else ()):
        named = one.find_child("name") if isinstance(one.value, dict) else None
        name = format_scalar(named.value) if named is not None else ""
        if name.endswith("initializer"):
            runtime.lose((*JOBS, index), one, STAGE, STAGE_HINT)
        else:
            runtime.drop((*JOBS, index), one, CONTROLLER)
