"""Jobs of training operators: one table for each kind, by which one function converts them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import (
    Field,
    Fields,
    Table,
    as_count,
    as_list,
    as_text,
    as_true,
    as_whole,
    as_words,
    drop,
    lose,
    to,
)
from dsgen.importers.kinds import (
    PodKind,
    Start,
    choose_workers,
    drop_sshd,
    find_launcher,
    list_kinds,
    lose_others,
    read_number,
    write_with_launcher,
    write_workers,
)
from dsgen.importers.launch import OTHER_MPI_HINT, OTHER_MPI_WHY, write_counts
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.objects import (
    CONTROLLER,
    ELASTIC,
    ENDS,
    HEAD,
    REPLACED,
    RESTART_HINT,
    UNSAID,
    lose_ttl,
    make_policy_table,
    report_minimum,
    report_restart_policy,
    write_metadata,
    write_restarts,
    write_suspend,
    write_volcano_queue,
)
from dsgen.importers.pods import SAME, map_replicas, map_slots, read_pod
from dsgen.problems import KeyPath

RENDEZVOUS = "dsgen gives every process its rank and the address of worker 0"
MASTER = {"MASTER_ADDR": "MASTER_ADDR", "MASTER_PORT": "MASTER_PORT"}
PYTORCH: Mapping[str, str] = {
    **MASTER,
    "RANK": "NODE_RANK",
    "WORLD_SIZE": "NNODES",
    "PET_NNODES": "NNODES",
    "PET_NODE_RANK": "NODE_RANK",
    "PET_NPROC_PER_NODE": "NPROC_PER_NODE",
    "PET_MASTER_ADDR": "MASTER_ADDR",
    "PET_MASTER_PORT": "MASTER_PORT",
}
"""What operators set in each pod: RANK and WORLD_SIZE count pods."""
INDEXED: Mapping[str, str] = {
    **MASTER,
    "JOB_COMPLETION_INDEX": "NODE_RANK",
    "RANK": "NODE_RANK",
    "NODE_RANK": "NODE_RANK",
    "WORLD_SIZE": "NNODES",
    "NNODES": "NNODES",
}
"""Variables that the pods of Jobs set from labels and names."""
NO_EQUIVALENT = lose("dsgen has no equivalent of it")


def report_restart(field: Field) -> None:
    """restartPolicy of one kind of pods; that of the others is mostly the same."""
    twins = (one.find(field.name) for one in field.fields.find(*field.path[:-2]).list_items())  # type: ignore[union-attr]  # above
    if any(one and one.path in field.fields.done and one.data == field.data for one in twins):
        field.drop(SAME)
    else:
        report_restart_policy(field)


REPLICA: Table = {"replicas": map_replicas, "restartPolicy": report_restart, "template": {}}
JOB: dict[str, Table] = {
    **dict.fromkeys(("parallelism", "completions"), map_replicas),
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


def count_job(job: Field) -> int:
    """The pods of a Job, 0 if it is not known."""
    numbers = [as_whole(one.data) or 0 for key in ("parallelism", "completions") if (one := job.find(key))]
    return max(numbers, default=1) if all(numbers) else 0


@dataclass(frozen=True)
class Operator:
    """How the jobs of an operator are converted.

    replicas: where the kinds of pods are; template and count: the template of one, and the number of its pods. spec:
    the table of the spec for this number of pods. slots: fields with the number of processes in each pod. ignored:
    kinds of pods that dsgen does not need. write: in place of the command. after: what tables cannot say.
    """

    replicas: KeyPath
    spec: Callable[[int], Mapping[str, Table]]
    start: Start
    template: KeyPath = ("template",)
    count: Callable[[Field], int] = field(default=lambda one: read_number(one, "replicas"))
    slots: Sequence[KeyPath] = ()
    ignored: Sequence[str] = ()
    write: Callable[[Sequence[PodKind], Start], Any] = write_workers
    after: Callable[[Conversion], object] | None = None


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One job. Raises ImportRefusedError if it has no equal workers."""
    operator, fields = OPERATORS[document.kind.lower()], Fields(conversion, document)
    job = fields.root
    kinds = list_kinds(job, operator.replicas, operator.template, operator.count)
    if not kinds and (spec := job.find("spec")) and (template := spec.find("template")):
        kinds = [PodKind("worker", spec, template, operator.count(spec))]  # MPIJob v1alpha1
    launcher = find_launcher(kinds)
    rest = [one for one in kinds if one is not launcher and one.name not in operator.ignored]
    workers = choose_workers(rest, document.position)
    lose_others(rest, workers)
    job.apply({**HEAD, "spec": operator.spec(sum(one.count for one in workers))})
    if not workers:
        raise ImportRefusedError("the job describes no pods", document.position, "is its indentation right?")
    start = _read_start(job, operator)
    if launcher:
        write_with_launcher(launcher, workers, start)
    else:
        operator.write(workers, start)
    if operator.after:
        operator.after(conversion)
    fields.finish()


def _read_start(job: Field, operator: Operator) -> Start:
    given = next((one for path in operator.slots if (one := job.find(*path))), None)
    slots = as_count(given.data) if given else None
    is_known = given is None or slots is not None or given.data in ("gpu", "auto", "cpu")
    main = as_text(job.read("spec", "mainContainer"))
    return replace(
        operator.start,
        launcher_names=(main,) if main else operator.start.launcher_names,
        slots=slots,
        is_known=is_known,
        joins=job.read("spec", "runLauncherAsWorker") is True,
        passes_environment=job.read("spec", "mpiImplementation") in ("Intel", "MPICH"),
    )


# -- PyTorchJob, HyperPodPyTorchJob -----------------------------------------------------------------------------------

ELASTIC_POLICY: Table = {
    "maxRestarts": write_restarts,
    "nProcPerNode": map_slots,
    **dict.fromkeys(("rdzvBackend", "rdzvHost", "rdzvPort", "rdzvId", "standalone"), drop(RENDEZVOUS)),
    "rdzvConf": lose("dsgen has its own rendezvous", "set lifecycle.startTimeoutSeconds"),
    "*": lose(ELASTIC),
}
HYPERPOD = lose("it belongs to the control plane of HyperPod")


def make_pytorchjob(total: int) -> Mapping[str, Table]:
    """The spec of a PyTorchJob."""
    return {
        "nprocPerNode": map_slots,
        "elasticPolicy": ELASTIC_POLICY,
        "runPolicy": make_policy_table(total),
        "pytorchReplicaSpecs": {"*": REPLICA},
    }


def make_hyperpodpytorchjob(total: int) -> Mapping[str, Table]:
    """The spec of a HyperPodPyTorchJob."""
    return {
        "nprocPerNode": map_slots,
        "replicaSpecs": {"*": {
            "name": lose("dsgen has only workers"),
            "replicas": map_replicas,
            "maxReplicas": lose(ELASTIC),
            "spares": lose("HyperPod's spares replace workers during the training", "set launch.preflight.spares"),
            "restartPolicy": report_restart,
            "template": {},
        }},
        "runPolicy": {**make_policy_table(total), "jobMaxRetryCount": write_restarts, "*": HYPERPOD},
        "*": HYPERPOD,
    }  # fmt: skip


# -- MPIJob -----------------------------------------------------------------------------------------------------------


def make_mpijob(total: int) -> Mapping[str, Table]:
    """The spec of an MPIJob."""
    policy = make_policy_table(total, _write_clean_policy)
    restart = drop("a failed training restarts as often as lifecycle.maxRestarts allows")
    return {
        "slotsPerWorker": map_slots,
        "runPolicy": policy,
        **policy,
        "mpiReplicaSpecs": {
            "Worker": {"replicas": map_replicas, "restartPolicy": drop(REPLACED), "template": {}},
            "Launcher": {
                "replicas": drop("a job has one launcher"),
                "restartPolicy": lambda one: (_report_restarts if one.data == "OnFailure" else restart)(one),
                "template": {},
            },
        },
        "replicas": map_replicas,
        "template": {},
        "sshAuthMountPath": drop("dsgen generates the ssh key and mounts it"),
        "launcherCreationPolicy": drop("the launcher waits for all workers"),
        "runLauncherAsWorker": _report_joining_launcher,
        **dict.fromkeys(("mpiImplementation", "mpiDistribution"), report_implementation),
        "mainContainer": drop("the command says which container it is"),
        **dict.fromkeys(("launcherOnMaster", "launcherOnWorker"), lose("the launcher of dsgen runs on any node")),
    }


def _report_restarts(field: Field) -> None:
    if field.draft.get("lifecycle.maxRestarts"):
        field.map("lifecycle.maxRestarts")
    else:
        field.lose(UNSAID, RESTART_HINT)


def _report_joining_launcher(field: Field) -> None:
    if field.data is True:
        field.map("workers.replicas")
    else:
        field.drop("the launcher of dsgen does not train")


def report_implementation(field: Field) -> None:
    """Which MPI starts the ranks."""
    if field.text.lower() == "openmpi":
        field.drop("launch.method openmpi uses Open MPI")
    else:
        field.lose(OTHER_MPI_WHY, OTHER_MPI_HINT)


def _write_clean_policy(field: Field) -> None:
    if field.data == "None":
        field.set("lifecycle.keepWorkers", "always")
    else:
        field.drop("workers end with the run")


# -- ElasticJob, MSJob ------------------------------------------------------------------------------------------------

NO_MASTER = lose(f"{ELASTIC}, and no master tunes it")


def _read_strategy(field: Field) -> None:
    if "ParameterServer" in field.text:
        raise ImportRefusedError("the job has parameter servers, dsgen has only equal workers", field.node.position)
    field.drop("the values describe a training of equal workers")


def make_elasticjob(_: int) -> Mapping[str, Table]:
    """The spec of an ElasticJob."""
    return {
        "distributionStrategy": _read_strategy,
        "replicaSpecs": {"*": {
            "replicas": map_replicas,
            "restartCount": write_restarts,
            "priority": to("workers.priorityClassName", as_text),
            **dict.fromkeys(("autoScale", "restartTimeout"), NO_MASTER),
            "template": {},
        }},
        "suspend": drop("a job starts when it is applied"),
        "envs": lose("they are for the master of DLRover"),
        **dict.fromkeys(("optimizeMode", "enableDynamicSharding", "enableElasticScheduling", "brainService",
                         "resourceLimits", "relaunchStrategy", "optimizePlan"), NO_MASTER),
    }  # fmt: skip


def make_msjob(total: int) -> Mapping[str, Table]:
    """The spec of an MSJob."""
    return {
        "runPolicy": make_policy_table(total),
        "successPolicy": drop("a run succeeds if all of its workers do"),
        "msReplicaSpecs": {"Scheduler": drop("msrun starts the scheduler of MindSpore on worker 0"), "*": REPLICA},
        "enableDynamicWorker": lose(ELASTIC),
    }


MSRUN = (
    "exec msrun --worker_num $((NNODES * NPROC_PER_NODE)) --local_worker_num $NPROC_PER_NODE \\\n"
    "  --node_rank $NODE_RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT --join=True"
)


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
    groups = [command[at : at + 4] for at in range(0, len(command), 4)]
    draft.set("launch.command", ["bash", "-c", " \\\n  ".join([MSRUN, *map(shlex.join, groups)]) + "\n"])
    draft.add_comment("launch.command", "the operator gave the workers a scheduler; on dsgen, msrun does")
    draft.set("launch.expectWorld", False)


# -- JobSet, Job of Volcano -------------------------------------------------------------------------------------------


def make_jobset(_: int) -> Mapping[str, Table]:
    """The spec of a JobSet."""
    head: Table = {
        "metadata": {"annotations": {"*": write_metadata("annotations")}, "labels": {"*": drop(CONTROLLER)}},
        "spec": JOB,
    }
    return {
        "replicatedJobs": {"*": {
            "name": drop(CONTROLLER), "replicas": map_replicas, "template": head, "*": lose(CONTROLLER)}},
        "network": drop("dsgen has a headless Service of its own"),
        "successPolicy": _read_success,
        "failurePolicy": {
            "maxRestarts": write_restarts,
            "*": lose("dsgen restarts after any failure", "set lifecycle.restartExitCodes"),
        },
        "startupPolicy": drop("the launcher waits for all workers"),
        "suspend": write_suspend,
        "ttlSecondsAfterFinished": lose_ttl,
        "coordinator": drop("worker 0 is the coordinator"),
        "managedBy": NO_EQUIVALENT,
    }  # fmt: skip


def _read_success(field: Field) -> None:
    if field.read("operator") == "Any":
        field.lose("a run succeeds if all of its workers do")
    else:
        field.drop("a run succeeds if all of its workers do")


VOLCANO: Mapping[str, str] = {
    **PYTORCH,
    **dict.fromkeys(("VC_TASK_INDEX", "VK_TASK_INDEX"), "NODE_RANK"),
    **dict.fromkeys(("VC_WORKER_HOSTS", "VC_MPIWORKER_HOSTS", "VC_MASTER_HOSTS"), "MASTER_ADDR"),
    **dict.fromkeys(("VC_WORKER_NUM", "VC_MPIWORKER_NUM"), "NNODES"),
}


def make_volcano(total: int) -> Mapping[str, Table]:
    """The spec of a Job of Volcano."""
    policies: Table = {"*": _report_policy}
    return {
        "minAvailable": report_minimum(total),
        "schedulerName": _report_scheduler,
        "queue": _write_queue,
        "priorityClassName": to("scheduling.priorityClass", as_text),
        "maxRetry": write_restarts,
        "ttlSecondsAfterFinished": lose_ttl,
        "runningEstimate": lose("dsgen has no estimate of a run"),
        "plugins": {
            **dict.fromkeys(("ssh", "svc", "env"), drop("dsgen has a Service, ssh keys and numbers of its own")),
            "pytorch": drop(RENDEZVOUS),
            "mpi": drop("launch.method openmpi starts the ranks"),
            "*": lose("dsgen has no equivalent of this plugin of Volcano"),
        },
        "policies": policies,
        "volumes": lose("dsgen mounts volumes by storage", "set storage"),
        "networkTopology": lose("it asks for nodes that are close to each other", "set scheduling.topology"),
        "tasks": {"*": {
            "name": drop("dsgen has workers and a launcher"),
            "replicas": map_replicas,
            "minAvailable": report_minimum(total),
            "template": {},
            "policies": policies,
            "maxRetry": write_restarts,
            "dependsOn": drop("workers and launcher wait for each other"),
            "topologyPolicy": NO_EQUIVALENT,
        }},
    }  # fmt: skip


def _report_scheduler(field: Field) -> None:
    if field.data == "volcano":
        field.drop("scheduling.gang chooses the scheduler")
    else:
        field.lose("scheduling.gang is volcano, which is the scheduler of such jobs", "set workers.schedulerName")


def _write_queue(field: Field) -> None:
    if field.data == "default":
        field.drop("it is the default of Volcano")
    else:
        to("scheduling.queue", as_text)(field)


def _report_policy(field: Field) -> None:
    """A rule: that the job ends with a task is what dsgen does; others are lost."""
    event, action = field.read("event"), field.read("action")
    if (event, action) == ("TaskCompleted", "CompleteJob"):
        field.drop("a run ends when its training ends")
    elif action == "RestartJob" and event in ("PodEvicted", "PodFailed"):
        field.lose(UNSAID, RESTART_HINT)
    else:
        field.lose("dsgen has no rules for events")


# -- DeepSpeedJob of T9k ----------------------------------------------------------------------------------------------

PAUSED = "the job is paused, and a job of dsgen that must not run is a file that nobody applied"
PAUSED_HINT = "remove spec.runMode.pause, and apply the result when it is to run"
SLOTS = ("slotsPerWorker", "slotPerWorker")
"""The second name is that of T9k's documentation."""


def _read_pause(field: Field) -> None:
    if field.data is True:
        raise ImportRefusedError(PAUSED, field.node.position, PAUSED_HINT)
    field.drop("the job is not paused")


def make_deepspeedjob(_: int) -> Mapping[str, Table]:
    """The spec of a DeepSpeedJob."""
    return {
        "scheduler": {"volcanoScheduler": {
            "queue": write_volcano_queue,
            "priorityClassName": to("scheduling.priorityClass", as_text, ("scheduling.gang", "volcano")),
        }, "*": lose("dsgen has no equivalent of this scheduler", "set workers.schedulerName")},
        "runPolicy": {
            "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
            "backoffLimit": write_restarts,
            "cleanUpPolicy": drop(ENDS),
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
            "pause": {"enabled": _read_pause, "*": lose("dsgen resumes a run as it was")},
        },
        "elastic": {"enabled": drop(ELASTIC), "*": lose(ELASTIC)},
        "config": {
            **dict.fromkeys(SLOTS, map_slots),
            "localRank": to("training.deepspeed.localRank", as_true),
            "autotune": _write_autotuning,
            "run": {"python": _write_program, "module": _write_program, "exec": _write_exec},
            "otherArgs": to("training.deepspeed.args", as_words),
            "customCommand": lose("dsgen starts deepspeed itself", "set launch.method: launcher-command"),
        },
        "disableCustomEnv": drop("a pod has the environment of training.env"),
        "worker": {"replicas": map_replicas, "restartPolicy": drop(REPLACED), "template": {}},
        "tensorboardSpec": lose("dsgen has TensorBoard of its own", "set monitoring.tensorboard"),
    }  # fmt: skip


def _write_program(field: Field) -> None:
    """A script or a module, with its arguments: a list, or one text."""
    words = [str(word) for word in as_list(field.data) or field.text.split()]
    if not words:
        field.lose("it names no program")
        return
    field.map(field.draft.set(f"training.{field.name}", words[0]))
    for word in words[1:]:
        field.draft.add("training.args", word)
    field.conversion.facts.command = ["python3", *(["-m"] if field.name == "module" else []), *words]


def _write_exec(field: Field) -> None:
    words = as_words(field.data) or (["bash", "-c", field.text] if field.text else None)
    if words is None:
        field.lose("it names no program")
    else:
        field.set("training.exec", words)
        field.conversion.facts.command = words


def _write_autotuning(field: Field) -> None:
    if field.data in ("tune", "run"):
        field.set("training.deepspeed.autotuning", field.data)
    else:
        field.drop("it is the default")


def _write_deepspeed_workers(workers: Sequence[PodKind], start: Start) -> None:
    """Workers with sshd, on which the operator starts deepspeed."""
    pod = read_pod(workers[0].template, "workers", start.names)
    conversion, nodes = workers[0].template.conversion, workers[0].count
    drop_sshd(pod)
    devices = pod.devices if start.is_known else None
    slots = start.slots or (1 if devices == 0 else devices)
    write_counts(conversion, nodes or None, slots, JobSize(devices=pod.devices))
    facts = conversion.facts
    facts.workers, facts.replicas, facts.slots = pod.facts, nodes, slots or 0
    if not any(conversion.draft.get(f"training.{key}") for key in ("python", "module", "exec")):
        conversion.draft.set_hole("training.python", "", "the source names no program")


OPERATORS: Mapping[str, Operator] = {
    "pytorchjob": Operator(
        ("spec", "pytorchReplicaSpecs"), make_pytorchjob, Start(PYTORCH, ("pytorch",)),
        slots=(("spec", "nprocPerNode"), ("spec", "elasticPolicy", "nProcPerNode")),
    ),
    "hyperpodpytorchjob": Operator(
        ("spec", "replicaSpecs"), make_hyperpodpytorchjob, Start(PYTORCH, ("pytorch", "pytorch-container")),
        slots=(("spec", "nprocPerNode"),),
    ),
    "mpijob": Operator(
        ("spec", "mpiReplicaSpecs"), make_mpijob,
        Start({f"OMPI_COMM_WORLD_{name}": to for name, to in (
            ("RANK", "RANK"), ("SIZE", "WORLD_SIZE"), ("LOCAL_RANK", "LOCAL_RANK"))},
            ("worker", "mpi-worker", "mpi"), ("mpi-launcher", "mpi", "launcher")),
        slots=(("spec", "slotsPerWorker"),),
    ),
    "elasticjob": Operator(
        ("spec", "replicaSpecs"), make_elasticjob,
        Start({"NODE_NUM": "NNODES", "NODE_RANK": "NODE_RANK", "WORKER_RANK": "NODE_RANK", "WORKER_NUM": "NNODES",
               "MASTER_ADDR": "MASTER_ADDR"}, ("main",)),
    ),
    "msjob": Operator(
        ("spec", "msReplicaSpecs"), make_msjob,
        Start({"MS_WORKER_NUM": "NNODES", "MS_NODE_ID": "NODE_RANK", "MS_SCHED_HOST": "MASTER_ADDR",
               "MS_SCHED_PORT": "MASTER_PORT"}, ("mindspore",), runs_ranks=False),
        ignored=("Scheduler",), after=_start_by_msrun,
    ),
    "jobset": Operator(
        ("spec", "replicatedJobs"), make_jobset, Start(INDEXED, runs_ranks=False, is_set_by_pods=True),
        template=("template", "spec", "template"),
        count=lambda one: read_number(one, "replicas") * count_job(one.find("template", "spec") or one),
    ),
    "job": Operator(
        ("spec", "tasks"), make_volcano, Start(VOLCANO),
        after=lambda conversion: conversion.draft.set("scheduling.gang", "volcano"),
    ),
    "deepspeedjob": Operator(
        ("spec",), make_deepspeedjob, Start({}, ("worker",)), slots=[("spec", "config", name) for name in SLOTS],
        write=_write_deepspeed_workers,
    ),
}  # fmt: skip
"""By the kind of the object, in small letters; `job` is that of Volcano."""
