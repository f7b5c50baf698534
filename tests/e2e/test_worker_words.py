"""What workers say last, and what a record has that was away, reach the record of a real run."""

from collections.abc import Callable

import pytest

from tests.e2e.training import RUN_SECONDS, Job, condition

pytestmark = pytest.mark.by_turns

NO_SSHD = 'if [ "$DSGEN_ROLE" = worker ]; then rm -f "$(PATH=$PATH:/usr/sbin type -P sshd)"; fi'


def test_a_worker_that_cannot_work_says_why_in_the_record(make_job: Callable[..., Job]) -> None:
    """The Job's condition says no more than the exit code."""
    job = make_job("words")
    job.values["training"]["setup"] = NO_SSHD
    job.apply()

    run = job.ended()

    assert ("Failed", "WorkersFailed") == (run.record["phase"], run.record["reason"])
    assert "digits-1-worker-" in run.record["message"]
    assert "ended with exit code 78: there is no sshd in this image" in run.record["message"]
    assert "there is no sshd" not in condition(run.worker).message


def test_a_record_that_is_deleted_in_mid_training_has_the_end(make_job: Callable[..., Job]) -> None:
    job = make_job("deleted", "--until", "20", "--pause", "1")
    job.apply()
    job.recorded("1", lambda record: record.get("phase") == "Running", RUN_SECONDS)
    job.space.core.delete_namespaced_config_map("digits-status", job.space.name)
    run = job.ended()

    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
