"""Processes of the launcher and of the ranks: finding, ending and reaping them."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from launcher import process as launcher_process
from launcher import workers
from shared import output
from tests.scripts.conftest import program, wait_until
from tests.scripts.trainings import CLOSED, CLOSED_0, HOSTS, RANK, RANK_0, started
from worker import end_ranks


def test_a_training_is_read_to_its_end() -> None:
    run = started(RANK, b"cifar-1-worker-1: x\n", CLOSED, code=3)
    run.process.wait()
    run.finish()

    assert run.poll() == 3
    assert run.output.closed == {HOSTS[1]: 3}


def test_a_signal_is_128_and_its_number() -> None:
    run = started(code=0, command="kill -9 $$;")
    run.process.wait()

    assert run.poll() == 137


def test_killing_a_training_ends_what_it_has_started() -> None:
    run = started(code=0, command="sleep 300 & wait;")
    while run.process.pid not in {process.parent for process in end_ranks.list_processes().values()}:
        time.sleep(0.01)

    run.kill()
    run.finish()

    assert run.poll() == 137
    assert not run._pump.is_alive(), "who holds the pipe has ended"


def shim(tmp_path: Path, of_pdsh: str, *arguments: str) -> "subprocess.Popen[bytes]":
    real = program(tmp_path / "real", of_pdsh)
    script = Path(launcher_process.__file__).parents[1] / "ssh/pdsh.sh"
    return subprocess.Popen(["bash", script, *arguments], env={**os.environ, "DSGEN_PDSH": str(real)})


@pytest.mark.parametrize(("program", "code"), [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -9 $$", 137)])
def test_the_shim_has_an_honest_exit_code(tmp_path: Path, program: str, code: int) -> None:
    """deepspeed takes a pdsh that a signal ended for a success."""
    assert code == shim(tmp_path, program).wait(10)


def test_the_shim_hands_on_arguments_and_sigterm(tmp_path: Path) -> None:
    process = shim(tmp_path, f'trap "exit 9" TERM; printf "%s|" "$@" >{tmp_path}/got; sleep 5 & wait', "-w", "a b", "")
    wait_until((tmp_path / "got").exists)
    time.sleep(0.2)

    process.send_signal(signal.SIGTERM)

    assert process.wait(10) == 9
    assert (tmp_path / "got").read_text() == "-w|a b||"


def test_the_reaper_leaves_the_launchers_own_children_alone() -> None:
    own = subprocess.Popen(["sh", "-c", "exit 5"])
    other = os.spawnlp(os.P_NOWAIT, "true", "true")
    for child in (own.pid, other):
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)

    reached = workers.Workers(HOSTS)
    reached.children.add(own.pid)
    reached.reap()
    assert own.wait() == 5
    reached.reap()

    with pytest.raises(ChildProcessError):
        os.waitpid(other, os.WNOHANG)


ARGV = [b"python3", b"-ESs", b"/etc/dsgen/shared/run.py", b"/etc/dsgen/worker/rank.py"]
PROCESSES = {
    1: end_ranks.ProcessCommand(0, [b"python3", b"/etc/dsgen/worker/main.py"]),
    10: end_ranks.ProcessCommand(1, [b"bash", b"-c", b"python3 -u -m deepspeed.launcher.launch x"]),
    11: end_ranks.ProcessCommand(10, [b"python3", b"-u", b"-m", b"deepspeed.launcher.launch", *ARGV, b""]),
    12: end_ranks.ProcessCommand(11, [*ARGV, b""]),
    13: end_ranks.ProcessCommand(12, [b"python3", b"train.py"]),
    14: end_ranks.ProcessCommand(13, [b"nvcc"]),
    30: end_ranks.ProcessCommand(1, [b"python3", b"/usr/bin/torchrun", b"--no_python", *ARGV]),
    31: end_ranks.ProcessCommand(30, ARGV),
    40: end_ranks.ProcessCommand(1, [b"python3", b"/etc/dsgen/worker/main.py"]),
    41: end_ranks.ProcessCommand(40, [b"python3", b"train.py"]),
}


@pytest.mark.parametrize("forked", [[], [40]])
@pytest.mark.parametrize(
    ("name", "expected"), [("TERM", {12, 31}), ("STACKS", {12, 31}), ("KILL", {11, 12, 13, 14, 30, 31})]
)
def test_whom_a_signal_goes_to(name: str, expected: set[int], forked: list[int]) -> None:
    """A rank that the worker forked gets it too; its program is killed with it."""
    own = {pid for rank in forked for pid in (rank, *([rank + 1] if name == "KILL" else []))}
    assert expected | own == end_ranks.choose_targets(PROCESSES, name, forked)


def test_a_launcher_without_ranks_is_asked_to_end_itself() -> None:
    young = {pid: process for pid, process in PROCESSES.items() if pid not in (12, 13, 14, 31)}

    assert end_ranks.choose_targets(young, "TERM") == {11, 30}


def test_processes_are_read_from_proc() -> None:
    child = subprocess.Popen(["sleep", "300"])
    try:
        process = end_ranks.list_processes()[child.pid]
    finally:
        child.kill()
        child.wait()

    assert (process.parent, process.argv[:2]) == (os.getpid(), [b"sleep", b"300"])


def test_output_that_comes_late_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under load the process may have ended long before its last lines were read."""
    taken = output.Output.parse_line
    monkeypatch.setattr(launcher_process, "IDLE_SECONDS", 0.2)
    monkeypatch.setattr(output.Output, "parse_line", lambda *given: time.sleep(0.3) or taken(*given))
    process = started(RANK, RANK_0, CLOSED, CLOSED_0, code=0)
    process.process.wait()

    assert process.has_unread_output()
    process.finish()

    assert (len(process.output.ranks), len(process.output.closed)) == (2, 2)


def test_a_stranger_that_holds_the_pipe_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher_process, "IDLE_SECONDS", 0.2)
    process = started(RANK, code=0, command="sleep 300 &")
    process.process.wait()

    process.finish()

    assert process._pump.is_alive(), "the stranger still holds the pipe"
    assert process.output.ranks == {1}
    os.killpg(process.process.pid, signal.SIGKILL)
