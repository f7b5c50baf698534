"""A record that was missing for some time contains the end of a real run."""

from collections.abc import Callable

import pytest

from tests.e2e.training import RUN_SECONDS, Job

pytestmark = pytest.mark.by_turns


def test_a_record_that_is_deleted_in_mid_training_has_the_end(make_job: Callable[..., Job]) -> None:
    job = make_job("deleted", "--until", "20", "--pause", "1")
    job.apply()
    job.recorded("1", lambda record: record.get("phase") == "Running", RUN_SECONDS)
    job.space.core.delete_namespaced_config_map("digits-status", job.space.name)
    run = job.ended()

    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
