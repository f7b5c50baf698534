"""The sidecar with a real API server: lease and record."""

import fcntl
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from shared import exchange, settings
from status import lease, main
from status import pods as status_pods
from status import record as status_record

pytestmark = pytest.mark.cluster


class Pod:
    """One launcher pod: its folder, and a sidecar whose rounds the test calls."""

    def __init__(self, job: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
        self.folder = folder
        self.folder.mkdir()
        self.monkeypatch = monkeypatch
        self.enter()
        self.sidecar = main.Sidecar(job.configured(**changes), job.client)

    def enter(self) -> None:
        """Now this pod's folder is /run/dsgen."""
        self.monkeypatch.setattr(settings, "RUN", self.folder)
        self.monkeypatch.setattr(settings, "locate_volume", lambda _: self.folder)
        self.monkeypatch.setattr(settings, "TERMINATION_LOG", self.folder / "termination-log")

    def says(self, sequence: int, phase: str, **more: Any) -> None:
        """The launcher writes."""
        content = {
            "sequence": sequence,
            "phase": phase,
            "reason": "",
            "message": "",
            "exitCode": None,
            "worldSize": None,
        }
        exchange.write(self.folder / exchange.LAUNCHER, {**content, "terminated": False, "attempts": [], **more})

    def round(self) -> dict[str, Any]:
        """One round in which everything is due; status.json after it."""
        self.enter()
        self.sidecar.lease.changed_at = self.sidecar.looked_at = self.sidecar.failed_at = float("-inf")
        self.sidecar.step()
        return exchange.read(self.folder / exchange.STATUS)


@pytest.fixture
def pods(job: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    job.create_job("a-1-worker")
    job.create_job("a-1-launcher", backoffLimit=3)

    def make(name: str, **changes: Any) -> Pod:
        return Pod(job, tmp_path / name, monkeypatch, **changes)

    return make


def recorded(job: Any, run: str = "1") -> dict[str, Any]:
    return dict(json.loads(job.record()[run]))


def test_from_nothing_to_the_end(job: Any, pods: Any) -> None:
    pod = pods("one")

    begun = pod.round()
    assert (begun["lease"], begun["holder"], begun["recorded"], begun["ended"]) == ("held", "1", 0, None)
    assert begun["workers"]["suspended"] is True
    assert recorded(job)["phase"] == "Pending"

    pod.says(5, "Running", worldSize=2)
    assert pod.round()["recorded"] == 5
    assert (recorded(job)["phase"], recorded(job)["worldSize"], recorded(job)["endTime"]) == ("Running", 2, None)

    pod.says(6, "Succeeded", exitCode=0, worldSize=2)
    pod.round()
    before = job.record()
    time.sleep(1.1)
    assert pod.sidecar.finish() == 0
    assert job.record() == before
    assert (recorded(job)["phase"], recorded(job)["exitCode"]) == ("Succeeded", 0)
    assert (pod.folder / "termination-log").read_text() == "Succeeded"


def test_it_ends_with_a_launcher_whose_end_is_recorded(pods: Any) -> None:
    pod = pods("one")
    alive = os.open(pod.folder / exchange.ALIVE, os.O_CREAT)
    fcntl.flock(alive, fcntl.LOCK_EX)
    seen = []
    for sequence, phase in ((1, "Running"), (2, "Succeeded")):
        pod.says(sequence, phase)
        pod.round()
        seen.append(pod.sidecar.is_over())
    os.close(alive)
    seen.append(pod.sidecar.is_over())
    pod.says(3, "Running")
    pod.round()

    assert [False, False, True, False] == [*seen, pod.sidecar.is_over()]


def test_a_launcher_that_writes_without_end_changes_the_record_a_few_times(job: Any, pods: Any) -> None:
    """Training code can write the file, too. An end is written at once, and the same holds for what follows it."""
    pod = pods("one", status_interval_seconds=3600)
    versions = []

    def step() -> None:
        pod.sidecar.step()
        versions.append(job.core.read_namespaced_config_map("a-status", job.namespace).metadata.resource_version)

    pod.round()
    for sequence in range(1, 40):
        pod.says(sequence, "Running", message=f"a-1-worker-{sequence}")
        step()
    running = recorded(job)["message"]
    for sequence in range(40, 80):
        pod.says(sequence, "Running" if sequence % 2 else "Failed", reason="TrainingFailed", message=str(sequence))
        step()

    assert ("a-1-worker-39" != running, "40") == (True, recorded(job)["message"])
    assert len(set(versions)) <= status_record.CHANGES_AT_ONCE + 1
    assert pod.sidecar.finish() == 0
    assert recorded(job)["phase"] == "Suspended", "the last state is written whatever came before: the Job is suspended"


def test_only_changes_are_written(job: Any, pods: Any) -> None:
    """Every worker's kubelet watches the record."""
    pod = pods("one")
    pod.round()
    version = job.core.read_namespaced_config_map("a-status", job.namespace).metadata.resource_version
    pod.sidecar.lease.state, pod.sidecar.lease.changed_at = "held", time.monotonic()
    for _ in range(3):
        pod.sidecar.looked_at = float("-inf")
        pod.sidecar.step()

    assert version == job.core.read_namespaced_config_map("a-status", job.namespace).metadata.resource_version


def test_two_runs_take_turns(job: Any, pods: Any) -> None:
    first, second = pods("one"), pods("two", run="2")
    first.round()

    assert [second.round()["lease"], second.round()["holder"]] == ["waiting", "1"]
    assert recorded(job, "2")["phase"] == "Pending"

    first.says(1, "Succeeded", exitCode=0)
    first.round()
    assert second.round()["lease"] == "held"


def test_a_dead_lease_is_taken_and_its_holder_learns_of_it(job: Any, pods: Any) -> None:
    first, second = pods("one"), pods("two", run="2")
    first.round()
    second.round()
    second.sidecar.lease.since = time.monotonic() - lease.DEAD_SECONDS

    assert second.round()["lease"] == "held"
    first.says(1, "Running")
    assert [first.round()["lease"], first.round()["holder"]] == ["lost", "2"]
    assert recorded(job, "1")["phase"] == "Running"


def test_the_same_run_takes_its_lease_over_at_once(job: Any, pods: Any) -> None:
    """A new launcher pod goes on from what the lost one recorded."""
    first = pods("one")
    first.round()
    first.says(3, "Running", attempts=[{"startTime": "2026-01-01T00:00:00Z"}])
    first.round()

    said = pods("next").round()

    assert (said["lease"], said["earlier"]["attempts"]) == ("held", 1)
    assert recorded(job)["phase"] == "Pending"
    assert [attempt["reason"] for attempt in recorded(job)["attempts"]] == ["LauncherLost"]


def test_a_run_that_has_ended_is_left_alone(job: Any, pods: Any) -> None:
    first = pods("one")
    first.says(3, "Failed", reason="TrainingFailed", exitCode=3)
    first.round()
    before = job.record()

    again = pods("again")
    again.says(1, "Pending")
    said = again.round()

    assert said["known"] is True
    assert said["ended"] == {"phase": "Failed", "reason": "TrainingFailed", "exitCode": 3}
    assert again.sidecar.finish() == 0
    assert job.record() == before


def test_a_container_that_is_started_again_is_the_same_pod(job: Any, pods: Any) -> None:
    """It finds neither a predecessor nor an end in what it wrote itself."""
    pod = pods("one")
    pod.round()
    pod.says(3, "Running", attempts=[{"startTime": "2026-01-01T00:00:00Z"}])
    pod.round()

    pod.sidecar = main.Sidecar(job.configured(), job.client)
    pod.sidecar.resume()
    said = pod.round()

    assert (said["lease"], said["recorded"]) == ("held", 3)
    assert recorded(job)["attempts"] == [{"startTime": "2026-01-01T00:00:00Z"}]


HOSTILE: dict[str, dict[str, Any]] = {
    "attempts": {"attempts": [{}] * 250_000},
    "tails": {"attempts": [{"tail": ["://" * 1300] * 10}] * 25},
    "workers": {"message": "a-1-worker-" + "9" * 4000},
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=list(HOSTILE))
def test_the_lease_is_renewed_whatever_the_launcher_writes(job: Any, pods: Any, content: dict[str, Any]) -> None:
    """Each round takes less than a tenth of the time after which another run takes the lease."""
    pod = pods("one")
    pod.round()
    seconds = []
    for number in (1, 2, 3):
        pod.says(number, "Running", **content)
        before = job.record()["_lease"]
        begun = time.process_time()
        assert pod.round()["lease"] == "held"
        seconds.append(time.process_time() - begun)
        assert before != job.record()["_lease"]

    assert max(seconds) < lease.DEAD_SECONDS / 10


def test_a_bug_does_not_end_the_lease(job: Any, pods: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pod = pods("one")
    pod.round()
    monkeypatch.setattr(exchange, "read_launcher", lambda _: 1 / 0)
    before = job.record()["_lease"]

    pod.round()

    assert before != job.record()["_lease"]
    assert pod.sidecar.problem == "ZeroDivisionError('division by zero')"


def test_a_record_that_was_deleted_is_made_anew(job: Any, pods: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the right to create an object of that name; after a while, because a prune deletes it too."""
    pod = pods("one")
    pod.says(3, "Running")
    pod.round()
    job.core.delete_namespaced_config_map("a-status", job.namespace)
    pod.round()
    assert "a-status" not in names(job)

    monkeypatch.setattr(status_record, "MISSING_SECONDS", 0)
    pod.says(4, "Succeeded", exitCode=0)
    for _ in range(2):
        said = pod.round()

    assert (said["lease"], said["recorded"]) == ("held", 4)
    assert recorded(job)["phase"] == "Succeeded"


def test_a_record_that_was_pruned_with_its_run_stays_away(job: Any, pods: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_record, "MISSING_SECONDS", 0)
    pod = pods("one")
    pod.round()
    job.core.delete_namespaced_config_map("a-status", job.namespace)
    job.batch.delete_namespaced_job("a-1-launcher", job.namespace, propagation_policy="Background")
    for _ in range(2):
        pod.round()

    assert "a-status" not in names(job)


def test_the_end_is_recorded_once_the_rights_are_back(job: Any, pods: Any) -> None:
    pod = pods("one")
    pod.round()
    binding = job.rbac.read_namespaced_role_binding("a", job.namespace)
    job.rbac.delete_namespaced_role_binding("a", job.namespace)
    pod.says(7, "Succeeded", exitCode=0)
    assert pod.round()["recorded"] < 7

    binding.metadata = {"name": "a"}
    job.rbac.create_namespaced_role_binding(job.namespace, binding)
    deadline = time.monotonic() + 20
    while pod.round()["recorded"] < 7 and time.monotonic() < deadline:
        time.sleep(0.5)

    assert recorded(job)["phase"] == "Succeeded"


def names(job: Any) -> set[str]:
    return {configmap.metadata.name for configmap in job.core.list_namespaced_config_map(job.namespace).items}


def test_a_record_that_was_made_anew_is_filled_again(job: Any, pods: Any) -> None:
    pod = pods("one")
    pod.says(3, "Running")
    pod.round()
    job.core.delete_namespaced_config_map("a-status", job.namespace)
    assert pod.round()["lease"] == "held"
    job.create("ConfigMap", "a-status")

    assert pod.round()["lease"] == "held"
    assert (recorded(job)["phase"], "_lease" in job.record()) == ("Running", True)


@pytest.mark.parametrize(
    ("change", "phase", "reason"),
    [
        ("none", "Stopped", "JobDeleted"),
        ("running", "Pending", "LauncherTerminated"),
        ("suspended", "Suspended", "JobSuspended"),
    ],
)
def test_what_sigterm_of_the_launcher_means(job: Any, pods: Any, change: str, phase: str, reason: str) -> None:
    pod = pods("one")
    pod.says(3, "Running", terminated=True)
    pod.round()
    if change == "none":
        job.batch.delete_namespaced_job("a-1-launcher", job.namespace, propagation_policy="Foreground")
    if change == "running":
        job.batch.patch_namespaced_job("a-1-launcher", job.namespace, {"spec": {"suspend": False}})

    assert pod.sidecar.finish() == 0
    assert (recorded(job)["phase"], recorded(job)["reason"]) == (phase, reason)
    assert (recorded(job)["endTime"] is not None) is (phase == "Stopped")


def test_old_runs_leave_the_record(job: Any, pods: Any) -> None:
    for run in ("1", "2", "3"):
        pod = pods(run, run=run, status_history=2)
        pod.says(1, "Succeeded", exitCode=0)
        pod.round()
        pod.sidecar.record.ended = time.time()

    assert {"_lease", "2", "3"} == set(job.record())


def test_the_nodes_of_workers_are_asked_for_by_their_index(job: Any, pods: Any) -> None:
    """Without the right to list pods, the message stays as it is."""
    made = failed_pod("a-1-worker")
    made["metadata"]["labels"][status_pods.INDEX] = "0"
    job.core.create_namespaced_pod(job.namespace, made)
    pod = pods("one")
    pod.says(1, "Running", message="a-1-worker-0.a-1 is slow, a-1-worker-1.a-1 is not")
    pod.round()

    assert json.loads(job.record()["1"])["message"] == "a-1-worker-0.a-1 (node none) is slow, a-1-worker-1.a-1 is not"


def test_a_failed_worker_job_brings_the_words_of_its_pods(job: Any, pods: Any) -> None:
    """And without the right to list pods the run ends all the same."""
    job.core.create_namespaced_pod(job.namespace, failed_pod("a-1-worker"))
    words = {"name": "main", "restartCount": 0, "image": "x", "imageID": "", "ready": False}
    words["state"] = {"terminated": {"exitCode": 78, "message": "there is no sshd in this image"}}
    patch = {"status": {"phase": "Failed", "containerStatuses": [words]}}
    job.core.patch_namespaced_pod_status("a-1-worker-0-abcde", job.namespace, patch)
    pod = pods("one")
    pod.says(1, "Pending", reason="WaitingForWorkers")

    expected = "a-1-worker-0: container main ended with exit code 78: there is no sshd in this image"
    assert pod.round()["workers"]["problems"] == [expected]

    job.rbac.delete_namespaced_role_binding("a-1-watch", job.namespace)
    job.allow("a-2-watch", [("batch", "jobs", ["a-1-worker", "a-1-launcher"], ["get"])])
    other = pods("two")
    other.says(1, "Pending", reason="WaitingForWorkers")
    deadline = time.monotonic() + 20
    while not other.round()["workers"] and time.monotonic() < deadline:
        time.sleep(0.5)
    assert exchange.read(other.folder / exchange.STATUS)["workers"]["problems"] == []


def failed_pod(job: str) -> dict[str, Any]:
    labels = {"batch.kubernetes.io/job-name": job}
    spec = {"nodeName": "none", "restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}]}
    return {"metadata": {"name": f"{job}-0-abcde", "labels": labels}, "spec": spec}
