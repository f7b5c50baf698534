"""Jobs of training operators: their kinds of pods, and one table of fields for each kind of job."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dsgen.importers.container_commands import write_command
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.facts import JobSize, list_variables
from dsgen.importers.fields import (
    Field,
    Fields,
    Table,
    as_count,
    as_text,
    as_true,
    as_whole,
    as_words,
    become,
    drop,
    fix,
    lose,
    read_name,
    refuse,
    to,
    when,
)
from dsgen.importers.launch import OTHER_MPI_HINT, OTHER_MPI_WHY, write_counts
from dsgen.importers.launchers import RANKS, rank_words
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.pods import (
    HEAD,
    METADATA,
    NO_RESTART,
    OTHER_VALUE,
    OVERRIDES,
    RESTART_HINT,
    Pod,
    compare_templates,
    read_pod,
    report_restart_policy,
    write_metadata,
)
from dsgen.importers.scripts import make_runtime
from dsgen.problems import KeyPath, Position

# -- kinds of pods ----------------------------------------------------------------------------------------------------

SERVER = re.compile(r"(?i)(^|[-_])(ps|parameter-?servers?|chief)($|[-_]?\d*$)")
"""Names of pods that train in another way than the workers."""
PEERS = {"master", "worker"}
OTHER_KIND = "it is another kind of pods, and dsgen has only workers"
OTHER_KIND_HINT = "apply it as an object of its own, or use workers.initContainers"
SERVERS = "which train in another way, as parameter servers do"
ONLY, ONE_BY_ONE = "dsgen has only equal workers", "import them one by one"
STARTS = re.compile(r"(^|[\s/;&])(mpirun|mpiexec|deepspeed|horovodrun)\s")
SSHD, NO_COMMAND = "dsgen starts sshd with its own configuration", "workers run nothing but the ranks"
NOT_TORCH = re.compile(r"horovod|tensorflow|\btf_|(^|/)(tf|jax)|mxnet|mpi")
TORCH = re.compile(r"torch|deepspeed|MASTER_(ADDR|PORT)|accelerate|transformers")


@dataclass(frozen=True)
class PodKind:
    """One kind of pods: its name, the field around it, its template, and how many there are (0: not known)."""

    name: str
    whole: Field
    template: Field
    count: int

    @property
    def words(self) -> list[str]:
        """The words of its commands."""
        found = (one for one in self.template.walk() if {"command", "args"} & {*one.path})
        return [word for one in found if "initContainers" not in one.path for word in one.text.split()]

    @property
    def waits(self) -> bool:
        """Whether it starts sshd or waits, as workers do whose ranks another pod starts."""
        return any(word.endswith("sshd") or word == "sleep" for word in self.words)

    @property
    def form(self) -> str:
        """What is equal in the commands of equal pods, which differ in their numbers."""
        return re.sub(r"\d+", "0", " ".join(self.words))

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """How surely it trains."""
        has_devices = any("limits" in one.path and "/" in one.name for one in self.template.walk())
        return rank_words(self.words), has_devices, "worker" in self.name.lower()


def list_kinds(job: Field, path: KeyPath, template: KeyPath, count: Callable[[Field], int]) -> list[PodKind]:
    """The kinds of pods in a map or a list of a job. Raises ImportRefusedError for those that are no workers."""
    found = []
    for item in job.list_items(*path):
        name, pods = read_name(item) or item.name, item.find(*template)
        refuse_server(name, item.node.position)
        if pods is not None:
            found.append(PodKind(name, item, pods, count(item)))
    return found


def refuse_server(name: str, at: Position) -> None:
    """Refuse pods that train in another way than the workers, by their name."""
    if SERVER.search(name):
        raise ImportRefusedError(f"the job has pods named {name}, {SERVERS}, and {ONLY}", at)


def find_launcher(kinds: Sequence[PodKind]) -> PodKind | None:
    """The kind of pods that starts the ranks on the others, if there is one."""
    starters = [one for one in kinds if one.name == "Launcher"] or [
        one for one in kinds if STARTS.search(f" {' '.join(one.words)} ")
    ]
    others = [kind for kind in kinds if kind not in starters]
    has_workers = any(other.waits or not other.words or other.rank[1] for other in others)
    return starters[0] if len(starters) == 1 and has_workers else None


def choose_workers(kinds: Sequence[PodKind], at: Position) -> list[PodKind]:
    """The equal kinds of pods that train, workers first. Raises ImportRefusedError if they differ."""
    if len(kinds) < 2:
        return [*kinds]
    best = max(kinds, key=lambda one: one.rank)
    if {kind.name.lower() for kind in kinds} == PEERS:
        return sorted(kinds, key=lambda one: one.name.lower() != "worker")
    form = best.form
    if any(one.rank == best.rank and one.form != form for one in kinds):
        names = ", ".join(one.name for one in kinds)
        raise ImportRefusedError(f"the job has several kinds of pods that train, and {ONLY}: {names}", at, ONE_BY_ONE)
    return sorted((one for one in kinds if one.form == form), key=lambda one: "worker" not in one.name.lower())


def lose_others(kinds: Sequence[PodKind], kept: Sequence[PodKind]) -> None:
    """Name the kinds of pods that do not train."""
    for kind in kinds:
        if kind not in kept:
            kind.whole.lose(OTHER_KIND, OTHER_KIND_HINT)


# -- what operators share ---------------------------------------------------------------------------------------------

MASTER = {"MASTER_ADDR": "MASTER_ADDR", "MASTER_PORT": "MASTER_PORT"}
PET = {"PET_NNODES": "NNODES", "PET_NODE_RANK": "NODE_RANK", "PET_NPROC_PER_NODE": "NPROC_PER_NODE",
       "PET_MASTER_ADDR": "MASTER_ADDR", "PET_MASTER_PORT": "MASTER_PORT"}  # fmt: skip
PYTORCH: Mapping[str, str] = {**MASTER, "RANK": "NODE_RANK", "WORLD_SIZE": "NNODES", **PET}
"""What operators set in each pod: RANK and WORLD_SIZE count pods."""
INDEXED: Mapping[str, str] = {
    **MASTER,
    **dict.fromkeys(("JOB_COMPLETION_INDEX", "RANK", "NODE_RANK"), "NODE_RANK"),
    **dict.fromkeys(("WORLD_SIZE", "NNODES"), "NNODES"),
}
"""Variables that the pods of Jobs set from labels and names."""


@dataclass(frozen=True)
class Operator:
    """How the jobs of an operator are converted, or those of people without one.

    replicas: where the kinds of pods are; template and count: the template of one, and the number of its pods. runtime:
    what the operator sets in each pod; a number that the pods set themselves is none if is_set_by_pods; WORLD_SIZE is
    the number of processes if counts_processes and the job says how many each pod has. names: of the main container of
    workers and of the launcher. size: what is the same for all jobs. starts: it starts the program on the workers,
    which have sshd. spec: rows of this operator. pods: rows for kinds of pods by their name; one that is not needed has
    an action. after: what tables cannot say.
    """

    replicas: KeyPath
    runtime: Mapping[str, str]
    names: Sequence[str] = ()
    launcher_names: Sequence[str] = ()
    size: JobSize = field(default_factory=JobSize)
    is_set_by_pods: bool = False
    counts_processes: bool = False
    starts: bool = False
    spec: Mapping[str, Table] = field(default_factory=dict)
    pods: Mapping[str, Table] = field(default_factory=dict)
    template: KeyPath = ("template",)
    count: Callable[[Field], int] = field(default=lambda one: read_number(one, "replicas"))
    after: Callable[[Conversion], object] | None = None


def write_pods(
    operator: Operator, workers: Sequence[PodKind], size: JobSize, launcher: PodKind | None = None, main: str = ""
) -> None:
    """Equal pods, which all run the same command, or have sshd, and something else starts the ranks on them.

    launcher: the pods that do so. main: the name of their container.
    """
    first, *others = workers
    conversion = first.template.conversion
    for other in others:
        compare_templates(first.template, other.template)
    pod = read_pod(first.template, "workers", operator.names)
    conversion.facts.workers = pod.facts
    names = [main] if main else operator.launcher_names
    runs = read_pod(launcher.template, "launcher", names) if launcher else pod
    if size.slots == 0 and pod.devices:
        conversion.draft.set("workers.accelerator.count", pod.devices)
    devices = None if size.slots == 0 else pod.devices
    nodes = sum(one.count for one in workers) + size.joins if all(worker.count for worker in workers) else None
    size = replace(size, nodes=nodes, devices=devices)
    if launcher or operator.starts:
        _drop_sshd(pod)
        size = replace(size, slots=size.slots or (1 if devices == 0 else devices), runs_ranks=True, is_launcher=True)
    else:
        size = replace(size, runs_ranks=size.runs_ranks and devices in (0, 1))
    if operator.starts:
        write_counts(conversion, nodes, size.slots, size)
        conversion.facts.replicas, conversion.facts.slots = nodes or 0, size.slots or 0
        return
    # Numbers that the pods themselves set are no variables of the operator.
    given = list_variables(runs.facts) if operator.is_set_by_pods else {}
    own = {name for name, value in given.items() if str(value).isdigit()}
    # An index counts the pods of one kind, and in a JobSet those of one Job.
    jobs = read_number(first.whole, "replicas") if first.whole.find("template", "spec", "template") else 1
    is_one = not others and jobs <= 1
    runtime = {name: meaning for name, meaning in operator.runtime.items()
               if (name not in own or meaning not in ("NNODES", "NPROC_PER_NODE"))
               and (is_one or not name.endswith("_INDEX"))}  # fmt: skip
    if operator.counts_processes and size.slots:
        runtime["WORLD_SIZE"] = "WORLD_SIZE"
    write_command(runs, size, make_runtime(conversion, runtime))
    if launcher:
        conversion.facts.launcher = runs.facts
        write_expected_world(conversion, runs)


def _drop_sshd(pod: Pod) -> None:
    """The command of the workers starts sshd; any other one is lost."""
    starts = any("sshd" in one.text or "sleep" in one.text for one in pod.command)
    row = drop(SSHD) if starts else lose(NO_COMMAND, "put what prepares a worker into training.setup")
    for one in pod.command:
        row(one)


def write_expected_world(conversion: Conversion, pod: Pod | None = None) -> None:
    """Programs of MPI do not connect to each other as torch.distributed does. pod: what starts them."""
    draft = conversion.draft
    if draft.get("launch.method") != "openmpi":
        return
    variables = list_variables(pod.facts) if pod else ()
    words = " ".join([*conversion.facts.command, draft.get("image.repository", ""), *variables])
    is_python = bool(draft.get("training.python") or draft.get("training.module"))
    if not TORCH.search(words) and (not is_python or NOT_TORCH.search(words)):
        draft.set("launch.expectWorld", False)
        draft.add_comment("launch.expectWorld", "the program uses MPI, not torch.distributed")


def read_number(field: Field, *path: str | int, default: int = 1) -> int:
    """A whole number at a path; the default if there is none, 0 if it is no number."""
    found = field.find(*path)
    return default if found is None else as_whole(found.data) or 0


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One job. Raises ImportRefusedError if it has no equal workers."""
    if document.kind == "TrainJob":
        _convert_trainjob(document, conversion)
        return
    operator, fields = OPERATORS[document.kind.lower()], Fields(conversion, document)
    job = fields.root
    kinds = list_kinds(job, operator.replicas, operator.template, operator.count)
    if not kinds and (spec := job.find("spec")) and (template := spec.find("template")):
        kinds = [PodKind("worker", spec, template, operator.count(spec))]  # MPIJob v1alpha1
    launcher = find_launcher(kinds)
    rest = [kind for kind in kinds if kind is not launcher and not callable(operator.pods.get(kind.name))]
    workers = choose_workers(rest, document.position)
    lose_others(rest, workers)
    fields.total = sum(worker.count for worker in workers)
    pods = {str(operator.replicas[-1]): {"*": REPLICA, **operator.pods}}
    job.apply({**HEAD, "spec": {**SPEC, **pods, **operator.spec}})
    if not workers:
        raise ImportRefusedError("the job describes no pods", document.position, "is its indentation right?")
    write_pods(operator, workers, _read_size(job, operator), launcher, as_text(job.read("spec", "mainContainer")) or "")
    if operator.after:
        operator.after(conversion)
    fields.finish()


SLOTS: Sequence[KeyPath] = (
    *(("spec", "nprocPerNode"), ("spec", "elasticPolicy", "nProcPerNode"), ("spec", "slotsPerWorker")),
    *(("spec", "config", "slotsPerWorker"), ("spec", "config", "slotPerWorker")),
)
"""Fields with the number of processes in each pod; the last name is that of T9k's documentation."""
OF_DEVICES = ("gpu", "auto")
"""Words for one process on each device."""


def _read_size(job: Field, operator: Operator) -> JobSize:
    given = next((one.data for path in SLOTS if (one := job.find(*path))), None)
    slots = operator.size.slots if job.find(*operator.replicas) else None
    if given is not None:
        slots = None if given in OF_DEVICES else as_whole(given) or 0
    return replace(
        operator.size,
        slots=slots,
        joins=job.read("spec", "runLauncherAsWorker") is True,
        passes_environment=job.read("spec", "mpiImplementation") in ("Intel", "MPICH"),
    )


# -- the fields of all operators ---------------------------------------------------------------------------------------

MOST_RESTARTS = 1000
TTL = "Argo CD and Flux would show the job as out of sync, or apply its Jobs again"
ENDS = "workers end with the run, and their pods stay until the run is deleted"
GANG = "a gang of dsgen is the whole run"
CONTROLLER = "it belongs to the controller, which dsgen does not need"
REPLACED = "a worker that is lost is replaced"
SUCCESS = "a run succeeds if all of its workers do"
ELASTIC = "a run shrinks after a loss only (workers.min)"


write_restarts = when(
    (0, "0"),
    drop(NO_RESTART),
    to("lifecycle.maxRestarts", lambda data: min(as_whole(data) or 0, MOST_RESTARTS) or None),
)
"""How often a failed training may restart."""


def _has_queue(field: Field) -> bool:
    """Whether a label names a queue of Kueue."""
    return bool(field.draft.get("scheduling.queue"))


WAITS = when(
    (True,),
    when(_has_queue, drop("Kueue suspends and resumes the workers"), fix("lifecycle.suspend", True)),
    drop("a job starts when it is applied"),
)


def lose_ttl(field: Field) -> None:
    """Jobs that Kubernetes deletes would be recreated by GitOps."""
    field.lose(TTL, f"without Argo CD and Flux, set lifecycle.ttlSecondsAfterFinished: {field.text}")


report_minimum = when(
    lambda field: as_count(field.data) in (field.fields.total, field.fields.total + 1),
    drop(GANG),
    lose(f"{GANG}, so fewer workers do not start"),
)
"""minAvailable of a gang."""
write_volcano_queue = when(
    _has_queue,
    drop("the job is in a queue of Kueue"),
    to("scheduling.queue", as_text, ("scheduling.gang", "volcano")),
)
map_replicas = when(
    lambda field: as_whole(field.data) is None,
    lose("its value is no number of pods", "set workers.replicas"),
    become("workers.replicas"),
)
map_slots = when(
    lambda field: field.data in OF_DEVICES or as_whole(field.data),
    become("workers.slots"),
    lose("its value is no number of processes", "set workers.slots"),
)
"""A number of processes in each pod, or a word for one on each device."""


def write_priority(field: Field) -> None:
    """A priority in the queue, or of the pods if there is no queue."""
    scheduling = field.draft.get("scheduling") or {}
    has_queue = {"queue", "gang"} & scheduling.keys() or field.fields.find(*field.path[:-1], "queue")
    to("scheduling.priorityClass" if has_queue else "workers.priorityClassName", as_text)(field)


RUN: Mapping[str, Table] = {
    "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
    "backoffLimit": write_restarts,
    "suspend": WAITS,
    "ttlSecondsAfterFinished": lose_ttl,
}
"""How any job runs and ends."""
POLICY: dict[str, Table] = {
    **RUN,
    **dict.fromkeys(("cleanPodPolicy", "cleanUpPolicy"), drop(ENDS)),
    "managedBy": lose("dsgen has no equivalent of it"),
    "schedulingPolicy": {
        "queue": write_volcano_queue,
        "priorityClass": write_priority,
        "minAvailable": report_minimum,
        "scheduleTimeoutSeconds": to("lifecycle.startTimeoutSeconds", as_count),
        "minResources": drop("the scheduler adds up the requests of the pods"),
    },
}
"""runPolicy of Kubeflow's operators."""


JOB: dict[str, Table] = {
    **dict.fromkeys(("parallelism", "completions"), map_replicas),
    **RUN,
    "completionMode": drop("the workers are an Indexed Job"),
    "template": {},
    **dict.fromkeys(("manualSelector", "selector"), drop(CONTROLLER)),
    "*": lose("dsgen writes the Job of the workers itself"),
}
"""The fields of a Job of batch/v1."""


def count_job(job: Field) -> int:
    """The pods of a Job, 0 if it is not known."""
    numbers = [as_whole(one.data) or 0 for key in ("parallelism", "completions") if (one := job.find(key))]
    return max(numbers, default=1) if all(numbers) else 0


IMPLEMENTATION = when(("OpenMPI", "openmpi"), drop("launch.method openmpi uses Open MPI"),
                      lose(OTHER_MPI_WHY, OTHER_MPI_HINT))  # fmt: skip
"""Which MPI starts the ranks."""


policies = when(
    ([{"event": "TaskCompleted", "action": "CompleteJob"}],), drop("a run ends when its training ends"),
    lose("dsgen has no rules for events, and a run ends when its training ends", RESTART_HINT))  # fmt: skip
head: dict[str, Table] = {
    "metadata": {"annotations": {"*": write_metadata("annotations")}, "labels": {"*": drop(CONTROLLER)}},
    "spec": JOB,
}
REPLICA: dict[str, Table] = {
    "name": drop(CONTROLLER),
    "replicas": map_replicas,
    "minAvailable": report_minimum,
    "restartPolicy": report_restart_policy,
    **dict.fromkeys(("restartCount", "maxRetry"), write_restarts),
    "priority": to("workers.priorityClassName", as_text),
    **dict.fromkeys(("maxReplicas", "autoScale"), lose(ELASTIC)),
    "spares": lose("they replace workers during the training", "set launch.preflight.spares"),
    "policies": policies,
    "dependsOn": drop("workers and launcher wait for each other"),
    "template": {},
}
"""The fields of one kind of pods."""
WORKER: Table = {**REPLICA, "restartPolicy": drop(REPLACED)}
MPI_POLICY: dict[str, Table] = {"cleanPodPolicy": when(("None",), fix("lifecycle.keepWorkers", "always"), drop(ENDS))}
SPEC: dict[str, Table] = {
    **POLICY,
    "runPolicy": POLICY,
    **dict.fromkeys(("nprocPerNode", "slotsPerWorker"), map_slots),
    "template": {},
    "elasticPolicy": {
        "maxRestarts": write_restarts,
        "nProcPerNode": map_slots,
        **dict.fromkeys(("rdzvBackend", "rdzvHost", "rdzvPort", "rdzvId", "standalone"), drop(RANKS)),
        "*": lose(ELASTIC),
    },
    # of MPIJobs
    "replicas": map_replicas,
    "sshAuthMountPath": drop("dsgen generates the ssh key and mounts it"),
    "launcherCreationPolicy": drop("the launcher waits for all workers"),
    "runLauncherAsWorker": when((True,), become("workers.replicas"), drop("the launcher of dsgen does not train")),
    **dict.fromkeys(("mpiImplementation", "mpiDistribution"), IMPLEMENTATION),
    "mainContainer": drop("the command says which container it is"),
    # of ElasticJobs and MSJobs
    "distributionStrategy": when(
        lambda field: "ParameterServer" in field.text,
        refuse("the job has parameter servers, dsgen has only equal workers"),
        drop("the values describe a training of equal workers")),
    **dict.fromkeys(("optimizeMode", "enableDynamicSharding", "enableElasticScheduling", "enableDynamicWorker"),
                    lose(ELASTIC)),
    # of JobSets
    "network": drop("dsgen has a headless Service of its own"),
    "successPolicy": when(lambda field: "Any" in (field.text, field.read("operator")),
                          lose(SUCCESS), drop(SUCCESS)),
    "failurePolicy": {"maxRestarts": write_restarts,
                      "*": lose("dsgen restarts after any failure", "set lifecycle.restartExitCodes")},
    "startupPolicy": drop("the launcher waits for all workers"),
    "coordinator": drop("worker 0 is the coordinator"),
    # of Jobs of Volcano
    "minAvailable": report_minimum,
    "schedulerName": when(
        ("volcano",), drop("scheduling.gang chooses the scheduler"),
        lose("scheduling.gang is volcano, which is the scheduler of such jobs", "set workers.schedulerName")),
    "queue": when(("default",), drop("it is the default of Volcano"), to("scheduling.queue", as_text)),
    "priorityClassName": to("scheduling.priorityClass", as_text),
    "maxRetry": write_restarts,
    "plugins": {
        **dict.fromkeys(("ssh", "svc", "env"), drop("dsgen has a Service, ssh keys and numbers of its own")),
        **dict.fromkeys(("pytorch", "mpi"), drop(RANKS)),
    },
    "policies": policies,
    "volumes": lose("dsgen mounts volumes by storage", "set storage"),
}  # fmt: skip
"""The fields of jobs of all operators beside their pods; a name means the same in all of them."""


# -- what single operators need ---------------------------------------------------------------------------------------


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
            why = "msrun starts Python without options"
            conversion.ledger.add("lost", flag, entry.position, why)
    groups = [command[at : at + 4] for at in range(0, len(command), 4)]
    draft.set("launch.command", ["bash", "-c", " \\\n  ".join([MSRUN, *map(shlex.join, groups)]) + "\n"])
    draft.add_comment("launch.command", "the operator gave the workers a scheduler; on dsgen, msrun does")
    draft.set("launch.expectWorld", False)


VOLCANO: Mapping[str, str] = {
    **PYTORCH,
    **dict.fromkeys(("VC_TASK_INDEX", "VK_TASK_INDEX"), "NODE_RANK"),
    **dict.fromkeys(("VC_WORKER_HOSTS", "VC_MPIWORKER_HOSTS"), "LIST_WITH_COMMAS"),
    "VC_MASTER_HOSTS": "MASTER_ADDR",
    **dict.fromkeys(("VC_WORKER_NUM", "VC_MPIWORKER_NUM"), "NNODES"),
}


# -- DeepSpeedJob of T9k ----------------------------------------------------------------------------------------------

PAUSED = "the job is paused, and a job of dsgen that must not run is a file that nobody applied"
PAUSED_HINT = "remove spec.runMode.pause, and apply the result when it is to run"


def _write_program(field: Field) -> None:
    """A script, a module or any program, with its arguments: a list, or one text."""
    command = ["bash", "-c", field.text] if field.name == "exec" and field.text else field.text.split()
    words = as_words(field.data) or command
    if not words:
        field.lose("it names no program")
        return
    if field.name == "exec":
        field.set("training.exec", words)
    else:
        field.map(field.draft.set(f"training.{field.name}", words[0]))
        for word in words[1:]:
            field.draft.add("training.args", word)
    start = {"exec": [], "python": ["python3"], "module": ["python3", "-m"]}[field.name]
    field.conversion.facts.command = [*start, *words]


DEEPSPEEDJOB: Mapping[str, Table] = {
    "scheduler": {"volcanoScheduler": {
        "queue": write_volcano_queue,
        "priorityClassName": to("scheduling.priorityClass", as_text, ("scheduling.gang", "volcano")),
    }, "*": lose("dsgen has no equivalent of this scheduler", "set workers.schedulerName")},
    "runMode": {
        "debug": {
            **dict.fromkeys(("enabled", "enable"), to("lifecycle.debug.enabled", as_true)),
            "*": lose("the workers of dsgen wait with sshd", "set lifecycle.debug"),
        },
        "pause": {
            "enabled": when((True,), refuse(PAUSED, PAUSED_HINT), drop("the job is not paused")),
            "*": lose("dsgen resumes a run as it was"),
        },
    },
    "elastic": {"enabled": drop(ELASTIC), "*": lose(ELASTIC)},
    "config": {
        **dict.fromkeys(("slotsPerWorker", "slotPerWorker"), map_slots),
        "localRank": to("training.deepspeed.localRank", as_true),
        "autotune": when(("tune", "run"), to("training.deepspeed.autotuning"), drop("it is the default")),
        "run": dict.fromkeys(("python", "module", "exec"), _write_program),
        "otherArgs": to("training.deepspeed.args", as_words),
    },
    "worker": WORKER,
}  # fmt: skip


def _ask_for_program(conversion: Conversion) -> None:
    if not any(conversion.draft.get(f"training.{key}") for key in ("python", "module", "exec")):
        conversion.draft.set_hole("training.python", "", "the source names no program")


OPERATORS: Mapping[str, Operator] = {
    "pytorchjob": Operator(("spec", "pytorchReplicaSpecs"), PYTORCH, ("pytorch",), counts_processes=True),
    "hyperpodpytorchjob": Operator(
        ("spec", "replicaSpecs"), PYTORCH, ("pytorch", "pytorch-container"),
        spec={"runPolicy": {**POLICY, "jobMaxRetryCount": write_restarts}},
    ),
    "mpijob": Operator(
        ("spec", "mpiReplicaSpecs"),
        {f"OMPI_COMM_WORLD_{name}": name for name in ("RANK", "LOCAL_RANK")} | {"OMPI_COMM_WORLD_SIZE": "WORLD_SIZE"},
        ("worker", "mpi-worker", "mpi"), ("mpi-launcher", "mpi", "launcher"), JobSize(slots=1),
        spec={**MPI_POLICY, "runPolicy": {**POLICY, **MPI_POLICY}},
        pods={"Worker": WORKER, "Launcher": {**REPLICA, "replicas": drop("a job has one launcher")}},
    ),
    "elasticjob": Operator(
        ("spec", "replicaSpecs"),
        {"NODE_NUM": "NNODES", "NODE_RANK": "NODE_RANK", "WORKER_RANK": "NODE_RANK", "WORKER_NUM": "NNODES",
         "MASTER_ADDR": "MASTER_ADDR"}, ("main",),
    ),
    "msjob": Operator(
        ("spec", "msReplicaSpecs"),
        {"MS_WORKER_NUM": "NNODES", "MS_NODE_ID": "NODE_RANK", "MS_SCHED_HOST": "MASTER_ADDR",
         "MS_SCHED_PORT": "MASTER_PORT"}, ("mindspore",), size=JobSize(runs_ranks=False),
        pods={"Scheduler": drop("msrun starts the scheduler of MindSpore on worker 0")}, after=_start_by_msrun,
    ),
    "jobset": Operator(
        ("spec", "replicatedJobs"), INDEXED, size=JobSize(runs_ranks=False), is_set_by_pods=True,
        pods={"*": {**REPLICA, "template": head, "dependsOn": lose("dsgen starts all workers together")}},
        template=("template", "spec", "template"),
        count=lambda one: read_number(one, "replicas") * count_job(one.find("template", "spec") or one),
    ),
    "job": Operator(
        ("spec", "tasks"), VOLCANO, after=lambda conversion: conversion.draft.set("scheduling.gang", "volcano"),
    ),
    "deepspeedjob": Operator(
        ("spec",), {}, ("worker",), starts=True, spec=DEEPSPEEDJOB, after=_ask_for_program,
    ),
}  # fmt: skip
"""By the kind of the object, in small letters; `job` is that of Volcano."""


# -- TrainJob ----------------------------------------------------------------------------------------------------------

RUNTIMES = ("ClusterTrainingRuntime", "TrainingRuntime")
TRAINER: Mapping[str, str] = {**PET, "JOB_COMPLETION_INDEX": "NODE_RANK"}
JOBS: KeyPath = ("spec", "template", "spec", "replicatedJobs")
STAGE = lose("dsgen downloads no datasets or models before a run",
             "download them in workers.initContainers, or once onto a volume")  # fmt: skip
NODES = drop("numNodes, or the number of these pods, is the number of workers")
OF_JOBSET = drop("it belongs to the JobSet of the runtime, which dsgen does not need")
OF_RUNTIME: Table = {
    "template": {**head, "spec": {**JOB, **dict.fromkeys(("parallelism", "completions"), NODES)}},
    "*": OF_JOBSET,
}
"""One kind of Jobs of a runtime, beside its pods."""
TRAINJOB: Mapping[str, Table] = {
    "runtimeRef": drop("the values have what the runtime says"),
    **{key: METADATA[key] for key in ("labels", "annotations")},
    "trainer": {"numNodes": map_replicas, "numProcPerNode": map_slots},
    "initializer": STAGE,
}


def _write_gang(field: Field) -> None:
    field.draft.set("scheduling.gang", field.name)
    field.apply(POLICY["schedulingPolicy"])


RUNTIME: Mapping[str, Table] = {
    **HEAD,
    "metadata": drop("the name and labels of the runtime belong to it"),
    "spec": {
        "mlPolicy": {
            "numNodes": map_replicas,
            "torch": {"numProcPerNode": map_slots, "elasticPolicy": lose(ELASTIC)},
            "mpi": {**SPEC, "numProcPerNode": map_slots,
                    "runLauncherAsNode": drop("the launcher of dsgen does not train, all nodes are workers")},
        },
        "podGroupPolicy": dict.fromkeys(("volcano", "coscheduling"), _write_gang),
        "template": {"spec": {**SPEC, "replicatedJobs": {}},
                     "metadata": {**METADATA, **dict.fromkeys(("name", "namespace"), OF_JOBSET)}},
    },
}  # fmt: skip
"""The fields of a runtime beside its pods."""


def _convert_trainjob(document: SourceDocument, conversion: Conversion) -> None:
    """One TrainJob: the pods of its runtime, with what its trainer replaces."""
    fields = Fields(conversion, document)
    runtime = Fields(conversion, _find_runtime(fields.root))
    conversion.used.add(id(runtime.document))
    trainer, policy = fields.find("spec", "trainer"), runtime.find("spec", "mlPolicy")
    jobs = {read_name(item): item for item in reversed(runtime.root.list_items(*JOBS))}
    template = ("template", "spec", "template")
    first, starts = jobs.get("node", next(iter(jobs.values()), None)), jobs.get("launcher")
    node, launcher = (one.find(*template) if one else None for one in (first, starts))
    if first is None or node is None:
        raise ImportRefusedError("the runtime describes no pods", runtime.document.position)
    fields.root.apply({**HEAD, "spec": {**SPEC, **TRAINJOB}})
    for path in (("numNodes",), ("torch", "numProcPerNode"), ("mpi", "numProcPerNode")):
        if trainer and policy and trainer.find(path[-1]) and (other := policy.find(*path)):
            OTHER_VALUE(other)
    runtime.root.apply(RUNTIME)
    # Where a launcher starts the ranks, the trainer's command is its own.
    overrides = {name: own for name, own in OVERRIDES.items() if not launcher or name in ("image", "resources")}
    pod = read_pod(node, "workers", ("node", "trainer"), trainer, overrides)
    conversion.facts.workers = pod.facts
    nodes = [read_number(one, "numNodes") for one in (trainer, policy) if one and one.find("numNodes")]
    nodes = nodes or [count_job(first.find("template", "spec") or first)]
    processes = [trainer.read("numProcPerNode") if trainer else None]
    processes += [policy.read(key, "numProcPerNode") for key in ("torch", "mpi") if policy]
    starter = read_pod(launcher, "launcher", ("node", "launcher"), trainer) if launcher else None
    slots = next(filter(None, map(as_count, processes)), 1 if starter and pod.devices == 0 else None)
    size = JobSize(nodes[0] or None, slots, pod.devices, runs_ranks=starter is not None)
    if starter:
        _drop_sshd(pod)
        starter.facts |= {fact: value for fact, value in pod.facts.items() if fact.startswith("env.")}
        conversion.facts.launcher, size = starter.facts, replace(size, is_launcher=True)
    operator = OPERATORS["mpijob"].runtime if starter else TRAINER
    write_command(starter or pod, size, make_runtime(conversion, operator))
    write_expected_world(conversion, starter or pod)
    for name, one in jobs.items():
        one.apply(STAGE if name.endswith("initializer") else OF_RUNTIME)
    runtime.finish()
    fields.finish()


def _find_runtime(job: Field) -> SourceDocument:
    """The runtime that the job names, from the same file or from files beside it."""
    conversion, named = job.conversion, job.find("spec", "runtimeRef", "name")
    name = named.text if named else "torch-distributed"
    found = next((other for other in conversion.others if other.kind in RUNTIMES and other.name == name), None)
    if found is None:
        hint = f"give it: --runtime FILE, from kubectl get clustertrainingruntime {name} -o yaml"
        at = (named or job).node.position
        raise ImportRefusedError(f"the job needs the runtime {name}, which is in another file", at, hint)
    return found
