"""An attempt: when it is ended, which processes are ended with it, and its record."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from launcher import attempt as training
from launcher import process as process_module
from tests.scripts.trainings import (
    CLOSED,
    CLOSED_0,
    FAILED,
    HOSTS,
    RANK,
    RANK_0,
    SSH,
    configured,
    make_wait,
    process_line,
    started,
    tell,
)

pytestmark = pytest.mark.usefixtures("run_folder")


def attempt(*lines: bytes, **changes: Any) -> training.Attempt:
    """An attempt that has printed these lines."""
    waits = make_wait(configured(**{"start_timeout_seconds": 60, **changes}), HOSTS)
    waits.journal.begin_attempt()
    made = training.Attempt(waits)
    for line in lines:
        process_line(made.output, line)
    return made


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

    assert reason == attempt(*lines, active_deadline_seconds=100).find_cut(seconds, wrong_seconds)


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

    assert reason == attempt(RANK, RANK_0).find_cut(1, 0)


def test_sigterm_ends_an_attempt_first_of_all(run_folder: Path) -> None:
    tell(run_folder, lease="lost")
    made = attempt()
    made.external.note_signal(signal.SIGTERM, None)

    assert made.find_cut(1, 0) == "terminated"


@pytest.mark.parametrize(
    ("lines", "code", "lost"),
    [
        ((RANK, RANK_0, CLOSED, CLOSED_0), 3, []),
        ((RANK, RANK_0, SSH.replace(b"3", b"255"), CLOSED_0), 255, [HOSTS[1]]),
        ((RANK, RANK_0, CLOSED), 0, [HOSTS[0]]),
        ((RANK, RANK_0), 137, []),
        ((RANK, RANK_0), 0, []),
        ((RANK, RANK_0), 1, HOSTS),
        ((), 0, []),
        ((), 1, HOSTS),
    ],
)
def test_who_is_gone_after_an_attempt(
    monkeypatch: pytest.MonkeyPatch, lines: tuple[bytes, ...], code: int, lost: list[str]
) -> None:
    """Who has not closed, unless pdsh itself died; where no session began, who does not answer (here nobody does)."""
    monkeypatch.setattr(training, "PROBE_SECONDS", 0.1)
    made = attempt(*lines)
    process = started(code=code)
    process.process.wait()

    assert lost == made.find_lost_hosts(process, "")


def test_who_refuses_the_login_of_the_start_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = attempt()
    monkeypatch.setattr(made.control, "find_missing", lambda *_: [])
    monkeypatch.setattr(made.workers, "find_refusals", lambda *_: {HOSTS[1]: "Permission denied."})
    process = started(code=1)
    process.process.wait()

    assert [HOSTS[1]] == made.find_lost_hosts(process, "")
    assert f"{HOSTS[1]} refused the login: Permission denied." in capsys.readouterr().out


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
def test_how_an_attempt_is_recorded(
    lines: tuple[bytes, ...],
    code: int,
    cut: str,
    lost: list[str],
    end: tuple[str, str, int | None],
    closed: dict[str, Any],
) -> None:
    made = attempt(*lines)

    assert end == tuple(made.close(code, cut, lost))
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
def test_a_program_that_ends_well_alone_has_not_succeeded(
    met: int, expected: int, end: tuple[str, str, int | None], world: int | None
) -> None:
    """The world's size is what there is evidence of, not what the variables say."""
    closed = [line.replace(b"3}", b"0}") for line in (CLOSED, CLOSED_0)]
    seen = [line.replace(b"dsgen-rank", b"dsgen-rank-met") for line in (RANK, RANK_0)][:met]
    made = attempt(RANK, RANK_0, *seen, *closed, expect_world=expected)

    assert end == tuple(made.close(0, "", []))
    assert made.journal.said["worldSize"] == world


def test_hosts_that_end_because_mpirun_was_killed_are_not_to_blame() -> None:
    made = attempt(RANK, RANK_0, CLOSED_0, CLOSED, method="openmpi")
    process = started(code=0, command="kill -9 $$;")
    process.process.wait()

    lost = made.find_lost_hosts(process, "")
    assert ("failed", "the training ended with exit code 137", 137) == tuple(made.close(137, "", lost))


@pytest.mark.parametrize(("command", "lost"), [("exit 205", HOSTS), ("kill -9 $$", [])])
def test_mpirun_has_a_code_of_its_own_for_a_lost_worker(command: str, lost: list[str]) -> None:
    """It is above 128; only where a signal really ended mpirun, nothing is known of the workers."""
    made = attempt(RANK, RANK_0, method="openmpi")
    process = started(code=0, command=f"{command};")
    process.process.wait()

    assert lost == made.find_lost_hosts(process, "")


@pytest.mark.parametrize(("lines", "lost"), [((), HOSTS), ((CLOSED_0.replace(b"3}", b"0}"),), HOSTS[1:])])
def test_mpirun_that_stays_after_the_end_of_all_sessions_is_ended(
    lines: tuple[bytes, ...], lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If several nodes are lost, mpirun 4.1 ends the ranks of the others, and then waits for ever."""
    monkeypatch.setattr(training, "FOLLOW_SECONDS", 0.5)
    monkeypatch.setattr(process_module, "LOOK_SECONDS", 0.1)
    made = attempt(RANK, RANK_0, *lines, method="openmpi")
    process = process_module.LaunchProcess(["sleep", "60"], dict(os.environ), made.heard, set())

    cut = made.watch(process)

    assert ("", 128 + signal.SIGKILL, lost) == (cut, process.poll(), made.find_lost_hosts(process, cut))
    assert "workers-lost" == made.close(process.poll() or 0, cut, lost).event


def test_mpirun_with_a_session_is_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "FOLLOW_SECONDS", 0.5)
    monkeypatch.setattr(process_module, "LOOK_SECONDS", 0.1)
    made = attempt(RANK, RANK_0, method="openmpi")
    process = process_module.LaunchProcess(["bash", "-c", "sleep 3; exit 4"], dict(os.environ), made.heard, set())

    assert ("", 4) == (made.watch(process), process.poll())


@pytest.mark.parametrize(("code", "event"), [(0, "succeeded"), (7, "failed")])
@pytest.mark.parametrize("changes", [{"method": "launcher-command"}, {"autotuning": "run"}])
def test_where_no_rank_reports_the_exit_code_is_the_result(changes: dict[str, Any], code: int, event: str) -> None:
    """Nobody waits for ranks, and a line of the command that looks like a report is none."""
    made = attempt(RANK, CLOSED, **changes)

    assert made.find_cut(61, 0) == ""
    assert made.is_world_there()
    assert (event, code) == made.close(code, "", [])[::2]


def test_an_autotuner_that_ignores_a_failed_training_has_failed() -> None:
    made = attempt(autotuning="run")
    process_line(made.heard, FAILED)

    assert ("failed", f"rank 1 on {HOSTS[1]} ended with exit code 3", 3) == tuple(made.close(0, "", []))


def test_hosts_that_are_left_out_are_not_waited_for() -> None:
    closed = CLOSED.replace(b"3}", b"0}")
    alone = RANK.replace(b'"rank": 1, "worldSize": 2', b'"rank": 0, "worldSize": 1')
    made = attempt(alone, closed, deepspeed_args=["--exclude", HOSTS[0]])

    assert ([HOSTS[1]], 1) == (made.hosts, made.world)
    assert made.close(0, "", []).event == "succeeded"


def test_spare_workers_are_not_in_the_hostfile_of_a_training(run_folder: Path) -> None:
    made = attempt(spares=1)
    made.workers.chosen = HOSTS[1:]

    assert made.make_start().hostfile == str(run_folder / "hostfile")
    assert (run_folder / "hostfile").read_text() == f"{HOSTS[1]} slots=1\n"
    assert attempt().make_start().hostfile == "/job/hostfile"
