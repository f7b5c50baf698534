"""The launcher of workers without ssh that take no orders: how it interprets their Job and the reports of the ranks."""

from pathlib import Path
from typing import Any

import pytest

from launcher import main, workers
from launcher.outcome import InterruptedRunError
from local.launch import WithoutSsh
from shared import exchange
from tests.scripts.trainings import HOSTS, configured

# Behind the nonce.
RANKS = [
    f' dsgen-rank {{"host": "cifar-1-worker-{i}", "rank": {i}, "worldSize": 2, "localRank": 0}}\n'.encode()
    for i in (0, 1)
]
MET = [line.replace(b"dsgen-rank", b"dsgen-rank-met") for line in RANKS]
FAILED = b' dsgen-rank-end {"host": "cifar-1-worker-1", "rank": 1, "exitCode": 3, "tail": ["a", "b"]}\n'
SMALL = RANKS[0].replace(b'"worldSize": 2', b'"worldSize": 1')
# The Job controller's words: worker 0 failed because worker 1 was gone.
MESSAGE = (
    "PodFailurePolicy: Container worker for pod training/cifar-1-worker-0-x7k2p failed with exit code 1 "
    "matching FailJob rule at index 1"
)


def tell(folder: Path, earlier: dict[str, Any] | None = None, **job: Any) -> None:
    """The sidecar writes what it sees of the worker Job."""
    seen = {"state": "active", "failed": 0, "ready": 2, "message": "", **job}
    exchange.write(folder / exchange.STATUS, {"lease": "held", "known": True, "workers": seen, "earlier": earlier})


def begun(*reports: bytes, **changes: Any) -> main.Launcher:
    """A launcher of two workers that has heard these reports."""
    given = configured(**{"method": "torchrun", "start_timeout_seconds": 60, **changes})
    made = main.Launcher(given, workers.Workers(HOSTS))
    assert isinstance(made.side, WithoutSsh)
    made.side.free = True
    for line in reports:
        made.side.output.parse_line(made.side.output.nonce + line)
    return made


def test_ready_workers_are_counted(run_folder: Path) -> None:
    made = begun(start_timeout_seconds=0)
    tell(run_folder)
    made.side.wait_for_workers()
    tell(run_folder, ready=1)

    with pytest.raises(main.RunEndedError) as caught:
        made.side.wait_for_workers()

    assert caught.value.event == "unreachable"
    assert caught.value.message.startswith("1 of 2 workers were ready, 0 had connected within")


def test_workers_of_a_suspended_job_are_not_ready(run_folder: Path) -> None:
    """The Job counts them until they are gone; an attempt with them would end as soon as it began."""
    tell(run_folder, suspended=True)

    assert 0 == begun().side.count_ready()


@pytest.mark.parametrize(
    ("method", "reports", "world"),
    [
        ("torchrun", [*RANKS, *MET], 2),
        ("torchrun", [*RANKS, *MET[:1]], None),
        ("torchrun", RANKS, None),
        ("worker-command", [*RANKS, *MET], None),
        ("torchrun", RANKS[:1], None),
        ("torchrun", [], None),
    ],
)
def test_the_run_runs_when_all_ranks_have_reported(
    run_folder: Path, method: str, reports: list[bytes], world: int | None
) -> None:
    """The end cuts the attempt short here; what a command of the user's makes of its workers is not known."""
    made = begun(*reports, method=method)
    tell(run_folder)
    attempt = made.side.make_attempt()
    runs = attempt.runs(1)

    assert (len(reports) > 1) == runs
    assert attempt.runs(61)
    if runs:
        assert attempt.find_world_size() == world


@pytest.mark.parametrize("expected", [True, False])
def test_a_complete_job_is_a_training_that_succeeded(run_folder: Path, expected: bool) -> None:
    """Each worker has checked that its ranks met, if they were to."""
    tell(run_folder, state="complete")
    made = begun(*RANKS, expect_world=expected)

    assert ("succeeded", "", 0) == tuple(made.side.make_attempt().run())
    assert made.journal.attempts[0]["reason"] == "Succeeded"
    assert made.journal.said["worldSize"] == (2 if expected else None)


@pytest.mark.parametrize(
    ("reports", "end", "facts"),
    [
        (
            [*RANKS, FAILED],
            ("failed", "rank 1 on cifar-1-worker-1.cifar-1 ended with exit code 3", 3),
            {"host": HOSTS[1], "rank": 1, "exitCode": 3, "tail": ["a", "b"], "reason": "TrainingFailed"},
        ),
        (
            [],
            ("failed", "worker cifar-1-worker-0 ended with exit code 1", 1),
            {"host": "cifar-1-worker-0", "exitCode": 1, "reason": "TrainingFailed"},
        ),
        ([SMALL], ("world-size", "world size reported: 1; asked for: 2", None), {"reason": "WorldSize"}),
    ],
)
def test_the_rank_that_failed_first_counts_and_not_whom_the_job_controller_saw(
    run_folder: Path, reports: list[bytes], end: tuple[str, str, int | None], facts: dict[str, Any]
) -> None:
    tell(run_folder, state="failed", message=MESSAGE)
    made = begun(*reports)

    assert end == tuple(made.side.make_attempt().run())
    closed = made.journal.attempts[0]
    assert facts == {name: value for name, value in closed.items() if name not in ("startTime", "endTime")}


@pytest.mark.parametrize(
    ("job", "seconds", "event"),
    [
        ({}, 1, ""),
        ({}, 95, "deadline"),
        ({"suspended": True}, 1, "workers-lost"),
    ],
)
def test_when_an_attempt_is_ended(run_folder: Path, job: dict[str, Any], seconds: float, event: str) -> None:
    """The deadline counts the ten seconds of an earlier launcher, too."""
    tell(run_folder, {"seconds": 10}, **job)

    assert event == begun(active_deadline_seconds=100).side.make_attempt().find_cut(seconds)


@pytest.mark.parametrize(("attempts", "event", "code"), [(0, "workers-failed", None), (1, "failed", 1)])
def test_workers_that_fail_before_the_training_are_no_failed_training(
    run_folder: Path, attempts: int, event: str, code: int | None
) -> None:
    tell(run_folder, {"attempts": attempts}, state="failed", message=MESSAGE)

    made = begun()

    with pytest.raises(InterruptedRunError) as caught:
        made.wait.check()

    end = made.side.make_run_end(caught.value.event)
    assert (event, code) == (end.event, end.training_code)


def test_a_job_that_completed_while_no_launcher_was_there_is_a_success(run_folder: Path) -> None:
    tell(run_folder, {"attempts": 1}, state="complete")
    made = begun()

    with pytest.raises(InterruptedRunError) as caught:
        made.wait.check()

    assert made.end(made.side.make_run_end(caught.value.event)) == 0


def test_a_worker_whose_ranks_ended_well_alone_is_no_failed_training(run_folder: Path) -> None:
    left = FAILED.replace(b'"exitCode": 3, "tail": ["a", "b"]', b'"exitCode": 0, "tail": []')
    tell(run_folder, state="failed", message=MESSAGE)

    end = begun(*RANKS, left, expect_world=True).side.make_attempt().run()

    assert (end.event, end.code) == ("never-met", None)
    assert end.message == "1 of 2 ranks never connected with the others: 1 (launch.expectWorld)"
