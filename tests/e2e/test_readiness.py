"""The readiness of workers through a whole run: it changes while they wait, and never while they train."""

import contextlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import urllib3
from kubernetes import client, watch

from tests.e2e.test_launch_methods import CONFIG, job_of
from tests.e2e.training import Job, Run, ended, moment

pytestmark = pytest.mark.by_turns
PROBE = timedelta(seconds=2)  # a kubelet asks once a second


class Watched(threading.Thread):
    """Collects the readiness of each worker pod, as the API server tells each change of it."""

    def __init__(self, job: Job) -> None:
        super().__init__(daemon=True)
        self.job = job
        self.seen: dict[str, list[tuple[Any, bool]]] = {}
        self.stopped = False

    def run(self) -> None:
        listing = client.CoreV1Api().list_namespaced_pod
        while not self.stopped:  # the API server ends a watch when it likes; a change in between shows by its time
            with contextlib.suppress(urllib3.exceptions.HTTPError, client.ApiException):
                selector, space = "dsgen.dev/role=worker", self.job.space.name
                for event in watch.Watch().stream(listing, space, label_selector=selector, timeout_seconds=5):
                    self.note(event["object"])

    def note(self, pod: client.V1Pod) -> None:
        changes = self.seen.setdefault(pod.metadata.name, [])
        for one in pod.status.conditions or []:
            now = (one.last_transition_time, one.status == "True")
            changes += [now] if one.type == "Ready" and now not in changes else []


Seen = tuple[Run, dict[str, list[tuple[Any, bool]]], list[str]]


@pytest.fixture(scope="module", params=["pdsh", "torchrun", "worker-command"])
def trained(request: Any, make_job: Callable[..., Job]) -> Seen:
    """A run that is applied again while it trains, with the readiness of its workers."""
    job = job_of(make_job, f"ready-{request.param}", request.param)
    job.values["training"]["args"] += ["--pause", "1"]
    if request.param == "worker-command":
        job.values["launch"]["command"] = ["torchrun", "/job/files/train.py", *job.values["training"]["args"], *CONFIG]
        job.values["training"] |= {"python": "", "args": []}
    watched = Watched(job)
    watched.start()
    job.apply()
    job.recorded("1", lambda record: record["phase"] == "Running" or record["worldSize"] is not None, 240)
    before = {pod.metadata.uid: pod.spec for pod in job.space.pods(job=job.name)}
    again = [line for _ in range(5) for line in job.apply()]
    assert before == {pod.metadata.uid: pod.spec for pod in job.space.pods(job=job.name)}
    run = job.ended()
    watched.stopped = True
    return run, watched.seen, again


def test_a_worker_that_trains_is_never_unready_and_nothing_changes_it(trained: Seen) -> None:
    run, seen, again = trained
    assert [] == [line for line in again if not line.endswith(" unchanged")]
    assert ("Succeeded", list(range(20))) == (run.record["phase"], list(run.losses))
    (attempt,) = run.record["attempts"]
    first, last = moment(attempt["startTime"]), moment(attempt["endTime"])
    workers = run.pods_of("worker")
    assert {pod.metadata.name for pod in workers} == set(seen)
    for pod in workers:
        container = ended(pod)
        assert container
        assert container.finished_at
        changes = seen[pod.metadata.name]
        assert True in [ready for _, ready in changes]
        assert [] == [
            at for at, ready in changes if first + PROBE < at < min(last, container.finished_at) and not ready
        ]


def test_a_start_opens_few_connections_to_the_api_and_workers_none(make_job: Callable[..., Job]) -> None:
    """Requests that follow one another share a connection, and without ssh the launcher pod opens no others."""
    job = job_of(make_job, "connections", "torchrun")
    job.values["training"]["args"] += ["--pause", "1"]
    job.apply()
    job.recorded("1", lambda record: record["phase"] == "Running", 240)

    (launcher,) = job.pods("1", "launcher")
    read = ("cat", "/proc/net/snmp")
    said = job.space.kubectl("exec", launcher.metadata.name, "--container", "status", "--", *read)
    names, numbers = (line.split() for line in said.splitlines() if line.startswith("Tcp:"))
    connections = int(numbers[names.index("ActiveOpens")])
    seconds = (datetime.now(UTC) - launcher.status.start_time).total_seconds()
    print(f"{connections} connections in {seconds:.0f} s")
    assert 0 < connections < 3 + seconds / 10  # a request every two seconds looks at the worker Job
    for pod in job.pods("1", "worker"):
        assert not pod.spec.automount_service_account_token
        sources = [one for volume in pod.spec.volumes if volume.projected for one in volume.projected.sources]
        assert [] == [one for one in sources if one.service_account_token]
    job.ended()
