"""The kinds of pods of a job: which are the workers, which starts the ranks, and what becomes of the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dsgen.importers.container_commands import make_runtime, write_command
from dsgen.importers.conversion import Conversion
from dsgen.importers.facts import JobSize, Role
from dsgen.importers.fields import Field, as_whole, read_name
from dsgen.importers.launchers import rank_words
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.pods import Pod, compare_templates, read_pod
from dsgen.problems import KeyPath, Position

SERVER = re.compile(r"(?i)(^|[-_])(ps|parameter-?servers?|chief)($|[-_]?\d*$)")
"""Names of pods that train in another way than the workers."""
PEERS = {"master", "worker"}
OTHER_KIND = "it is another kind of pods, and dsgen has only workers"
OTHER_KIND_HINT = "apply it as an object of its own, or use workers.initContainers"
SERVERS = "which train in another way, as parameter servers do"
ONLY, ONE_BY_ONE = "dsgen has only equal workers", "import them one by one"
STARTS = re.compile(r"(^|[\s/;&])(mpirun|mpiexec|deepspeed|horovodrun)\s")
SSHD = "dsgen starts sshd with its own configuration"
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
    def starts_ranks(self) -> bool:
        """Whether it starts ranks on other pods."""
        return STARTS.search(f" {' '.join(self.words)} ") is not None

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
    for one in job.list_items(*path):
        name, pods = read_name(one) or one.name, one.find(*template)
        refuse_server(name, one.node.position)
        if pods is not None:
            found.append(PodKind(name, one, pods, count(one)))
    return found


def refuse_server(name: str, at: Position) -> None:
    """Refuse pods that train in another way than the workers, by their name."""
    if SERVER.search(name):
        raise ImportRefusedError(f"the job has pods named {name}, {SERVERS}, and {ONLY}", at)


def find_launcher(kinds: Sequence[PodKind]) -> PodKind | None:
    """The kind of pods that starts the ranks on the others, if there is one."""
    starters = [one for one in kinds if one.name == "Launcher"] or [one for one in kinds if one.starts_ranks]
    others = [one for one in kinds if one not in starters]
    has_workers = any(one.waits or not one.words or one.rank[1] for one in others)
    return starters[0] if len(starters) == 1 and has_workers else None


def choose_workers(kinds: Sequence[PodKind], at: Position) -> list[PodKind]:
    """The equal kinds of pods that train, workers first. Raises ImportRefusedError if they differ."""
    if len(kinds) < 2:
        return [*kinds]
    best = max(kinds, key=lambda one: one.rank)
    if {one.name.lower() for one in kinds} == PEERS:
        return sorted(kinds, key=lambda one: one.name.lower() != "worker")
    form = best.form
    if any(one.rank == best.rank and one.form != form for one in kinds):
        names = ", ".join(one.name for one in kinds)
        raise ImportRefusedError(f"the job has several kinds of pods that train, and {ONLY}: {names}", at, ONE_BY_ONE)
    same = [one for one in kinds if one.form == form]
    return sorted(same, key=lambda one: "worker" not in one.name.lower())


@dataclass(frozen=True)
class Start:
    """How the pods of a job start their processes.

    runtime: what the operator sets in each pod. names: of the main container of workers and of the launcher. slots:
    processes in each pod, None if the command or the devices say it. is_known: whether a field that must say it does.
    runs_ranks: a program without a launcher is one rank in each pod. joins and passes_environment: as in JobSize.
    """

    runtime: Mapping[str, str]
    names: Sequence[str] = ()
    launcher_names: Sequence[str] = ()
    slots: int | None = None
    is_known: bool = True
    runs_ranks: bool = True
    is_set_by_pods: bool = False
    joins: bool = False
    passes_environment: bool = False


def write_workers(workers: Sequence[PodKind], start: Start) -> Pod:
    """Equal pods, which all run the same command."""
    first, *others = workers
    for other in others:
        compare_templates(first.template, other.template)
    pod = read_pod(first.template, "workers", start.names)
    conversion = first.template.conversion
    conversion.facts.workers = pod.facts
    devices = _count_devices(pod, start)
    nodes = sum(one.count for one in workers) if all(one.count for one in workers) else None
    world = JobSize(nodes, start.slots, devices, runs_ranks=start.runs_ranks and devices in (0, 1))
    write_command(pod, world, make_runtime(conversion, choose_runtime(pod, start)))
    return pod


def write_with_launcher(launcher: PodKind, workers: Sequence[PodKind], start: Start) -> Pod:
    """Workers with sshd, and a pod that starts the ranks on them."""
    first, *others = workers
    conversion = first.template.conversion
    pod = read_pod(first.template, "workers", start.names)
    for other in others:
        compare_templates(first.template, other.template)
    starter = read_pod(launcher.template, "launcher", start.launcher_names)
    conversion.facts.workers, conversion.facts.launcher = pod.facts, starter.facts
    drop_sshd(pod)
    devices = _count_devices(pod, start)
    nodes = sum(one.count for one in workers) + start.joins if all(one.count for one in workers) else None
    world = JobSize(nodes, start.slots or (1 if devices == 0 else devices), devices, is_launcher=True,
                    joins=start.joins, passes_environment=start.passes_environment)  # fmt: skip
    write_command(starter, world, make_runtime(conversion, choose_runtime(starter, start)))
    write_expected_world(conversion, starter.facts)
    return pod


def _count_devices(pod: Pod, start: Start) -> int | None:
    """The devices of a worker; None if they do not say how many processes it runs."""
    if not start.is_known and pod.devices:
        pod.template.draft.set("workers.accelerator.count", pod.devices)
    return pod.devices if start.is_known else None


def choose_runtime(pod: Pod, start: Start) -> dict[str, str]:
    """The variables of the runtime, but for numbers that the pods themselves set."""
    given = {name for name, fact in pod.facts.env.items() if str(fact.value).isdigit()} if start.is_set_by_pods else ()
    counts = ("NNODES", "NPROC_PER_NODE")
    return {name: to for name, to in start.runtime.items() if name not in given or to not in counts}


def lose_others(kinds: Sequence[PodKind], kept: Sequence[PodKind]) -> None:
    """Name the kinds of pods that do not train."""
    for one in kinds:
        if one not in kept:
            one.whole.lose(OTHER_KIND, OTHER_KIND_HINT)


def drop_sshd(pod: Pod) -> None:
    """The command of the workers starts sshd; any other one is lost."""
    starts = any("sshd" in one.text or "sleep" in one.text for one in pod.command)
    for one in pod.command:
        if starts:
            one.drop(SSHD)
        else:
            one.lose("workers run nothing but the ranks", "put what prepares a worker into training.setup")


def write_expected_world(conversion: Conversion, role: Role) -> None:
    """Programs of MPI do not connect to each other as torch.distributed does."""
    draft = conversion.draft
    if draft.get("launch.method") != "openmpi":
        return
    words = " ".join([*conversion.facts.command, draft.get("image.repository", ""), *role.env])
    is_python = bool(draft.get("training.python") or draft.get("training.module"))
    if not TORCH.search(words) and (not is_python or NOT_TORCH.search(words)):
        key: KeyPath = ("launch", "expectWorld")
        draft.set(key, False)
        draft.add_comment(key, "the program uses MPI, not torch.distributed")


def read_number(field: Field, *path: str | int, default: int = 1) -> int:
    """A whole number at a path; the default if there is none, 0 if it is no number."""
    found = field.find(*path)
    return default if found is None else as_whole(found.data) or 0
