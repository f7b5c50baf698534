"""A training that fails, is interrupted, loses a worker, is stopped, or starts with too few ranks."""

from collections.abc import Callable

import pytest

from tests.e2e.cluster import soon
from tests.e2e.training import RESTRICTED, Job, Run, condition, ended, moment
from tests.faults import harm

pytestmark = pytest.mark.by_turns

# Steps of a second, so that there is a middle to interrupt; what resumes goes at full speed.
SLOW = ("--until", "20", "--pause", "1")


def test_a_failed_rank_fails_the_launcher_job_with_its_exit_code(make_job: Callable[..., Job]) -> None:
    """Rank 1 exits with code 3 at step 3; rank 0 then fails too, because its peer is gone.

    The record has the last lines of rank 1. Workers that did their part are Complete, whatever the training's result.
    """
    job = make_job("failed", "--fail", "3:1:3")
    job.apply()
    run = job.ended()
    verdict, record = condition(run.launcher), run.record
    attempt = record["attempts"][-1]

    assert ("Failed", "PodFailurePolicy") == (verdict.type, verdict.reason)
    assert "Container launcher" in verdict.message
    assert "exit code 3 " in verdict.message
    assert ("Failed", 3, 2) == (record["phase"], record["exitCode"], record["worldSize"])
    assert "TrainingFailed" == record["reason"]
    assert (1, 3) == (attempt["rank"], attempt["exitCode"])
    assert "rank 1 gives up at step 3" == attempt["tail"][-1]
    assert moment(record["startTime"]) < moment(record["endTime"])
    assert "Complete" == condition(run.worker).type
    assert {"launcher": [3], "worker": [0, 0]} == run.exit_codes


@pytest.fixture(scope="module")
def drained(make_job: Callable[..., Job]) -> tuple[Job, Run]:
    """The launcher pod is deleted in mid-training, and the run goes on to its end."""
    job = make_job("drained", *SLOW)
    job.apply()
    pod = job.trained()
    workers = {worker.metadata.uid for worker in job.pods("1", "worker")}
    job.space.kubectl("delete", "pod", pod.metadata.name, "--wait=false")
    gone = job.space.watched("pod", pod.metadata.name, lambda seen: ended(seen) is not None, 60)

    assert 143 == ended(gone).exit_code
    job.recorded("1", lambda record: (record["phase"], record["reason"]) == ("Pending", "LauncherTerminated"), 30)
    soon("end of all ranks", lambda: not job.ranks(), 20)

    run = job.ended()
    assert workers == {worker.metadata.uid for worker in run.pods_of("worker")}
    return job, run


def test_the_next_launcher_pod_takes_over_a_lost_ones_run(drained: tuple[Job, Run]) -> None:
    """SIGTERM ends the launcher with 143 and all ranks; the next one resumes on the same workers."""
    _, run = drained
    first = [line["first"] for line in run.lines if "rank" in line]

    assert 5 <= min(first) == max(first) < 20
    assert 19 == max(run.losses)
    assert "Complete" == condition(run.launcher).type
    assert [0, 0] == run.exit_codes["worker"]


def test_the_record_lists_the_attempt_of_the_lost_launcher(drained: tuple[Job, Run]) -> None:
    """One run, two attempts, one result."""
    _, run = drained

    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert ["LauncherTerminated", "Succeeded"] == [attempt["reason"] for attempt in run.record["attempts"]]


def test_deleted_jobs_stop_the_run(drained: tuple[Job, Run]) -> None:
    """Who deletes both Jobs has stopped the run: the record says Stopped, pods and ranks go, nothing comes again.

    Until then, no process list showed a line of the key.
    """
    job, _ = drained
    training = job.values["training"] | {"args": ["--checkpoints", "/checkpoints/stopped", *SLOW]}
    job.apply("2", training=training)
    job.trained("2")
    assert [] == job.showing_key(job.processes("2"))

    job.space.kubectl("delete", "job", "digits-2-launcher", "digits-2-worker", "--wait=false")

    record = job.recorded("2", lambda record: bool(record["endTime"]), 60)
    assert "Stopped" == record["phase"]
    soon("end of all pods", lambda: not job.space.pods(job="digits", run="2"), 60)
    assert [] == [
        configmap.metadata.name
        for configmap in job.space.batch.list_namespaced_job(job.space.name).items
        if configmap.metadata.name.startswith("digits-2-")
    ]


def test_a_deleted_worker_is_waited_for_in_the_same_launcher_pod(make_job: Callable[..., Job]) -> None:
    """A lost worker is no failure of the training: the launcher waits for the next pod and trains on."""
    job = make_job("lost", *SLOW, level="restricted")
    job.values["security"] = RESTRICTED
    job.apply()
    launcher = job.trained()
    worker = next(pod for pod in job.pods("1", "worker") if "-worker-1-" in pod.metadata.name)

    job.space.kubectl("delete", "pod", worker.metadata.name, "--wait=false")

    waiting = job.recorded("1", lambda record: record["reason"] == "WorkersLost", 60)
    assert "Pending" == waiting["phase"]
    run = job.ended()
    assert [launcher.metadata.uid] == [pod.metadata.uid for pod in run.pods_of("launcher")]
    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert 19 == max(run.losses)
    begun = [line["first"] for line in run.lines if "rank" in line]
    assert [0, 0] == begun[:2]
    assert all(5 <= first < 20 for first in begun[2:])
    assert 4 == len(begun)
    assert ["WorkersLost", "Succeeded"] == [attempt["reason"] for attempt in run.record["attempts"]]


def test_a_smaller_world_than_asked_for_fails(make_job: Callable[..., Job]) -> None:
    """Two workers were asked for and one trains: exit 1, reason WorldSize, and no rank goes on."""
    job = make_job("smaller", "--pause", "5")
    job.values["training"]["setup"] = harm.SMALLER
    job.apply()

    run = job.ended()

    assert "exit code 1 " in condition(run.launcher).message
    assert ("Failed", "WorldSize") == (run.record["phase"], run.record["reason"])
    assert {"launcher": [1], "worker": [0, 0]} == run.exit_codes
    assert 20 > len(run.losses)
