"""The launcher without a cluster: what it reads, whom it probes, which processes it starts and ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "dsgen" / "scripts"))

import launcher
import launcher_attempt as training
import launcher_journal as journal
import launcher_process
import launcher_wait
import launcher_with_ssh
import launcher_workers as workers
import shared_exchange as exchange
import shared_hostfile as hostfile
import shared_methods as methods
import shared_output as output
import shared_settings as settings
import worker_end_ranks as endranks

SCRIPTS = Path(launcher.__file__).parent
HOSTS = ["cifar-1-worker-0.cifar-1", "cifar-1-worker-1.cifar-1"]
NONCE = "5f" * 16
LABEL = b"cifar-1-worker-1: "
RANK = LABEL + b'NONCE dsgen-rank {"host": "cifar-1-worker-1", "rank": 1, "worldSize": 2, "localRank": 0}\n'
FAILED = LABEL + b'NONCE dsgen-rank-end {"host": "cifar-1-worker-1", "rank": 1, "exitCode": 3, "tail": ["a", "b"]}\n'
CLOSED = LABEL + b'NONCE dsgen-session-end {"host": "cifar-1-worker-1", "exitCode": 3}\n'
SSH = b"pdsh@cifar-1-launcher-x: cifar-1-worker-1: ssh exited with exit code 3\n"


def read(*lines: bytes) -> output.Output:
    seen = output.Output(HOSTS, NONCE, pdsh=True)
    for line in lines:
        process_line(seen, line)
    return seen


def process_line(seen: output.Output, line: bytes) -> bytes:
    """A line with the nonce of these ranks."""
    return seen.process_line(line.replace(b"NONCE", seen.nonce))


@pytest.mark.parametrize(
    "line",
    [
        b"cifar-1-worker-1: step 1\n",
        b"cifar-1-worker-1: \x80\xff\x00\n",
        b"no label\n",
        b"\n",
        SSH,
    ],
)
def test_output_goes_to_the_log_unchanged(line: bytes) -> None:
    assert line == process_line(read(), line)


@pytest.mark.parametrize("line", [RANK, FAILED, CLOSED])
@pytest.mark.parametrize("nonce", [b"", b"0" * 32, NONCE[:-1].encode(), b"NONCE"])
def test_what_looks_like_a_protocol_line_is_output(line: bytes, nonce: bytes) -> None:
    """A program may print anything, a text about dsgen too."""
    seen = output.Output(HOSTS, pdsh=True)

    assert line.replace(b"NONCE", nonce) == seen.process_line(line.replace(b"NONCE", nonce))
    assert not seen.any_started()


@pytest.mark.parametrize(
    "text",
    [
        b"dsgen-rank {broken",
        b'dsgen-rank {"host": "cifar-1-worker-1", "rank": 1}',
        b'dsgen-rank {"rank": 1, "worldSize": 2}',
        b'dsgen-rank {"host": "another", "rank": 1, "worldSize": 2}',
        b'dsgen-rank {"host": 7, "rank": 1, "worldSize": 2}',
        b'dsgen-rank {"host": "cifar-1-worker-1", "rank": Infinity, "worldSize": 2}',
        b'dsgen-rank {"host": "cifar-1-worker-1", "rank": ' + b"[" * 20000 + b"}",
        b'dsgen-session-end {"host": "cifar-1-worker-1", "exitCode": "now"}',
        b'dsgen-session-end {"host": "cifar-1-worker-1", "exitCode": []}',
        b"is the nonce",
    ],
)
def test_the_log_never_shows_the_nonce(text: bytes) -> None:
    """Not even where the line is none of the protocol's."""
    seen = read()

    assert LABEL + b" " + text + b"\n" == process_line(seen, LABEL + b"NONCE " + text + b"\n")
    assert not seen.any_started()


def test_pdshs_words_count_where_pdsh_says_them() -> None:
    """Not in the middle of a long line, and not where mpirun starts the ranks: there each may print them."""
    seen = read(b"x" * 10, SSH)
    others = output.Output(HOSTS)
    others.process_line(SSH)

    assert ({}, {}) == (seen.ssh_ended, others.ssh_ended)


@pytest.mark.parametrize(
    ("line", "logged"),
    [
        (RANK, b"[dsgen] rank 1 of 2 started on cifar-1-worker-1.cifar-1\n"),
        (FAILED, b"[dsgen] rank 1 on cifar-1-worker-1.cifar-1 ended with 3\n"),
        (CLOSED, b"[dsgen] cifar-1-worker-1.cifar-1 ended with 3\n"),
        (CLOSED.removeprefix(LABEL), b"[dsgen] cifar-1-worker-1.cifar-1 ended with 3\n"),
        (
            CLOSED.replace(b": NONCE", b": 90%NONCE"),
            b"cifar-1-worker-1: 90%\n[dsgen] cifar-1-worker-1.cifar-1 ended with 3\n",
        ),
    ],
)
def test_protocol_lines_are_said_in_words(line: bytes, logged: bytes) -> None:
    """Also behind text that did not end its line."""
    assert logged == process_line(read(), line)


def test_ranks_and_world_sizes_are_collected() -> None:
    seen = read(RANK, RANK.replace(b'"rank": 1', b'"rank": 0'))

    assert (seen.ranks, seen.world_sizes) == ({0, 1}, {2})
    assert seen.any_started()


def test_the_first_rank_that_fails_is_kept() -> None:
    seen = read(FAILED, FAILED.replace(b'"rank": 1, "exitCode": 3', b'"rank": 0, "exitCode": 143'))

    assert seen.failure() == {"host": HOSTS[1], "rank": 1, "exitCode": 3, "tail": ["a", "b"]}
    assert seen.blame() == f"rank 1 on {HOSTS[1]} ended with exit code 3"


def test_without_a_failed_rank_the_first_failed_host_is_to_blame() -> None:
    seen = read(CLOSED.replace(b"worker-1", b"worker-0").replace(b"3", b"0"), CLOSED)

    assert seen.failure() == {"host": HOSTS[1], "exitCode": 3}
    assert seen.blame() == f"{HOSTS[1]} ended with exit code 3"
    assert read().failure() == {}


LOST_PEERS = [
    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:1044",
    "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error",
    "RuntimeError: Broken pipe",
    "torch.distributed.DistNetworkError: failed to recv, got 0 bytes",
]


@pytest.mark.parametrize("last", LOST_PEERS)
def test_a_rank_that_lost_its_peer_is_not_to_blame(last: str) -> None:
    """Its report may be the first to arrive."""
    peer = FAILED.replace(b"worker-1", b"worker-0").replace(b'"rank": 1', b'"rank": 0')
    peer = peer.replace(b'["a", "b"]', f'["{last}"]'.encode())
    gone = CLOSED.replace(b"3", b"137")

    assert read(peer, FAILED).failure()["rank"] == 1
    assert read(peer).failure()["rank"] == 0, "nobody else has failed"
    assert read(peer, gone).blame() == f"{HOSTS[1]} ended with exit code 137"


def test_a_host_that_ends_without_a_report_of_its_rank_is_to_blame() -> None:
    """Its rank.py or DeepSpeed's launch.py was killed; the rank that noticed may not say that it lost a peer."""
    peer = FAILED.replace(b"worker-1", b"worker-0").replace(b'"rank": 1', b'"rank": 0')
    lost = peer.replace(b'["a", "b"]', b'["Connection closed by peer"]')
    killed = f"{HOSTS[1]} ended with exit code 3; no report of rank 1"

    assert read(RANK, lost, CLOSED).blame() == killed
    assert read(RANK, CLOSED, peer).blame() == killed
    assert read(RANK, peer, CLOSED).failure()["rank"] == 0


def test_mpirun_names_what_it_has_lost() -> None:
    """A worker of which it hears no more, and a rank.py that was killed and reports nothing."""
    seen = output.Output(HOSTS)
    seen.process_line(b"  Remote daemon: [[27407,0],1] on node cifar-1-worker-1.cifar-1\n")
    assert (seen.lost(), seen.unclosed()) == ([], HOSTS[1:])

    said = b"mpirun noticed that process rank 1 with PID 22 on node cifar-1-worker-1 exited on signal 9 (Killed).\n"
    assert said == seen.process_line(said)
    assert seen.blame() == f"rank 1 on {HOSTS[1]} ended with exit code 137"


def test_a_host_that_the_launcher_ends_is_not_to_blame() -> None:
    seen = read(RANK, RANK_0)
    seen.ending = True
    process_line(seen, CLOSED)

    assert (seen.failure(), seen.closed) == ({}, {HOSTS[1]: 3})


def test_a_rank_that_left_before_the_others_is_named() -> None:
    left = FAILED.replace(b'"exitCode": 3, "tail": ["a", "b"]', b'"exitCode": 0, "tail": []')
    peer = FAILED.replace(b"worker-1", b"worker-0").replace(b'"rank": 1', b'"rank": 0')
    peer = peer.replace(b'["a", "b"]', b'["Connection closed by peer"]')

    said = f"rank 0 on {HOSTS[0]} ended with exit code 3 after rank 1 on {HOSTS[1]} had ended with exit code 0"
    assert read(left, peer).blame() == said


def test_ranks_that_never_met_are_strangers() -> None:
    met = RANK.replace(b"dsgen-rank", b"dsgen-rank-met")
    other = RANK.replace(b'"rank": 1', b'"rank": 0')

    assert read(RANK, other).strangers() == [0, 1]
    assert read(RANK, other, met).strangers() == [0]
    assert read(RANK, other, met, RANK).strangers() == [0], "a worker that connects again repeats its reports"


@pytest.mark.parametrize(
    ("lines", "lost", "unclosed", "wrong"),
    [
        ((), [], HOSTS, False),
        ((SSH,), [HOSTS[1]], HOSTS, True),
        ((CLOSED, SSH), [], [HOSTS[0]], True),
        ((CLOSED.replace(b"3}", b"0}"),), [], [HOSTS[0]], False),
        ((b"pdsh@l: cifar-1-worker-0: connect: timed out\n",), [HOSTS[0]], HOSTS, True),
        ((b"pdsh@l: something else: entirely\n",), [], HOSTS, False),
    ],
)
def test_a_session_without_its_closing_line_is_a_lost_worker(
    lines: tuple[bytes, ...], lost: list[str], unclosed: list[str], wrong: bool
) -> None:
    seen = read(*lines)

    assert (lost, unclosed, wrong) == (seen.lost(), seen.unclosed(), seen.any_failed())


class Banner(BaseRequestHandler):
    def handle(self) -> None:
        self.request.sendall(b"SSH-2.0-test\r\n")


class Mute(BaseRequestHandler):
    def handle(self) -> None:
        time.sleep(0.5)


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[int]:
    with ThreadingTCPServer(("127.0.0.1", 0), request.param) as listener:
        listener.daemon_threads = True
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield listener.server_address[1]
        listener.shutdown()


def for_seconds(seconds: float) -> Any:
    until = time.monotonic() + seconds
    return lambda: time.monotonic() < until


@pytest.mark.parametrize("server", [Banner], indirect=True)
def test_workers_that_send_a_banner_are_there(server: int) -> None:
    """Two hundred that do not answer are more than are asked at a time."""
    names = [f"127.0.1.{i}" for i in range(1, 201)]

    assert workers.missing(["127.0.0.1"], server, for_seconds(10)) == []
    assert workers.missing(names, server, for_seconds(1)) == names


@pytest.mark.parametrize("server", [Mute], indirect=True)
def test_a_port_without_a_banner_is_no_worker(server: int) -> None:
    assert workers.missing(["127.0.0.1"], server, for_seconds(1)) == ["127.0.0.1"]


def test_what_the_wait_raises_ends_it() -> None:
    """SIGTERM, say."""

    def raises() -> bool:
        raise launcher.RunEnded("terminated")

    with pytest.raises(launcher.RunEnded):
        workers.missing(["127.0.0.1", "no-such-host.invalid"], 1, raises)


def test_the_hostfile_gives_the_workers_in_rank_order(tmp_path: Path) -> None:
    (tmp_path / "hostfile").write_text("w-1.s slots=2\nw-0.s slots=2\n")

    assert hostfile.hosts(tmp_path / "hostfile") == ["w-1.s", "w-0.s"]
    with pytest.raises(FileNotFoundError):
        hostfile.hosts(tmp_path / "absent")


def test_the_end_is_told_with_its_phase(tmp_path: Path) -> None:
    command = workers.announce_end("Failed").replace("/run/dsgen", str(tmp_path))

    subprocess.run(["sh", "-c", command], check=True)

    assert (tmp_path / "over").read_text() == "Failed\n"


def test_a_clock_stands_still_while_it_does_not_run() -> None:
    clock = launcher_wait.Clock(10)
    time.sleep(0.05)
    clock.tick(False)
    assert clock.left == 10
    time.sleep(0.05)
    assert 9.5 < clock.tick(True) < 9.96


def started(*lines: bytes, code: int, command: str = "") -> launcher_process.Process:
    """A training of one shell command that prints these lines and ends with `code`."""
    printed = "".join(f"printf '{line.decode()}';" for line in lines).replace("\n", "\\n").replace("NONCE", NONCE)
    seen = output.Output(HOSTS, NONCE)
    return launcher_process.Process(["sh", "-c", f"{printed} {command} exit {code}"], dict(os.environ), seen, set())


def test_a_training_is_read_to_its_end() -> None:
    run = started(RANK, b"cifar-1-worker-1: x\n", CLOSED, code=3)
    run.process.wait()
    run.finish()

    assert run.code() == 3
    assert run.output.closed == {HOSTS[1]: 3}


def test_a_signal_is_128_and_its_number() -> None:
    run = started(code=0, command="kill -9 $$;")
    run.process.wait()

    assert run.code() == 137


def test_killing_a_training_ends_what_it_has_started() -> None:
    run = started(code=0, command="sleep 300 & wait;")
    time.sleep(0.3)
    begun = time.monotonic()

    run.kill()
    run.finish()

    assert time.monotonic() - begun < 3
    assert run.code() == 137


def shim(tmp_path: Path, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
    real = tmp_path / "real"
    real.write_text(f"#!/bin/sh\n{program}\n")
    real.chmod(0o755)
    return subprocess.Popen(
        ["bash", SCRIPTS / "launcher_pdsh.sh", *arguments], env={**os.environ, "DSGEN_PDSH": str(real)}
    )


@pytest.mark.parametrize(("program", "code"), [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -9 $$", 137)])
def test_the_shim_has_an_honest_exit_code(tmp_path: Path, program: str, code: int) -> None:
    """deepspeed takes a pdsh that a signal ended for a success."""
    assert code == shim(tmp_path, program).wait(10)


def test_the_shim_hands_on_arguments_and_sigterm(tmp_path: Path) -> None:
    process = shim(tmp_path, f'trap "exit 9" TERM; printf "%s|" "$@" >{tmp_path}/got; sleep 5 & wait', "-w", "a b", "")
    deadline = time.monotonic() + 5
    while not (tmp_path / "got").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)

    process.send_signal(signal.SIGTERM)

    assert process.wait(10) == 9
    assert (tmp_path / "got").read_text() == "-w|a b||"


def test_the_reaper_leaves_the_launchers_own_children_alone() -> None:
    own = subprocess.Popen(["sh", "-c", "exit 5"])
    other = os.spawnlp(os.P_NOWAIT, "true", "true")
    time.sleep(0.3)

    reached = workers.Workers(HOSTS, 22, 3600)
    reached.children.add(own.pid)
    reached.reap()
    assert own.wait() == 5
    reached.reap()

    with pytest.raises(ChildProcessError):
        os.waitpid(other, os.WNOHANG)


PROCESSES = {
    1: endranks.Process(0, [b"python3", b"/etc/dsgen/worker.py"]),
    10: endranks.Process(1, [b"bash", b"-c", b"python3 -u -m deepspeed.launcher.launch x"]),
    11: endranks.Process(10, [b"python3", b"-u", b"-m", b"deepspeed.launcher.launch", b"/etc/dsgen/rank.py", b""]),
    12: endranks.Process(11, [b"python3", b"-ESs", b"/etc/dsgen/rank.py", b""]),
    13: endranks.Process(12, [b"python3", b"train.py"]),
    14: endranks.Process(13, [b"nvcc"]),
    20: endranks.Process(1, [b"python3", b"-ESs", b"/etc/dsgen/worker_end_ranks.py", b"TERM"]),
    30: endranks.Process(1, [b"python3", b"/usr/bin/torchrun", b"--no_python", b"/etc/dsgen/rank.py"]),
    31: endranks.Process(30, [b"python3", b"/etc/dsgen/rank.py"]),
}


@pytest.mark.parametrize(
    ("name", "expected"), [("TERM", {12, 31}), ("STACKS", {12, 31}), ("KILL", {11, 12, 13, 14, 30, 31})]
)
def test_whom_a_signal_goes_to(name: str, expected: set[int]) -> None:
    assert expected == endranks.chosen(PROCESSES, name)


def test_a_launcher_without_ranks_is_asked_to_end_itself() -> None:
    young = {pid: process for pid, process in PROCESSES.items() if pid not in (12, 13, 14, 31)}

    assert endranks.chosen(young, "TERM") == {11, 30}


def test_processes_are_read_from_proc() -> None:
    child = subprocess.Popen(["sleep", "300"])
    try:
        found = endranks.processes()[child.pid]
    finally:
        child.kill()
        child.wait()

    assert (found.parent, found.argv[:2]) == (os.getpid(), [b"sleep", b"300"])


def test_tools_that_are_missing_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ssh").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert methods.missing_tools(methods.METHODS["pdsh"]) == ["deepspeed", "ssh-keygen", "pdsh"]


def configured(**changes: Any) -> settings.Settings:
    """Settings of a job with two workers."""
    given = {"workers": 2, "slots": 1, "master_port": 29500, "restart_exit_codes": [], "method": "pdsh", **changes}
    given = {"autotuning": "none", "deepspeed_args": [], **given}
    return settings.Settings(**{name: given.get(name, 0) for name in settings.Settings._fields})


@pytest.mark.usefixtures("run_folder")
def test_missing_workers_are_named_with_the_remedy() -> None:
    reached = workers.Workers([f"127.0.1.{i}" for i in range(1, 13)], 1, 3600)
    made = launcher.Launcher(configured(namespace="training", worker_job="cifar-1-worker"), reached)

    with pytest.raises(launcher.RunEnded) as caught:
        made.side.wait_for_workers()

    assert caught.value.event == "unreachable"
    assert caught.value.message.startswith("not reachable: 127.0.1.1 127.0.1.2")
    assert "and 2 more, within lifecycle.startTimeoutSeconds (0); " in caught.value.message
    assert "kubectl delete job -n training cifar-1-worker" in caught.value.message


@pytest.fixture
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pod's /run/dsgen."""
    monkeypatch.setattr(settings, "RUN", tmp_path)
    monkeypatch.setattr(settings, "written_by", lambda _: tmp_path)
    monkeypatch.setattr(settings, "TERMINATION_LOG", tmp_path / "termination-log")
    monkeypatch.setattr(launcher, "CONFIRM_SECONDS", 0.1)  # no sidecar is there
    return tmp_path


def tell(folder: Path, **said: Any) -> None:
    """The sidecar writes."""
    exchange.write(
        folder / exchange.STATUS, {"lease": "held", "known": True, "workers": {"state": "active", "failed": 0}, **said}
    )


def attempt(*lines: bytes, **changes: Any) -> training.Attempt:
    """An attempt that has printed these lines."""
    reached = workers.Workers(HOSTS, 1, 3600)
    account = journal.Journal(settings.RUN / exchange.LAUNCHER)
    account.begin_attempt()
    made = training.Attempt(
        configured(**{"start_timeout_seconds": 60, **changes}), reached, account, journal.External()
    )
    for line in lines:
        process_line(made.output, line)
    return made


RANK_0 = RANK.replace(b"worker-1", b"worker-0").replace(b'"rank": 1', b'"rank": 0')
SMALL = RANK.replace(b'"worldSize": 2', b'"worldSize": 1')


@pytest.mark.parametrize(
    ("lines", "seconds", "wrong_seconds", "reason"),
    [
        ((), 10, 0, ""),
        ((), 61, 0, "world-size"),
        ((RANK,), 61, 0, "world-size"),
        ((RANK, RANK_0), 61, 0, ""),
        ((SMALL,), 1, 0, "world-size"),
        ((RANK, RANK_0), 90, 0, ""),
        ((RANK, RANK_0), 95, 0, "deadline"),
        ((RANK, RANK_0), 10, 20, ""),
        ((RANK, RANK_0), 10, 21, "follow"),
    ],
)
def test_when_an_attempt_is_ended(
    run_folder: Path, lines: tuple[bytes, ...], seconds: float, wrong_seconds: float, reason: str
) -> None:
    """The deadline counts the ten seconds of an earlier attempt, too."""
    tell(run_folder, earlier={"seconds": 10})

    assert reason == attempt(*lines, active_deadline_seconds=100).why_cut(seconds, wrong_seconds)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"lease": "lost"}, "lease-lost"),
        ({"lease": ""}, ""),
        ({"workers": {"state": "failed"}}, "workers-failed"),
        ({"workers": None}, ""),
    ],
)
def test_what_ends_an_attempt_from_outside(run_folder: Path, said: dict[str, Any], reason: str) -> None:
    tell(run_folder, **said)

    assert reason == attempt(RANK, RANK_0).why_cut(1, 0)


def test_sigterm_ends_an_attempt_first_of_all(run_folder: Path) -> None:
    tell(run_folder, lease="lost")
    made = attempt()
    made.external.on_signal(signal.SIGTERM, None)

    assert made.why_cut(1, 0) == "terminated"


CLOSED_0 = CLOSED.replace(b"worker-1", b"worker-0")


@pytest.mark.parametrize(
    ("lines", "code", "lost"),
    [
        ((RANK, RANK_0, CLOSED, CLOSED_0), 3, []),
        ((RANK, RANK_0, SSH.replace(b"3", b"255"), CLOSED_0), 255, [HOSTS[1]]),
        ((RANK, RANK_0, CLOSED), 0, [HOSTS[0]]),
        ((RANK, RANK_0), 137, []),
        ((RANK, RANK_0), 1, HOSTS),
        ((), 0, []),
        ((), 1, HOSTS),
    ],
)
@pytest.mark.usefixtures("run_folder")
def test_who_is_gone_after_an_attempt(
    monkeypatch: pytest.MonkeyPatch, lines: tuple[bytes, ...], code: int, lost: list[str]
) -> None:
    """Who has not closed, unless pdsh itself died; where no session began, who does not answer (here nobody does)."""
    monkeypatch.setattr(training, "PROBE_SECONDS", 0.1)
    made = attempt(*lines)
    process = started(code=code)
    process.process.wait()

    assert lost == made.gone(process, "")


@pytest.mark.parametrize(
    ("lines", "code", "cut", "lost", "end", "closed"),
    [
        (
            (RANK, RANK_0, FAILED, CLOSED, CLOSED_0),
            3,
            "",
            [],
            ("failed", "rank 1 on cifar-1-worker-1.cifar-1 ended with exit code 3", 3),
            {"reason": "TrainingFailed", "exitCode": 3, "host": HOSTS[1], "rank": 1, "tail": ["a", "b"]},
        ),
        (
            (RANK, RANK_0, FAILED, SSH),
            255,
            "",
            [HOSTS[1]],
            ("workers-lost", "lost: cifar-1-worker-1.cifar-1", None),
            {"reason": "WorkersLost", "exitCode": 3, "host": HOSTS[1], "rank": 1, "tail": ["a", "b"]},
        ),
        (
            (RANK, RANK_0, FAILED.replace(b"worker-1", b"worker-0"), CLOSED_0, SSH),
            255,
            "",
            [HOSTS[1]],
            ("workers-lost", "lost: cifar-1-worker-1.cifar-1", None),
            {"reason": "WorkersLost", "host": HOSTS[1]},
        ),
        (
            (SMALL, FAILED, CLOSED),
            1,
            "world-size",
            [],
            ("world-size", "1 of 2 ranks started; world size reported: 1", None),
            {"reason": "WorldSize"},
        ),
        (
            (RANK, RANK_0, CLOSED.replace(b"3}", b"0}"), CLOSED_0.replace(b"3}", b"0}")),
            0,
            "",
            [],
            ("succeeded", "", 0),
            {"reason": "Succeeded", "exitCode": 0},
        ),
        (
            (),
            1,
            "",
            [],
            ("failed", "the training ended with exit code 1", 1),
            {"reason": "TrainingFailed", "exitCode": 1},
        ),
    ],
)
@pytest.mark.usefixtures("run_folder")
def test_how_an_attempt_is_recorded(
    lines: tuple[bytes, ...],
    code: int,
    cut: str,
    lost: list[str],
    end: tuple[str, str, int | None],
    closed: dict[str, Any],
) -> None:
    made = attempt(*lines)

    assert end == tuple(made.judge(code, cut, lost))
    last = made.journal.attempts[-1]
    assert closed == {key: value for key, value in last.items() if key not in ("startTime", "endTime")}


@pytest.mark.parametrize(
    ("met", "expected", "end", "world"),
    [
        (2, 1, ("succeeded", "", 0), 2),
        (1, 1, ("never-met", "1 of 2 ranks never connected with the others: 0 (launch.expectWorld)", None), None),
        (0, 1, ("never-met", "2 of 2 ranks never connected with the others: 0, 1 (launch.expectWorld)", None), None),
        (0, 0, ("succeeded", "", 0), None),
    ],
)
@pytest.mark.usefixtures("run_folder")
def test_a_program_that_ends_well_alone_has_not_succeeded(
    met: int, expected: int, end: tuple[str, str, int | None], world: int | None
) -> None:
    """The world's size is what there is evidence of, not what the variables say."""
    closed = [line.replace(b"3}", b"0}") for line in (CLOSED, CLOSED_0)]
    seen = [line.replace(b"dsgen-rank", b"dsgen-rank-met") for line in (RANK, RANK_0)][:met]
    made = attempt(RANK, RANK_0, *seen, *closed, expect_world=expected)

    assert end == tuple(made.judge(0, "", []))
    assert made.journal.said["worldSize"] == world


@pytest.mark.usefixtures("run_folder")
def test_hosts_that_end_because_mpirun_was_killed_are_not_to_blame() -> None:
    made = attempt(RANK, RANK_0, CLOSED_0, CLOSED, method="openmpi")
    process = started(code=0, command="kill -9 $$;")
    process.process.wait()

    lost = made.gone(process, "")
    assert ("failed", "the training ended with exit code 137", 137) == tuple(made.judge(137, "", lost))


@pytest.mark.parametrize(("command", "lost"), [("exit 205", HOSTS), ("kill -9 $$", [])])
@pytest.mark.usefixtures("run_folder")
def test_mpirun_has_a_code_of_its_own_for_a_lost_worker(command: str, lost: list[str]) -> None:
    """It is above 128; only where a signal really ended mpirun, nothing is known of the workers."""
    made = attempt(RANK, RANK_0, method="openmpi")
    process = started(code=0, command=f"{command};")
    process.process.wait()

    assert lost == made.gone(process, "")


@pytest.mark.parametrize(("code", "event"), [(0, "succeeded"), (7, "failed")])
@pytest.mark.parametrize("changes", [{"method": "launcher-command"}, {"autotuning": "run"}])
@pytest.mark.usefixtures("run_folder")
def test_where_no_rank_reports_the_exit_code_is_the_result(changes: dict[str, Any], code: int, event: str) -> None:
    """Nobody waits for ranks, and a line of the command that looks like a report is none."""
    made = attempt(RANK, CLOSED, **changes)

    assert made.why_cut(61, 0) == ""
    assert made.world_is_there()
    assert (event, code) == made.judge(code, "", [])[::2]


@pytest.mark.usefixtures("run_folder")
def test_an_autotuner_that_ignores_a_failed_training_has_failed() -> None:
    made = attempt(autotuning="run")
    process_line(made.heard, FAILED)

    assert ("failed", f"rank 1 on {HOSTS[1]} ended with exit code 3", 3) == tuple(made.judge(0, "", []))


@pytest.mark.usefixtures("run_folder")
def test_hosts_that_are_left_out_are_not_waited_for() -> None:
    closed = CLOSED.replace(b"3}", b"0}")
    alone = RANK.replace(b'"rank": 1, "worldSize": 2', b'"rank": 0, "worldSize": 1')
    made = attempt(alone, closed, deepspeed_args=["--exclude", HOSTS[0]])

    assert ([HOSTS[1]], 1) == (made.hosts, made.world)
    assert made.judge(0, "", []).event == "succeeded"


@pytest.mark.usefixtures("run_folder")
def test_spare_workers_are_not_in_the_hostfile_of_a_training(run_folder: Path) -> None:
    made = attempt(spares=1)
    made.workers.chosen = HOSTS[1:]

    assert made.hostfile() == str(run_folder / "hostfile")
    assert (run_folder / "hostfile").read_text() == f"{HOSTS[1]} slots=1\n"
    assert attempt().hostfile() == "/job/hostfile"


@pytest.mark.usefixtures("run_folder")
def test_attempts_that_never_had_all_ranks_use_one_start_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that let the launcher in and then lose each attempt at its beginning do not hold their GPUs for ever."""
    made = launcher.Launcher(configured(start_timeout_seconds=1), workers.Workers(HOSTS, 1, 3600))
    lost: Any = training.AttemptEnd("workers-lost", "lost: w-1", None)
    attempts = []

    class Lost:
        def run(self) -> Any:
            attempts.append(made.journal.begin_attempt())
            time.sleep(0.4)
            made.journal.end_attempt("WorkersLost", {})
            return lost

        def world_is_there(self) -> bool:
            return False

    monkeypatch.setattr(made.side, "attempt", Lost)
    monkeypatch.setattr(made.side, "prepare", lambda: None)
    monkeypatch.setattr(made.wait, "for_lease", lambda: None)
    monkeypatch.setattr(made.workers, "everywhere", lambda *_: None)
    monkeypatch.setattr(workers, "missing", lambda *_: [])
    monkeypatch.setattr(made.workers, "refusals", lambda *_: {})

    assert (made.run(), len(attempts) in (2, 3)) == (69, True)
    assert made.journal.said["message"].startswith("no attempt had all its ranks within lifecycle.startTimeoutSeconds")


def new_launcher() -> launcher.Launcher:
    return launcher.Launcher(
        configured(worker_replacements=1, start_timeout_seconds=60), workers.Workers(HOSTS, 1, 3600)
    )


def test_losses_beyond_the_limit_end_the_run(run_folder: Path) -> None:
    """Only those that the worker Job counts; each once."""
    tell(run_folder, workers={"state": "active", "failed": 1}, earlier={"replacements": 1})
    made = new_launcher()
    made.journal.begin_attempt()
    made.wait.reason, made.wait.failures_before = ("workers-lost", ""), 1
    made.wait.count_loss()
    tell(run_folder, workers={"state": "active", "failed": 2}, earlier={"replacements": 1})

    with pytest.raises(launcher.RunEnded) as caught:
        made.wait.count_loss()

    assert caught.value.event == "lost-too-often"
    assert made.wait.totals()["replacements"] == 2


@pytest.mark.parametrize(("phase", "code", "expected"), [("Succeeded", 0, 0), ("Failed", 3, 3), ("Stopped", None, 1)])
def test_a_run_that_had_ended_is_not_trained_again(
    run_folder: Path, phase: str, code: int | None, expected: int
) -> None:
    tell(run_folder, ended={"phase": phase, "reason": "", "exitCode": code}, workers={"state": "complete"})
    made = new_launcher()

    with pytest.raises(launcher_wait.Interrupted) as caught:
        made.wait.check()

    assert expected == made.end(made.side.ended(caught.value.event))
    assert not (run_folder / exchange.LAUNCHER).exists()


def test_the_end_is_written_and_said(run_folder: Path) -> None:
    made = new_launcher()

    assert made.end(launcher.RunEnded("unreachable", "w-1")) == 69
    said = exchange.read(run_folder / exchange.LAUNCHER)
    assert (said["phase"], said["reason"], said["message"]) == ("Failed", "WorkersUnreachable", "w-1")
    assert (run_folder / "termination-log").read_text() == "Failed: WorkersUnreachable: w-1"


def test_sigterm_leaves_the_meaning_to_the_sidecar(run_folder: Path) -> None:
    made = new_launcher()
    made.external.on_signal(signal.SIGTERM, None)

    with pytest.raises(launcher_wait.Interrupted) as caught:
        made.wait.pause(5)

    assert made.end(made.side.ended(caught.value.event)) == 143
    assert exchange.read(run_folder / exchange.LAUNCHER)["terminated"] is True


def test_output_that_comes_late_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under load the process may have ended long before its last lines were read."""
    taken = output.Output.process_line
    monkeypatch.setattr(launcher_process, "IDLE_SECONDS", 0.2)
    monkeypatch.setattr(output.Output, "process_line", lambda *given: time.sleep(0.3) or taken(*given))
    process = started(RANK, RANK_0, CLOSED, CLOSED_0, code=0)
    process.process.wait()

    assert process.behind()
    process.finish()

    assert (len(process.output.ranks), len(process.output.closed)) == (2, 2)


def test_a_stranger_that_holds_the_pipe_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher_process, "IDLE_SECONDS", 0.2)
    process = started(RANK, code=0, command="sleep 20 &")
    process.process.wait()
    begun = time.monotonic()

    process.finish()

    assert time.monotonic() - begun < 5
    assert process.output.ranks == {1}


@pytest.mark.parametrize(("away", "event"), [(0, None), (100, None), (200, "terminated")])
def test_a_launcher_that_reaches_nobody_counts_as_lost(run_folder: Path, away: float, event: str | None) -> None:
    """Its record would say Running for good; a new pod takes over."""
    tell(run_folder, away=time.time() - away if away else None)
    made = new_launcher()
    if event is None:
        made.wait.check_isolation()
        return

    with pytest.raises(launcher.RunEnded) as caught:
        made.wait.check_isolation()

    assert made.end(caught.value) == 143
    assert exchange.read(run_folder / exchange.LAUNCHER)["terminated"] is True


def test_the_isolation_is_asked_about_while_no_worker_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher_with_ssh, "SLICE_SECONDS", 0.2)
    asked: list[int] = []
    selection = launcher_with_ssh.Selection(configured(), workers.Workers(["127.0.1.1", "127.0.1.2"], 1, 3600))

    selection.wait_for_workers(lambda: len(asked) < 2, lambda: asked.append(1))

    assert len(asked) >= 2


def test_an_end_is_waited_for_until_it_is_recorded(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "CONFIRM_SECONDS", 20)
    made = new_launcher()
    tell(run_folder, recorded=0)
    threading.Timer(1.5, lambda: tell(run_folder, recorded=9)).start()
    begun = time.monotonic()

    assert made.end(launcher.RunEnded("deadline")) == 1
    assert 1 < time.monotonic() - begun < 10
