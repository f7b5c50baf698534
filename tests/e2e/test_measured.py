"""What a run has measured: in the record, beside the estimate of `dsgen status`, and in the values file."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from kubernetes import client

from tests.e2e.cluster import soon
from tests.e2e.training import Job, dsgen

pytestmark = pytest.mark.by_turns

PATTERN = r'"step": (?P<step>\d+), "loss": (?P<loss>[^}]+)|"memory": (?P<memory>\d+)'
PARAMETERS = 64 * 128 + 128 + 128 * 10 + 10
PAUSE = 2.0
"""Seconds between two steps; a step itself takes less than a tenth of it."""
STEPS = 60


@pytest.fixture(scope="module")
def job(make_job: Callable[..., Job]) -> Job:
    """A training of two minutes, which every rank ends with its own peak of memory."""
    job = make_job("measured", "--memory", "--until", str(STEPS), "--pause", str(PAUSE))
    job.values["lifecycle"] |= {"progress": {"pattern": PATTERN}}
    job.values |= {"name": job.name, "namespace": job.space.name}
    job.values["estimate"] = {"model": {"parameters": PARAMETERS, "sequence": 1}}
    job.apply()
    return job


@pytest.fixture(scope="module")
def file(job: Job) -> str:
    return job.file("1")


def compared(file: str) -> dict[str, dict[str, Any]]:
    report = json.loads(dsgen("status", file, "-o", "json"))
    return {one["name"]: one for one in report.get("forecast", [])}


def has_metrics() -> bool:
    groups = client.ApisApi().get_api_versions().groups
    return "metrics.k8s.io" in {group.name for group in groups}


def test_the_memory_of_a_running_worker_is_that_of_the_metrics_api(file: str) -> None:
    """Where the cluster has it; metrics-server asks each kubelet four times a minute."""
    soon("a step", lambda: compared(file), 240)
    if not has_metrics():
        assert "memory of a worker" not in compared(file)
        return
    found = soon("metrics of the workers", lambda: compared(file).get("memory of a worker"), 90)

    assert 2**27 < found["measured"] < 2**32


def test_the_record_has_the_time_of_a_step_and_the_peak_of_memory(job: Job) -> None:
    run = job.ended(seconds=400)
    progress = run.record["progress"]
    peaks = [line["memory"] for line in run.lines if "memory" in line]

    assert "Succeeded" == run.record["phase"]
    assert 2 * STEPS == len(peaks)
    assert max(peaks) == progress["memory"]
    assert PAUSE < progress["secondsPerStep"] < 2 * PAUSE


def test_status_shows_it_beside_the_estimate_of_the_file(job: Job, file: str) -> None:
    progress = job.ended().record["progress"]
    found, text = compared(file), dsgen("status", file)

    assert {"time of a step", "tokens a second", "memory of a process"} == found.keys()
    assert progress["secondsPerStep"] == found["time of a step"]["measured"]
    assert pytest.approx(2 * 16 / progress["secondsPerStep"]) == found["tokens a second"]["measured"]
    assert 0 == found["memory of a process"]["error"]
    assert "MEASURED" in text
    assert text.splitlines()[-1].startswith("memory of a process ")


def test_a_name_without_a_file_has_no_estimate(job: Job) -> None:
    text = dsgen("status", f"{job.space.name}/{job.name}")

    assert "s per step, at most" in text
    assert "MEASURED" not in text


def test_the_next_estimate_says_how_far_the_last_one_was_off(job: Job, file: str) -> None:
    progress = job.ended().record["progress"]
    dsgen("estimate", file, "--measured", "--save")

    later = json.loads(dsgen("estimate", file, "-o", "json"))["measured"]

    assert "1" == later["run"]
    assert {"time of a step", "tokens a second", "memory of a process"} == {one["name"] for one in later["items"]}
    assert progress["secondsPerStep"] == later["items"][0]["measured"]
    assert "Beside what run 1 has measured" in dsgen("estimate", file)
