"""A training in a queue of Kueue waits for quota, is admitted, preempted, admitted again, and succeeds."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import Namespace, kubectl, soon
from tests.e2e.conftest import unavailable
from tests.e2e.queues import GROUP, HOW_KUEUE, LABEL, WORKERS, api_version, queue_objects
from tests.e2e.sampler import Sampler
from tests.e2e.training import RUN_SECONDS, SMALL, Job, Run, condition, dsgen, said

pytestmark = pytest.mark.by_turns

SLOW = ("--until", "20", "--pause", "1")


@pytest.fixture(scope="module")
def kueue_version() -> str:
    """The API version in which Kueue's objects are written."""
    return api_version() or unavailable(HOW_KUEUE)


@dataclass
class Queue:
    """A LocalQueue of a namespace, and Jobs that take its whole quota."""

    space: Namespace
    image: str
    name: str = "queue"

    def take(self, job: str, **labels: str) -> None:
        """Apply a Job of the queue that needs all of the quota, and sleeps until it is deleted."""
        program = ["sh", "-c", "trap exit TERM; sleep 3600 & wait"]
        container = {"name": "main", "image": self.image, "command": program, "resources": SMALL}
        secure = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
        pod = {"restartPolicy": "Never", "containers": [container | {"securityContext": secure}]}
        spec = {"parallelism": WORKERS, "completions": WORKERS, "template": {"spec": pod}}
        metadata = {"name": job, "labels": {f"{GROUP}/queue-name": self.name, **labels}}
        made = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
        self.space.kubectl("apply", "--filename", "-", text=yaml.safe_dump(made))
        self.space.watched("job", job, lambda seen: not seen.spec.suspend, 60)

    def give_back(self, job: str) -> None:
        """Delete that Job."""
        self.space.kubectl("delete", "job", job, "--wait=false")


@pytest.fixture(scope="module", params=["pdsh", "torchrun", "openmpi with workers.min"])
def queued_job(request: pytest.FixtureRequest, make_job: Callable[..., Job], kueue_version: str) -> Iterator[Job]:
    """A job whose workers belong into the queue `queue` of its namespace, with ssh and without.

    A queue takes all workers of a run, so workers.min changes nothing.
    """
    method, _, fewer = request.param.partition(" with ")
    job = make_job(f"kueue-{method}", *SLOW)
    job.values["launch"] = {"method": method}
    if fewer:
        job.values["workers"]["min"] = 1
        job.values["lifecycle"]["resizeAfterSeconds"] = 60
        job.values["training"]["deepspeed"]["resize"] = {"checkpoint": "/checkpoints/digits"}
        job.values["training"]["deepspeed"]["config"]["train_batch_size"] = 16 * WORKERS
    name = job.space.name
    made = queue_objects(name, kueue_version)
    local = {"apiVersion": kueue_version, "kind": "LocalQueue", "metadata": {"name": "queue", "namespace": name}}
    text = yaml.safe_dump_all([*made, {**local, "spec": {"clusterQueue": name}}])
    soon("webhook of Kueue", lambda: kubectl("apply", "--filename", "-", text=text), 60)
    job.values["scheduling"] = {"queue": "queue"}
    job.values["workers"] |= {"nodeSelector": LABEL}
    yield job
    for entry in made:  # they go when the namespace and its workloads have gone
        kubectl("delete", f"{entry['kind'].lower()}.{GROUP}", name, "--wait=false")


def top_queue(space: Namespace) -> dict[str, Any]:
    """What `dsgen top queue` says."""
    report: dict[str, Any] = json.loads(dsgen("top", "queue", "-n", space.name, "-o", "json"))
    return report


def none_waits(report: dict[str, Any]) -> dict[str, Any] | None:
    """The queue, once its only run is admitted: Kueue counts a moment later."""
    share = report["queues"][0]
    return report if (share["admitted"], share["pending"]) == (1, 0) else None


def is_admitted(worker: Any) -> bool:
    return not worker.spec.suspend


def reached_a_checkpoint(job: Job) -> bool:
    """Whether a rank has said so, in whichever pod has its output."""
    logs = (log for name, log in job.space.logs().items() if name.endswith(("/launcher", "/worker")))
    return any({"checkpoint": 5} in said(log) for log in logs)


@dataclass
class Story:
    """What was seen on the way of one run through the queue."""

    waiting: dict[str, Any]
    pods_while_waiting: list[str]
    answers_when_admitted: list[str]
    preempted: dict[str, Any]
    failed: int
    launchers: set[str]
    run: Run
    sampler: Sampler
    queues: list[dict[str, Any]]
    waited: tuple[int, str]


@pytest.fixture(scope="module")
def story(queued_job: Job, image: str) -> Story:
    """The quota is taken; it becomes free; another Job preempts the training; the quota is free again."""
    job, space = queued_job, queued_job.space
    queue = Queue(space, image)
    queue.take("earlier")
    job.apply()
    sampler = Sampler(job)
    sampler.start()
    waiting = job.recorded("1", lambda record: record["phase"] == "Queued", 60)
    pods = [pod.metadata.name for pod in job.pods("1", "worker")]
    queues = [top_queue(space)]
    command = [sys.executable, "-m", "dsgen", "wait", f"{space.name}/digits", "--for", "admitted", "--timeout", "2m"]
    wait = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    soon("its first line", lambda: wait.stdout and "Queued" in wait.stdout.readline(), 30)
    assert wait.poll() is None
    queue.give_back("earlier")
    waited = wait.communicate(timeout=60)[0]
    space.watched("job", "digits-1-worker", is_admitted, 1)
    queues.append(soon("the run in the queue's counts", lambda: none_waits(top_queue(space)), 30))
    soon("checkpoint", lambda: reached_a_checkpoint(job), RUN_SECONDS)
    (launcher,) = job.pods("1", "launcher")
    answers = job.apply()
    queue.take("urgent", **{f"{GROUP}/priority-class": space.name})
    preempted = job.recorded("1", lambda record: record["phase"] == "Queued" and bool(record["attempts"]), 60)
    queue.give_back("urgent")
    worker = space.watched("job", "digits-1-worker", is_admitted, 60)
    run = job.ended()
    uids = {launcher.metadata.uid, *(pod.metadata.uid for pod in run.pods_of("launcher"))}
    sampler.end()
    ended = wait.returncode, waited
    return Story(waiting, pods, answers, preempted, worker.status.failed or 0, uids, run, sampler, queues, ended)


def test_a_queued_run_waits_and_says_so(story: Story) -> None:
    """The launcher is there and records it; no worker is."""
    assert ("Queued", "WorkersSuspended") == (story.waiting["phase"], story.waiting["reason"])
    assert ([], []) == (story.waiting["attempts"], story.pods_while_waiting)


def test_the_queue_shows_who_waits_and_what_is_used(story: Story) -> None:
    """First the run waits behind the Job that has the quota, then it has all of it."""
    before, after = story.queues
    shares = [[(row["resource"], row["used"], row["nominal"]) for row in report["queues"]] for report in story.queues]

    quota = [("cpu", f"{WORKERS * 50}m", f"{WORKERS * 50}m"), ("memory", *[f"{WORKERS * 128}Mi"] * 2)]
    assert [quota, quota] == shares
    assert [(1, 1), (1, 0)] == [
        (report["queues"][0]["admitted"], report["queues"][0]["pending"]) for report in story.queues
    ]
    assert [(1, "digits-1-worker")] == [(row["position"], row["job"]) for row in before["pending"]]
    assert [] == after["pending"]


def test_the_wait_for_admission_ends_with_it(story: Story) -> None:
    code, lines = story.waited

    assert 0 == code
    assert "Pending" in lines.splitlines()[-1]


def test_the_story_of_a_queued_run_is_true(story: Story) -> None:
    """The sampler has found no lie; what it has seen is the whole story, and the queue is the cause of each wait."""
    phases = story.sampler.phases()
    causes = {blamed[0].reason for shown, _, blamed in story.sampler.samples if shown.phase == "Queued" and blamed}

    assert "Queued" in phases[:2]
    assert 2 == phases.count("Queued")
    assert phases.index("Running") < len(phases) - 1 - phases[::-1].index("Queued") < phases.index("Succeeded")
    assert "QuotaTaken" in causes
    # WorkersSuspended: until Kueue has written why.
    assert causes <= {"QuotaTaken", "QueueWaits", "Preempted", "WorkersSuspended"}


def test_an_admitted_run_can_be_applied_again(story: Story) -> None:
    """What Kueue wrote into the Job (suspend, the flavor's nodeSelector) is nobody else's, and nothing changes."""
    assert [] == [answer for answer in story.answers_when_admitted if not answer.endswith(" unchanged")]


def test_workers_run_where_the_flavor_says(story: Story) -> None:
    """The flavor's labels were written by Kueue; the user's nodeSelector is an affinity beside them."""
    (required,) = {
        json.dumps(pod.spec.affinity.node_affinity.to_dict()["required_during_scheduling_ignored_during_execution"])
        for pod in story.run.pods_of("worker")
    }

    assert [LABEL] * WORKERS == [pod.spec.node_selector for pod in story.run.pods_of("worker")]
    assert ("kubernetes.io/os", "In", ["linux"]) == tuple(
        json.loads(required)["node_selector_terms"][0]["match_expressions"][0][key]
        for key in ("key", "operator", "values")
    )


def test_a_preempted_run_goes_back_into_the_queue_and_on_from_its_checkpoint(story: Story) -> None:
    """The record says so, no failure is counted, and the launcher pod is the same one from beginning to end."""
    run = story.run

    assert ["WorkersLost"] == [attempt["reason"] for attempt in story.preempted["attempts"]]
    assert (0, 1) == (story.failed, len(story.launchers))
    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert ["WorkersLost", "Succeeded"] == [attempt["reason"] for attempt in run.record["attempts"]]
    assert {"attempts": 2, "failures": 0, "replacements": 0}.items() <= run.record["totals"].items()
    assert ("Complete", "Complete") == (condition(run.launcher).type, condition(run.worker).type)
    begun = [line["first"] for line in run.lines if "rank" in line][-WORKERS:]  # without ssh the first log is gone
    assert 5 <= min(begun) == max(begun) < 20
    assert set(range(max(begun), 20)) <= run.losses.keys()
