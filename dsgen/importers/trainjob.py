"""TrainJob (trainer.kubeflow.org/v1alpha1) with its runtime, from the same file or given beside it."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.container_commands import make_runtime, write_command, write_launcher_environment
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument, read_documents
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Field, Fields, Table, as_count, drop, lose, read_name, to
from dsgen.importers.kinds import read_number, write_expected_world
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.objects import ELASTIC, HEAD, lose_ttl, write_suspend
from dsgen.importers.operators import PYTORCH, report_implementation
from dsgen.importers.pods import (
    Pod,
    make_resources_table,
    map_replicas,
    map_slots,
    read_container_command,
    read_container_facts,
    read_pod,
    write_container_image,
    write_variable,
)
from dsgen.problems import KeyPath

RUNTIMES = ("ClusterTrainingRuntime", "TrainingRuntime")
RUNTIME: Mapping[str, str] = {name: to for name, to in PYTORCH.items() if name.startswith("PET_")} | {
    "JOB_COMPLETION_INDEX": "NODE_RANK"
}
JOBS: KeyPath = ("spec", "template", "spec", "replicatedJobs")
STAGE = lose("dsgen downloads no datasets or models before a run",
             "download them in workers.initContainers, or once onto a volume")  # fmt: skip
CONTROLLER = drop("it belongs to the JobSet of the runtime, which dsgen does not need")
REPLACED = drop("the TrainJob has another value")
OVERRIDES = lose("dsgen has no patches of a runtime", "set the field in workers, or in workers.extraPodSpec")


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One TrainJob."""
    fields = Fields(conversion, document)
    runtime = Fields(conversion, _find_runtime(fields.root))
    conversion.used.add(id(runtime.document))
    trainer = fields.find("spec", "trainer") or fields.root
    jobs = {read_name(one): one for one in reversed(runtime.root.list_items(*JOBS))}
    template = ("template", "spec", "template")
    first, starts = jobs.get("node", next(iter(jobs.values()), None)), jobs.get("launcher")
    node, launcher = (one.find(*template) if one else None for one in (first, starts))
    if node is None:
        raise ImportRefusedError("the runtime describes no pods", runtime.document.position)
    pod = Pod(node, "workers")
    fields.root.apply({**HEAD, "spec": _make_spec_table(pod)})
    runtime.root.apply(_make_runtime_table(trainer))
    given = {key: REPLACED for key in ("image", "command", "args") if trainer.find(key)}
    found = read_pod(node, "workers", ("node", "trainer"), given)
    starter = read_pod(launcher, "launcher", ("node", "launcher"), given) if launcher else None
    nodes = read_number(trainer, "numNodes", default=read_number(runtime.root, "spec", "mlPolicy", "numNodes"))
    _write_trainer_command(trainer, runtime, found, pod.devices, nodes, starter)
    for name, one in jobs.items():
        (STAGE if name.endswith("initializer") else CONTROLLER)(one)
    runtime.finish()
    fields.finish()


def _find_runtime(job: Field) -> SourceDocument:
    """The runtime that the job names, from the same file or from files beside it."""
    conversion, named = job.conversion, job.find("spec", "runtimeRef", "name")
    name = named.text if named else "torch-distributed"
    known = [*conversion.others, *(one for source in conversion.options.runtimes for one in read_documents(source))]
    found = next((one for one in known if one.kind in RUNTIMES and one.name == name), None)
    if found is None:
        hint = f"give it: --runtime FILE, from kubectl get clustertrainingruntime {name} -o yaml"
        at = (named or job).node.position
        raise ImportRefusedError(f"the job needs the runtime {name}, which is in another file", at, hint)
    return found


def _make_spec_table(pod: Pod) -> Table:
    return {
        "runtimeRef": drop("the values have what the runtime says"),
        "trainer": {
            "numNodes": map_replicas,
            "numProcPerNode": map_slots,
            "image": write_container_image(is_worker=True),
            "command": {},
            "args": {},
            "env": {"*": write_variable("training")},
            "resourcesPerNode": make_resources_table("workers", pod),
        },
        "initializer": STAGE,
        "labels": lose("dsgen labels its own pods", "set workers.podLabels"),
        "annotations": lose("dsgen annotates its own pods", "set workers.podAnnotations"),
        "suspend": write_suspend,
        "managedBy": lose("dsgen has no equivalent of it"),
        "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
        "ttlSecondsAfterFinished": lose_ttl,
        **dict.fromkeys(("podTemplateOverrides", "runtimePatches"), OVERRIDES),
    }


def _make_runtime_table(trainer: Field) -> Table:
    """The fields of a runtime beside its pods."""
    return {
        **HEAD,
        "metadata": drop("the name and labels of the runtime belong to it"),
        "spec": {
            "mlPolicy": {
                "numNodes": REPLACED if trainer.find("numNodes") else map_replicas,
                "torch": {"numProcPerNode": map_slots, "elasticPolicy": lose(ELASTIC)},
                "mpi": {
                    "numProcPerNode": map_slots,
                    "sshAuthMountPath": drop("dsgen generates the ssh key and mounts it"),
                    "runLauncherAsNode": drop("the launcher of dsgen does not train, all nodes are workers"),
                    "mpiImplementation": report_implementation,
                },
            },
            "podGroupPolicy": {
                "volcano": lambda field: field.set("scheduling.gang", "volcano"),
                "coscheduling": _write_coscheduling,
            },
            "template": {"spec": {"replicatedJobs": {}, "*": CONTROLLER}, "metadata": CONTROLLER},
        },
    }


def _write_coscheduling(field: Field) -> None:
    field.draft.set("scheduling.gang", "coscheduling")
    field.lose("dsgen waits as long as lifecycle.startTimeoutSeconds", "set it")


def _write_trainer_command(
    trainer: Field, runtime: Fields, found: Pod, own_devices: int | None, nodes: int, starter: Pod | None
) -> None:
    """The command, from the trainer or from the runtime; what the trainer says replaces what the runtime says."""
    devices = found.devices if own_devices == 0 else own_devices
    policies = (runtime.root.read("spec", "mlPolicy", key, "numProcPerNode") for key in ("torch", "mpi"))
    slots = next(filter(None, map(as_count, (trainer.read("numProcPerNode"), *policies))), None)
    slots = slots or (1 if starter and devices == 0 else None)
    world = JobSize(nodes or None, slots, devices, runs_ranks=bool(starter))
    if trainer.find("command") or trainer.find("args"):
        found.command, found.has_command = read_container_command(trainer)
    role, conversion = read_container_facts(trainer, "resourcesPerNode"), trainer.conversion
    found.facts.image = role.image or found.facts.image
    found.facts.env.update(role.env)
    found.facts.requests, found.facts.limits = role.requests or found.facts.requests, role.limits or found.facts.limits
    conversion.facts.workers = found.facts
    write_command(found, world, make_runtime(conversion, RUNTIME))
    if starter:
        write_launcher_environment(starter, None, world)
    write_expected_world(conversion, found.facts)
