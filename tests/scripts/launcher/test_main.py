"""The launcher without a cluster: what it waits for, its time limits, and its end."""

import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from launcher import attempt as training
from launcher import main, outcome, workers
from shared import exchange
from shared.record import TRANSITIONS
from ssh import launch
from tests.scripts.trainings import HOSTS, configured, tell


@pytest.mark.usefixtures("run_folder")
def test_missing_workers_are_named_with_the_remedy() -> None:
    reached = workers.Workers([f"127.0.1.{i}" for i in range(1, 13)])
    made = main.Launcher(configured(namespace="training", run_name="cifar-1"), reached)

    with pytest.raises(main.RunEndedError) as caught:
        made.side.wait_for_workers()

    assert caught.value.event == "unreachable"
    assert caught.value.message.startswith("not reachable: 127.0.1.1 127.0.1.2")
    assert "and 2 more (port 0), within lifecycle.startTimeoutSeconds (0); " in caught.value.message
    assert "kubectl delete job -n training cifar-1-worker" in caught.value.message


@pytest.mark.usefixtures("run_folder")
def test_attempts_that_never_had_all_ranks_use_one_start_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that let the launcher in and then lose each attempt at its beginning do not hold their GPUs for ever."""
    made = main.Launcher(configured(start_timeout_seconds=1), workers.Workers(HOSTS))
    lost: Any = training.AttemptEnd("workers-lost", "lost: w-1", None)
    attempts = []

    class Lost:
        conversion = SimpleNamespace(begun=False)

        def run(self) -> Any:
            attempts.append(made.journal.begin_attempt())
            time.sleep(0.4)
            made.journal.end_attempt("WorkersLost", {})
            return lost

        def is_world_there(self) -> bool:
            return False

    monkeypatch.setattr(made.side, "make_attempt", Lost)
    monkeypatch.setattr(made.side, "prepare", lambda: None)
    monkeypatch.setattr(made.wait, "wait_for_lease", lambda: None)
    monkeypatch.setattr(made.workers.control, "find_missing", lambda *_: [])
    monkeypatch.setattr(made.workers, "find_refusals", lambda *_: {})

    assert (made.run(), len(attempts) in (2, 3)) == (69, True)
    assert made.journal.said["message"].startswith("no attempt had all its ranks within lifecycle.startTimeoutSeconds")


def test_workers_that_do_not_hear_of_the_end_are_counted(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run_folder / "id").write_bytes(b"key")
    names = ["no-such-host-0.invalid", "no-such-host-1.invalid"]
    made = main.Launcher(configured(), workers.Workers(names))

    made.side.announce_end("Failed")

    assert "2 of 2 workers do not answer at port" in capsys.readouterr().out


def new_launcher() -> main.Launcher:
    return main.Launcher(configured(worker_replacements=1, start_timeout_seconds=60), workers.Workers(HOSTS))


def test_a_key_that_cannot_be_made_ends_the_run(run_folder: Path) -> None:
    """The container that makes it has said why."""
    (run_folder / "no-key-made").write_text("the image has no ssh-keygen\n")
    made = main.Launcher(configured(start_timeout_seconds=60, secret="s"), workers.Workers(HOSTS))

    with pytest.raises(main.RunEndedError) as caught:
        made.side.take_key()

    assert ("no-key-made", "the image has no ssh-keygen") == (caught.value.event, caught.value.message)
    assert 78 == TRANSITIONS["no-key-made"].exit


def test_losses_beyond_the_limit_end_the_run(run_folder: Path) -> None:
    """Only those that the worker Job counts; each once."""
    tell(run_folder, workers={"state": "active", "failed": 1}, earlier={"replacements": 1})
    made = new_launcher()
    made.journal.begin_attempt()
    made.wait.reason, made.wait.failures_before = ("workers-lost", ""), 1
    made.wait.count_loss()
    tell(run_folder, workers={"state": "active", "failed": 2}, earlier={"replacements": 1})

    with pytest.raises(main.RunEndedError) as caught:
        made.wait.count_loss()

    assert caught.value.event == "lost-too-often"
    assert made.wait.compute_totals()["replacements"] == 2


@pytest.mark.parametrize(("phase", "code", "expected"), [("Succeeded", 0, 0), ("Failed", 3, 3), ("Stopped", None, 1)])
def test_a_run_that_had_ended_is_not_trained_again(
    run_folder: Path, phase: str, code: int | None, expected: int
) -> None:
    tell(run_folder, ended={"phase": phase, "reason": "", "exitCode": code}, workers={"state": "complete"})
    made = new_launcher()

    with pytest.raises(outcome.InterruptedRunError) as caught:
        made.wait.check()

    assert expected == made.end(made.side.make_run_end(caught.value.event))
    assert not (run_folder / exchange.LAUNCHER).exists()


def test_the_end_is_written_and_said(run_folder: Path) -> None:
    made = new_launcher()

    assert made.end(main.RunEndedError("unreachable", "w-1")) == 69
    said = exchange.read(run_folder / exchange.LAUNCHER)
    assert (said["phase"], said["reason"], said["message"]) == ("Failed", "WorkersUnreachable", "w-1")
    assert (run_folder / "termination-log").read_text() == "Failed: WorkersUnreachable: w-1"


def test_sigterm_leaves_the_meaning_to_the_sidecar(run_folder: Path) -> None:
    made = new_launcher()
    made.external.note_signal(signal.SIGTERM, None)

    with pytest.raises(outcome.InterruptedRunError) as caught:
        made.wait.pause(5)

    assert made.end(made.side.make_run_end(caught.value.event)) == 143
    assert exchange.read(run_folder / exchange.LAUNCHER)["terminated"] is True


@pytest.mark.parametrize(("away", "event"), [(0, None), (100, None), (200, "terminated")])
def test_a_launcher_that_reaches_nobody_counts_as_lost(run_folder: Path, away: float, event: str | None) -> None:
    """Its record would say Running for good; a new pod takes over."""
    tell(run_folder, away=time.time() - away if away else None)
    made = new_launcher()
    if event is None:
        made.wait.check_isolation()
        return

    with pytest.raises(main.RunEndedError) as caught:
        made.wait.check_isolation()

    assert made.end(caught.value) == 143
    assert exchange.read(run_folder / exchange.LAUNCHER)["terminated"] is True


def test_the_isolation_is_asked_about_while_no_worker_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "SLICE_SECONDS", 0.2)
    asked: list[int] = []
    selection = launch.SshWorkerChoice(configured(), workers.Workers(["127.0.1.1", "127.0.1.2"]))

    selection.wait_for_workers(lambda: len(asked) < 2, lambda: asked.append(1))

    assert len(asked) >= 2


def test_an_end_is_waited_for_until_it_is_recorded(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "CONFIRM_SECONDS", float("inf"))
    made = new_launcher()
    tell(run_folder, recorded=0)
    threading.Timer(1, lambda: tell(run_folder, recorded=9)).start()

    assert made.end(main.RunEndedError("deadline")) == 1
    assert exchange.read(run_folder / exchange.STATUS)["recorded"] == 9
