"""lifecycle.debug and ssh.user in real pods."""

import time
from collections.abc import Callable

import pytest

from tests.e2e.cluster import soon
from tests.e2e.training import RUN_SECONDS, Job, losses, said

pytestmark = pytest.mark.by_turns

BY_HAND = ("bash", "/run/dsgen/train.sh")


@pytest.fixture(scope="module")
def job(make_job: Callable[..., Job]) -> Job:
    job = make_job("debug")
    job.values["lifecycle"]["debug"] = {"enabled": True}
    # Shorter than the test idles: a worker that took itself for an orphan would fail the run.
    job.values["lifecycle"]["orphanTimeoutSeconds"] = 60
    return job


def test_a_person_starts_the_training_by_hand(job: Job) -> None:
    """Environment up, nothing trains; the script does it; deleting the launcher's Job ends all of it."""
    job.apply()
    waiting = job.recorded("1", lambda record: record["reason"] == "Debug", RUN_SECONDS)
    assert "Running" == waiting["phase"]
    (launcher,) = [pod.metadata.name for pod in job.pods("1", "launcher")]
    log = soon("words", lambda: "start it by hand" in job.space.log(launcher, "launcher"), 20)
    assert log
    assert [] == job.ranks()
    time.sleep(70)

    printed = job.space.kubectl("exec", launcher, "--container", "launcher", "--", *BY_HAND)

    assert list(range(20)) == list(losses(said(printed)))
    words = job.space.log(launcher, "launcher")
    enter = f"kubectl exec --namespace {job.space.name} --stdin --tty {launcher} --container launcher -- "
    assert f"start it by hand: {enter}{' '.join(BY_HAND)}\n" in words
    assert "`bash /run/dsgen/train.sh` starts it here: deepspeed --hostfile /job/hostfile --force_multi" in words
    job.space.kubectl("delete", "job", "digits-1-launcher", "--wait=false")
    assert "JobDeleted" == job.recorded("1", lambda record: record["phase"] == "Stopped", 60)["reason"]
    soon("end of all pods", lambda: not job.running("1"), 60)


def test_the_command_of_the_values_runs_and_decides(job: Job) -> None:
    job.apply("2", lifecycle={"debug": {"enabled": True, "command": ["bash", "-c", 'echo "on $DSGEN_ROLE"; exit 7']}})

    run = job.ended("2")

    assert ("Failed", "Debug", 7) == tuple(run.record[key] for key in ("phase", "reason", "exitCode"))
    assert "lifecycle.debug.command ended with exit code 7" == run.record["message"]
    assert {"launcher": [7], "worker": [0, 0]} == run.exit_codes
    (log,) = [text for name, text in run.logs.items() if name.endswith("/launcher")]
    assert "on launcher\n" in log


def test_ranks_run_as_the_user_that_root_lets_in(make_job: Callable[..., Job]) -> None:
    """The image's user `trainer`, whose account is locked as useradd leaves it; launcher and sshd stay root."""
    job = make_job("user")
    job.values["ssh"] = {"user": "trainer"}
    job.values["training"]["setup"] = 'umask 077\necho "$DSGEN_ROLE has uid $(id -u)"\n'
    job.apply()

    run = job.ended()

    mains = {name: name.rpartition("/")[2] for name in run.logs if name.endswith(("/worker", "/launcher"))}
    assert [True] * 3 == [f"{role} has uid 0\n" in run.logs[name] for name, role in mains.items()]
    assert [1234, 1234] == [line["uid"] for line in run.lines if "rank" in line]
    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert {"launcher": [0], "worker": [0, 0]} == run.exit_codes
