"""What a run has measured: in the record, beside the estimate of `dsgen status`, and in the values file.

The job is that of docs/estimate.md: a model of its config.json. With DSGEN_E2E_KEEP_ANSWERS, the answers of the API
server are kept for the page (tests/data/cluster/measured.json).
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client

from dsgen.cluster.client import Cluster
from dsgen.cluster.reader import add_surroundings, read_run
from dsgen.cluster.runs import read_measures
from tests.cluster.recorded import Keeping
from tests.e2e.cluster import soon
from tests.e2e.training import Job, dsgen, merged
from tools.docs import BLOCK, ROOT

pytestmark = pytest.mark.by_turns

PAGE = {block["file"]: block["body"] for block in BLOCK.finditer((ROOT / "docs" / "estimate.md").read_text())}
PROGRAM = Path(__file__).with_name("llama.py").read_text()
SECONDS = 150
"""The record has the progress after the first minute."""


@pytest.fixture(scope="module")
def job(make_job: Callable[..., Job]) -> Job:
    """The training of the page, in the image of the tests."""
    job, page = make_job("measured"), yaml.safe_load(PAGE["tiny.yaml"])
    files = {"llama.py": PROGRAM, "config.json": PAGE["tiny.json"]}
    own = {"python": "/job/files/llama.py", "args": ["--seconds", str(SECONDS)], "files": files}
    own["env"] = {"OMP_NUM_THREADS": "1"}
    resources = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "4Gi"}}
    kept = {key: job.values[key] for key in ("image", "launcher", "status")}
    job.name = page["name"]
    job.values = merged(page, {**kept, "training": own, "namespace": job.space.name})
    job.values["workers"]["resources"] = resources
    return job


@pytest.fixture(scope="module")
def file(job: Job) -> str:
    """The values file with the numbers of the model, whose run has begun."""
    name = job.file("1")
    config = Path(name).with_name("config.json")
    config.write_text(PAGE["tiny.json"])
    dsgen("estimate", name, "--model", str(config), "--save")
    job.values = yaml.safe_load(Path(name).read_text())
    job.apply()
    return name


def compared(file: str) -> dict[str, dict[str, Any]]:
    report = json.loads(dsgen("status", file, "-o", "json"))
    return {one["name"]: one for one in report.get("forecast", [])}


def has_metrics() -> bool:
    groups = client.ApisApi().get_api_versions().groups
    return "metrics.k8s.io" in {group.name for group in groups}


def keep(job: Job) -> None:
    """Keep what the API server answers."""
    kept = Keeping(Cluster())
    state = read_run(kept, job.space.name, job.name)
    assert state
    read_measures(kept, add_surroundings(kept, state))
    kept.write("measured", state)


def test_the_memory_of_a_running_worker_is_that_of_the_metrics_api(job: Job, file: str) -> None:
    """Where the cluster has it; metrics-server asks each kubelet four times a minute."""
    soon("the time of a step", lambda: compared(file).get("time of a step"), 240)
    step = compared(file)["memory of a process"]
    if not has_metrics():
        assert "memory of a worker" not in compared(file)
        return
    found = soon("metrics of the workers", lambda: compared(file).get("memory of a worker"), SECONDS / 2)

    assert step["measured"] / 2 < found["measured"] < 2 * step["measured"]
    assert found["low"] <= found["measured"] <= found["high"]
    if os.environ.get("DSGEN_E2E_KEEP_ANSWERS"):
        keep(job)


def test_the_record_has_the_time_of_a_step_and_the_peak_of_memory(job: Job, file: str) -> None:
    assert file
    run = job.ended(seconds=400)
    progress = run.record["progress"]

    assert "Succeeded" == run.record["phase"]
    assert 0 < progress["secondsPerStep"] < SECONDS / 3
    assert 2**29 < progress["memory"] < 2**32


def test_status_shows_it_beside_the_estimate_of_the_file(job: Job, file: str) -> None:
    progress = job.ended().record["progress"]
    found, text = compared(file), dsgen("status", file)

    assert {"time of a step", "tokens a second", "memory of a process"} == found.keys()
    assert progress["secondsPerStep"] == found["time of a step"]["measured"]
    assert pytest.approx(2 * 4 * 128 / progress["secondsPerStep"]) == found["tokens a second"]["measured"]
    assert progress["memory"] == found["memory of a process"]["measured"]
    assert 0 == found["memory of a process"]["error"]
    assert "MEASURED" in text
    assert text.splitlines()[-1].startswith("memory of a process ")


def test_a_name_without_a_file_has_no_estimate(job: Job, file: str) -> None:
    assert file
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
    assert later["items"] == json.loads(dsgen("estimate", file, "--set", "run.id=2", "-o", "json"))["measured"]["items"]
