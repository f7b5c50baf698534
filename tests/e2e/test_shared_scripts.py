"""Jobs that share the scripts of their namespace: what comes first, who removes what, and a set that was changed."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen.generated.digest import SCRIPTS
from tests.e2e.cluster import soon
from tests.e2e.test_cluster_commands import program
from tests.e2e.training import Job, dsgen, merged

pytestmark = pytest.mark.by_turns

SHARED = "dsgen-runtime"
MISSING_SECONDS = 75
"""A kubelet tries to mount again after up to two minutes, the longer the later."""


@pytest.fixture
def job(make_job: Callable[..., Job]) -> Job:
    made = make_job("shared")
    made.values |= shared(SHARED)
    return made


def shared(name: str) -> dict[str, Any]:
    return {"runtime": {"create": False, "name": name}}


def apply_scripts(job: Job, name: str = SHARED) -> None:
    text = dsgen("runtime", "--namespace", job.space.name, "--name", name)
    job.space.kubectl("apply", "--server-side", "--filename", "-", text=text)


def list_scripts(job: Job) -> list[str]:
    maps = job.space.core.list_namespaced_config_map(job.space.name).items
    return sorted(one.metadata.name for one in maps if one.metadata.name.endswith(SCRIPTS))


def test_a_job_that_comes_first_waits_for_its_scripts(job: Job) -> None:
    job.apply()

    def explained() -> bool:
        return "RuntimeMissing" in program("why", f"{job.space.name}/{job.name}").stdout

    soon("cause RuntimeMissing", explained, 60)
    time.sleep(MISSING_SECONDS)  # the state under test: nothing gives up meanwhile
    assert explained()
    assert {"Pending"} == {pod.status.phase for pod in job.space.pods()}
    apply_scripts(job)

    assert ("Succeeded", "", 0, 2) == job.ended(seconds=600).summary


def test_two_sets_and_a_complete_job_do_not_meet(job: Job, tmp_path: Path) -> None:
    other = Job(job.space, tmp_path, merged(job.values, shared("ours")), "other")
    complete = Job(job.space, tmp_path, merged(job.values, {"runtime": {"create": True}}), "complete")
    for name in (SHARED, "ours"):
        apply_scripts(job, name)
    sets = list_scripts(job)
    suspended = {"lifecycle": {"suspend": True}}
    complete.apply(**suspended)
    assert len(list_scripts(job)) == 7 + 7 + 5
    job.apply()
    other.apply()

    job.space.kubectl("delete", "--filename", "-", text=complete.render(**suspended))
    assert sets == list_scripts(job)
    for one in (job, other):
        assert "Succeeded" == one.ended(seconds=600).summary[0]
    assert 0 == program("delete", f"{job.space.name}/{job.name}", "--job", "--yes").returncode
    assert sets == list_scripts(job)
    assert "" == dsgen("runtime", "--namespace", job.space.name, "--unused"), "the other job has the same digest"


def test_a_worker_is_replaced_while_its_scripts_are_gone(job: Job) -> None:
    """Its node still has them, so the run goes on."""
    apply_scripts(job)
    job.apply(training={"args": [*job.values["training"]["args"], "--pace", "1", "--steps", "40"]})
    job.trained(seconds=400)
    job.space.kubectl("delete", "configmap", *list_scripts(job))
    first = job.pods("1", "worker")[1].metadata.name
    job.space.kubectl("delete", "pod", first, "--wait=false")

    record = job.ended("1", 600).record
    assert ("Succeeded", 2) == (record["phase"], record["totals"]["attempts"])


def test_a_run_with_changed_scripts_does_not_start(job: Job) -> None:
    apply_scripts(job)
    name = next(one for one in list_scripts(job) if "worker" in one)
    other = yaml.safe_load(job.space.kubectl("get", "configmap", name, "--output", "yaml"))
    other["data"]["main.py"] += "# another text\n"
    job.space.kubectl("replace", "--force", "--filename", "-", text=yaml.safe_dump(other))
    job.apply()

    record = job.ended(seconds=300).record
    assert ("Failed", []) == (record["phase"], record["attempts"])
    assert "the scripts in /etc/dsgen/worker are not those of this run" in record["message"]
    assert "RuntimeChanged" in program("why", f"{job.space.name}/{job.name}").stdout


def test_an_older_run_that_is_applied_again_does_not_train_again(job: Job) -> None:
    apply_scripts(job)
    job.apply("1")
    job.ended("1", 600)
    job.apply("2")
    job.ended("2", 600)
    before = {pod.metadata.uid for pod in job.space.pods()}

    job.apply("1")  # as a commit that is taken back

    assert before == {pod.metadata.uid for pod in job.space.pods()}
    assert {"1": 1, "2": 1} == {run: one["totals"]["attempts"] for run, one in job.space.record(job.name).items()}
