"""A job in a queue of Kueue, under Argo CD and Flux: changes by the queue are no difference, and it trains once."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e.cluster import Namespace, kubectl, soon
from tests.e2e.conftest import unavailable
from tests.e2e.gitops import story, ways
from tests.e2e.gitops.channels import need
from tests.e2e.gitops.checkout import Checkout
from tests.e2e.gitops.table import Row
from tests.e2e.queues import GROUP, HOW_KUEUE, api_version, delete, held_queue
from tests.e2e.training import Job, merged, training_values

WAYS: dict[str, tuple[type[ways.Way], str]] = {
    "argocd-queue": (ways.ArgoCD, "Argo CD, Application, a queue of Kueue"),
    "flux-queue": (ways.Flux, "Flux, Kustomization, a queue of Kueue"),
}
TOLERATION = {"key": "dsgen.dev/e2e-queue", "operator": "Exists"}


@pytest.fixture(params=WAYS)
def way(
    request: pytest.FixtureRequest, namespaces: Callable[..., Namespace], image: str, tmp_path: Path
) -> Iterator[ways.Way]:
    kind, _ = WAYS[request.param]
    need(kind.SPACE)
    version = api_version() or unavailable(HOW_KUEUE)
    space = namespaces(request.param)
    queue = held_queue(space.name, version)
    queue[0]["spec"]["tolerations"] = [TOLERATION]  # of the flavor: Kueue adds them to the Job
    soon("webhook of Kueue", lambda: kubectl("apply", "--filename", "-", text=yaml.safe_dump_all(queue)), 60)
    given = {"name": "digits", "namespace": space.name, "scheduling": {"queue": "queue"}}
    given |= {"workers": {"tolerations": [TOLERATION]}}
    values = merged(training_values(image, "--steps", str(story.STEPS)), given)
    made = kind(Checkout(tmp_path, space.name, values, kind.is_chart))
    try:
        yield made
    finally:
        made.delete()
        space.delete()
        delete(queue)


@pytest.mark.by_turns("way")
def test_a_queued_run_trains_once(
    way: ways.Way, request: pytest.FixtureRequest, record_row: Callable[[Row], None], live: Callable[[str], Namespace]
) -> None:
    job = Job(live(way.space), way.checkout.folder, way.checkout.values)
    row = Row(WAYS[request.node.callspec.params["way"]][1])

    waits_for_its_queue(way, job, row)
    story.forced(way, job, row)
    row.forced = f"2 forced in the queue and while it trains, then {row.forced}"
    story.changed_under_its_id(way, job, row)
    story.next_run(way, job, row)
    story.removed(way, job, row)
    record_row(row)


def waits_for_its_queue(way: ways.Way, job: Job, row: Row) -> None:
    """The first commit trains when the queue admits it, and what the queue changes of its Jobs stays."""
    way.checkout.write("1")
    way.commit = way.checkout.push("Run 1")
    way.start()
    assert "" == way.deliver()
    job.recorded("1", lambda record: record["phase"] == "Queued", ways.RUN_SECONDS)
    queued = way.health()
    way.force()
    admit(way.space)
    job.recorded("1", lambda record: record["phase"] == "Running", ways.RUN_SECONDS)
    before, working = spec(job), way.health()
    way.force()

    assert before == spec(job)
    assert before["suspend"] is False
    assert "Healthy" not in (queued, working)
    assert "Succeeded" == job.ended("1", ways.RUN_SECONDS).record["phase"]
    good = "Healthy" if isinstance(way, ways.ArgoCD) else "Ready=True"
    soon(f"{good} of {way.title}", lambda: way.health() == good, ways.SECONDS)
    row.first = "waits in the queue, trains when it is admitted"
    row.healthy = f"{queued} in the queue, {working}, then {good}"


def admit(queue: str) -> None:
    patch = json.dumps({"spec": {"stopPolicy": "None"}})
    kubectl("patch", f"clusterqueue.{GROUP}", queue, "--type=merge", f"--patch={patch}")


def spec(job: Job) -> dict[str, object]:
    """What a channel could change of the worker Job."""
    worker_job = job.space.batch.read_namespaced_job(f"{job.name}-1-worker", job.space.name)
    return {
        "suspend": worker_job.spec.suspend,
        "uid": worker_job.metadata.uid,
        "generation": worker_job.metadata.generation,
    }
