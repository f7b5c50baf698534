"""The table of faults: one row for each, with the expected end for each launch method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.faults import harm
from tests.faults.trial import Trial

PDSH, OPENMPI, COMMAND = "pdsh", "openmpi", "launcher-command"
TORCHRUN, NO_SSH, EACH = "torchrun", "deepspeed-no-ssh", "worker-command"
SCRIPT = "slurm-script"  # whose srun starts the ranks
ACCELERATE = "accelerate"  # worker-command, with the command of the preset
ALL = (PDSH, OPENMPI, COMMAND, TORCHRUN, NO_SSH, EACH)
EVERY = (*ALL, SCRIPT, ACCELERATE)
SSH, WITHOUT = (PDSH, OPENMPI, COMMAND), (TORCHRUN, NO_SSH, EACH)
RANKS = (PDSH, OPENMPI, TORCHRUN, NO_SSH, EACH)  # the methods whose ranks have a supervisor (worker/rank.py)


@dataclass(frozen=True)
class End:
    """The expected record and the exit code of the launcher's container.

    Each of `reasons` is right, and each of `codes`, the exit codes of the launcher, None if no pod is left. Each of
    `words` must be in the message or in an attempt, none of `never`.
    """

    phase: str
    reasons: tuple[str, ...]
    codes: tuple[int | None, ...]
    words: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    attempts: int = 0  # at least so many
    first: int = 0  # the step at which a rank must have started


GOOD = End("Succeeded", ("",), (0,))
UNHARMED = End("Succeeded", ("",), (0,), never=("WorkersLost",))  # no attempt had begun when the fault was caused
AGAIN = End("Succeeded", ("",), (0,), attempts=2)
# The record names the lost worker, but not the other one, which noticed the loss.
LOST_1 = End("Succeeded", ("",), (0,), words=("digits-1-worker-1",), never=("digits-1-worker-0",), attempts=2)
# The training resumes from the checkpoint that was written on SIGTERM.
SAVED = End("Succeeded", ("",), (0,), words=("digits-1-worker-0",), never=("digits-1-worker-1",), attempts=2, first=6)


def failed(reason: str, *codes: int | None, words: tuple[str, ...] = ()) -> End:
    return End("Failed", (reason,), codes, words)


@dataclass(frozen=True)
class Row:
    """One fault. `fault` is called during the training; without it, the values or the program cause the fault."""

    name: str
    what: str
    methods: tuple[str, ...]
    end: End
    fault: Callable[[Trial], None] | None = None
    arguments: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    others: dict[str, End] = field(default_factory=dict)  # methods with another end
    within: int = 90  # seconds from the fault until the end is in the record
    needs: str = ""  # what a cluster must have: power, host or kueue
    on_second: str = "workers"  # with power: the role whose pods are on the second node

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong with the training."""
        return not (self.fault or self.arguments or self.values or self.needs)


def fails(how: str) -> tuple[str, ...]:
    """Arguments with which rank 1 fails at step 7."""
    return ("--fail", f"7:1:{how}")


def blamed(code: int, rank: str = "rank 1 on") -> End:
    """Rank 1 failed first, and the record names it; with slurm-script the first worker, whose script failed.

    For a command in the launcher, it has only the exit code.
    """
    return failed("TrainingFailed", code, words=(rank,))


# Rank 1 ended without a report; the record names its worker.
SILENT = End("Failed", ("TrainingFailed",), (1,), words=("digits-1-worker-1",), never=("digits-1-worker-0",))

SSH_255 = {COMMAND: failed("TrainingFailed", 1, words=("exit code 255",))}
NOT_A_WORKER = End("Failed", ("TrainingFailed",), (1,), words=("exit code 137",), never=("digits-1-worker",))
AGENT = "SIGKILL of torchrun or `accelerate launch` on worker 1"
STARTER = "SIGKILL of pdsh or mpirun in the launcher"
EVICTED = "worker 0 is evicted, and writes a checkpoint on SIGTERM"
ALONE = "the launcher loses its network for good"
FIRST = "SIGKILL of the first process of"
NODES = {"workers": "both workers", "launcher": "the launcher"}

ROWS = (
    Row("none", "no fault", EVERY, GOOD),
    # the program
    *(
        Row(
            *(name, f"rank 1 {what}", methods, blamed(code)),
            others={COMMAND: failed("TrainingFailed", code), SCRIPT: blamed(code, "rank 0 on")},
            arguments=fails(how),
        )
        for name, what, methods, code, how in (
            ("exception", "raises an exception", EVERY, 1, "raise"),
            ("exit-code", "exits with 3", (*ALL, SCRIPT), 3, "3"),
            ("early-exit", "exits with 0, the other rank waits for it", ALL, 1, "0"),
            ("killed", "gets SIGKILL", EVERY, 1, "kill"),
        )
    ),
    Row(
        "memory",
        "rank 1 takes more memory than its pod may have",
        (PDSH, TORCHRUN),
        blamed(1),
        arguments=fails("memory"),
        values={"workers": {"resources": {"limits": {"memory": "700Mi"}}}},
        within=180,
    ),
    Row(
        "deadline",
        "the training takes longer than lifecycle.activeDeadlineSeconds",
        ALL,
        failed("DeadlineExceeded", 1),
        arguments=fails("hang"),
        values={"lifecycle": {"activeDeadlineSeconds": 20}},
    ),
    Row(
        "restart",
        "rank 1 raises once, maxRestarts is 1",
        EVERY,
        AGAIN,
        arguments=(*fails("raise"), "--once"),
        values={"lifecycle": {"maxRestarts": 1}},
        within=180,
    ),
    Row(
        "hang",
        "rank 1 does nothing any more, hangTimeoutSeconds is 30",
        EVERY,
        failed("Hung", 1),
        arguments=fails("hang"),
        values={"lifecycle": {"hangTimeoutSeconds": 30}},
        within=180,
    ),
    # processes of the run
    *(
        Row(*row, others=others, within=within, needs=needs)
        for *row, others, within, needs in (
            ("rank-supervisor", "SIGKILL of rank.py on worker 1", RANKS, SILENT, harm.kill_rank_supervisor, {}, 90, ""),
            ("session", "SIGKILL of worker 1's ssh session", SSH, LOST_1, harm.kill_session, SSH_255, 180, ""),
            ("sshd", "SIGKILL of sshd on worker 1", SSH, GOOD, harm.kill_sshd, {}, 180, ""),
            ("launch-py", "SIGKILL of deepspeed's launch.py", (PDSH, NO_SSH), SILENT, harm.kill_launch_py, {}, 90, ""),
            ("agent", AGENT, (TORCHRUN, ACCELERATE), SILENT, harm.kill_agent, {}, 90, ""),
            ("starter", STARTER, (PDSH, OPENMPI), NOT_A_WORKER, harm.kill_starter, {}, 90, ""),
            ("sidecar", "the status sidecar ends and is started again", ALL, GOOD, harm.stop_sidecar, {}, 90, ""),
            ("sidecar-killed", "SIGKILL of the status sidecar", ALL, GOOD, harm.kill_sidecar, {}, 90, "host"),
            ("worker-killed", f"{FIRST} worker 1", ALL, LOST_1, harm.kill_worker, {}, 180, "host"),
            ("launcher-killed", f"{FIRST} the launcher", ALL, AGAIN, harm.kill_launcher, {}, 240, "host"),
        )
    ),
    # pods
    *(
        Row(name, what, methods, end, fault, others=others, within=within)
        for name, what, methods, end, fault, others, within in (
            ("worker-deleted", "worker 1 is deleted", EVERY, LOST_1, harm.delete_worker, {}, 180),
            ("worker-evicted", EVICTED, (*ALL, SCRIPT), SAVED, harm.evict_worker, {}, 180),
            ("worker-forced", "worker 1 is deleted without a grace period", ALL, LOST_1, harm.force_worker, {}, 180),
        )
    ),
    Row(
        "worker-lost-again",
        "worker 1 is deleted, maxRestarts is 1",
        (TORCHRUN,),
        LOST_1,
        harm.delete_worker,
        values={"lifecycle": {"maxRestarts": 1}},
        within=240,
    ),
    *(
        Row(name, what, methods, AGAIN, fault, others=dict.fromkeys(unharmed, GOOD), within=within, needs=needs)
        for name, what, methods, fault, unharmed, within, needs in (
            ("launcher-deleted", "the launcher is deleted", ALL, harm.delete_launcher, WITHOUT, 240, ""),
            (
                "launcher-evicted",
                "the launcher is evicted",
                EVERY,
                harm.evict_launcher,
                (*WITHOUT, SCRIPT, ACCELERATE),
                240,
                "",
            ),
            ("launcher-network", ALONE, (PDSH, TORCHRUN), harm.cut_launcher_pod, (TORCHRUN,), 300, "host"),
        )
    ),
    Row(
        "run-deleted",
        "both Jobs are deleted",
        (PDSH, TORCHRUN),
        End("Stopped", ("JobDeleted",), (None,)),
        harm.delete_jobs,
    ),
    Row(
        "keep-workers",
        "rank 1 raises, keepWorkers is failed",
        (PDSH, OPENMPI),
        failed("TrainingFailed", 1),
        harm.delete_kept_workers,
        arguments=fails("raise"),
        values={"lifecycle": {"keepWorkers": "failed"}},
    ),
    # nodes
    *(
        Row(
            *(name, f"the node of {NODES[role]} {what}", methods, AGAIN, fault),
            others={EACH: GOOD} if role == "launcher" else {},
            needs="power",
            on_second=role,
            within=within,
        )
        for role, name, what, methods, fault, within in (
            ("workers", "node-killed", "loses its power for 60 s", (OPENMPI, EACH), harm.kill_node, 400),
            ("workers", "node-rebooted", "is started again", (OPENMPI, EACH), harm.reboot_node, 300),
            (
                "launcher",
                "launcher-node-killed",
                "loses its power for 60 s",
                (OPENMPI, EACH),
                harm.kill_launcher_node,
                400,
            ),
            ("launcher", "launcher-node-rebooted", "is started again", (OPENMPI, EACH), harm.reboot_launcher_node, 300),
            ("workers", "node-cut", "loses its network for 60 s", (OPENMPI, EACH), harm.cut_node, 300),
            ("launcher", "launcher-cut", "loses its network for 60 s", (OPENMPI,), harm.cut_launcher, 400),
        )
    ),
    Row(
        "cut-at-start",
        "the node of the workers has no network from the start on",
        (OPENMPI,),
        failed("WorkersUnreachable", 69),
        harm.cut_at_start,
        values={"lifecycle": {"startTimeoutSeconds": 60}},
        needs="power",
        within=200,
    ),
    # setup, image, key, hostfile, user
    Row(
        "setup-launcher",
        "training.setup fails in the launcher",
        (PDSH, OPENMPI),  # without ssh, the launcher does not source it
        failed("SetupFailed", 1, words=("exit code 3",)),
        values={"training": {"setup": harm.only("launcher", "exit 3")}},
        within=120,
    ),
    Row(
        "setup-hangs",
        "training.setup does not end on worker 1",
        (PDSH, TORCHRUN),
        failed("WorkersUnreachable", 69),
        values={
            "training": {"setup": 'if [ "$JOB_COMPLETION_INDEX" = 1 ]; then sleep 100000; fi'},
            "lifecycle": {"startTimeoutSeconds": 45},
        },
        within=180,
    ),
    Row(
        "no-sshd",
        "the image of the workers has no sshd",
        (PDSH, OPENMPI),
        failed("WorkersFailed", 1, words=("there is no sshd in this image",)),
        values={"training": {"setup": harm.only("worker", 'rm -f "$(PATH=$PATH:/usr/sbin type -P sshd)"')}},
        within=120,
    ),
    Row(
        "no-starter",
        "the image has no pdsh, or no mpirun",
        (PDSH, OPENMPI),
        failed("ToolMissing", 78),
        values={"training": {"setup": harm.only("launcher", 'rm -f "$(type -P pdsh)" "$(type -P mpirun)"')}},
        within=120,
    ),
    Row(
        "bad-key",
        "ssh.secret names a Secret with something else than a key",
        SSH,
        # Launcher or workers, whose kubelets bring the key at different times. Both say what is wrong with it.
        End("Failed", ("BadKey", "WorkersFailed"), (78, 1), words=("the private key cannot be used",)),
        values={"ssh": {"secret": {"mode": "existing", "name": "nokey"}}},
        fault=harm.start_with_bad_key,
        within=120,
    ),
    Row(
        "login-refused",
        "the workers refuse the launcher's login: another key",
        (PDSH, OPENMPI),
        failed("WorkersUnreachable", 69, words=("refused the login",)),
        values={
            "training": {"setup": harm.only("worker", harm.OTHER_KEY)},
            "lifecycle": {"startTimeoutSeconds": 45},
        },
        within=180,
    ),
    Row(
        "hostfile",
        "deepspeed reads a hostfile with one worker less",
        (PDSH,),
        failed("WorldSize", 1),
        values={"training": {"setup": harm.SMALLER}},
        within=180,
    ),
    Row(
        "uid",
        "containers run as a user that the image does not know",
        (PDSH, TORCHRUN),
        GOOD,
        values={
            "security": {
                "podSecurityLevel": "restricted",
                "podSecurityContext": {"runAsUser": 4321, "runAsGroup": 4321, "fsGroup": 4321},
            }
        },
        within=180,
    ),
    # runs and queues
    Row(
        "two-runs",
        "another run begins while this one trains",
        (PDSH, TORCHRUN),
        GOOD,
        harm.begin_another_run,
        within=240,
    ),
    Row(
        "preempted",
        "Kueue preempts the workers in mid-training",
        (PDSH, TORCHRUN, SCRIPT),
        AGAIN,
        harm.preempt,
        needs="kueue",
        within=300,
    ),
    Row(
        "preempted-early",
        "Kueue preempts the workers while they start",
        (PDSH, TORCHRUN),
        UNHARMED,
        harm.preempt_early,
        values={"training": {"setup": harm.only("worker", harm.HELD)}},
        needs="kueue",
        within=300,
    ),
)


@dataclass(frozen=True)
class Case:
    """A row with one of its methods."""

    row: Row
    method: str

    @property
    def name(self) -> str:
        return f"{self.row.name}/{self.method}"

    @property
    def end(self) -> End:
        return self.row.others.get(self.method, self.row.end)


CASES = {case.name: case for row in ROWS for method in row.methods for case in [Case(row, method)]}
