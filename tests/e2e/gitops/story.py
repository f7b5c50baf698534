"""The steps of a job in every channel, from its first commit to its removal, each with its assertions."""

import os
from typing import Any

from dsgen.cluster.reader import COMPONENT
from tests.e2e.cluster import soon
from tests.e2e.gitops import ways
from tests.e2e.gitops.table import Row
from tests.e2e.test_cluster_commands import program
from tests.e2e.training import Job, losses, said

SYNCS = int(os.environ.get("DSGEN_E2E_SYNCS", "3"))
"""Forced syncs of a run that has ended."""
STEPS = 6

OWNERS = {
    ways.ArgoCD: "Argo CD application",
    ways.HelmRelease: "Flux HelmRelease",
    ways.Flux: "Flux Kustomization",
    ways.Helm: "Helm release",
}
"""What `dsgen stop` calls who applies a job."""


def first_run(way: ways.Way, job: Job, row: Row) -> None:
    """The first commit trains, with real losses, and counts as healthy only when it is complete."""
    way.checkout.write("1")
    way.commit = way.checkout.push("Run 1")
    way.start()
    assert "" == way.deliver()
    job.recorded("1", lambda record: record["phase"] == "Running", ways.RUN_SECONDS)
    working = way.health()
    assert working in ("", "Progressing", "Ready=True", "Ready=Unknown", "Ready=False"), working
    refused_by_dsgen(way, job)
    run = job.ended("1", ways.RUN_SECONDS)

    assert list(range(STEPS)) == sorted(losses([line for text in run.logs.values() for line in said(text)]))
    assert ("Succeeded", 1) == (run.record["phase"], run.record["totals"]["attempts"])
    row.first = f"trains, {STEPS} steps on 2 ranks"
    row.healthy = _healthy(way, working)


def refused_by_dsgen(way: ways.Way, job: Job) -> None:
    """What the tool would undo is refused, and nothing is changed."""
    title = next((title for kind, title in OWNERS.items() if isinstance(way, kind)), "")
    if title:
        done = program("stop", f"{way.space}/{job.name}", "--yes")
        assert (1, True) == (done.returncode, done.stderr.startswith(f"dsgen: {title} ")), done


def _healthy(way: ways.Way, working: str) -> str:
    """What the channel says while it trains and when it has succeeded."""
    if not working:
        return "does not check"
    good = "Healthy" if isinstance(way, ways.ArgoCD) else "Ready=True"
    soon(f"{good} of {way.title}", lambda: way.health() == good, ways.SECONDS)
    if isinstance(way, ways.ArgoCD):
        assert working == "Progressing"
    elif isinstance(way, ways.FluxComplete):
        assert working != "Ready=True"
    return f"{working}, then {good}"


def forced(way: ways.Way, job: Job, row: Row) -> None:
    """Applied again and again, and after a restart of the controllers, nothing is made anew."""
    before = _kept(job)
    for _ in range(SYNCS):
        way.force()
    way.restart()
    way.force()

    assert before == _kept(job)
    assert ("Succeeded", 1) == _end(job, "1")
    restart = ", restart of the controllers" if way.controllers else ""
    row.forced = f"{SYNCS} forced{restart}: same Jobs, same pods, 1 attempt"


def changed_under_its_id(way: ways.Way, job: Job, row: Row) -> None:
    """Other numbers under the same id are refused by the API server, and no Job or pod changes."""
    before = _kept(job)
    way.checkout.write("1", "--replace", "--yes", workers={"replicas": 1})
    way.commit = way.checkout.push("Another number of workers under the id of run 1")
    answer = way.deliver()

    assert "is immutable" in answer or "Forbidden" in answer, answer
    assert before == _kept(job)
    row.changed = "refused: field is immutable"


def next_run(way: ways.Way, job: Job, row: Row) -> None:
    """A new id trains once; its failure is seen in the channel, and the record keeps both runs."""
    arguments = [*way.checkout.values["training"]["args"], "--fail", f"{STEPS + 2}:1:9"]
    way.checkout.write("2", training={"args": arguments})
    way.commit = way.checkout.push("Run 2")
    assert "" == way.deliver()
    record = job.recorded("2", lambda record: record["phase"] in ("Failed", "Succeeded"), ways.RUN_SECONDS)
    assert ("Failed", "TrainingFailed") == (record["phase"], record["reason"])
    assert {"1": ("Succeeded", 1), "2": ("Failed", 1)} == {run: _end(job, run) for run in ("1", "2")}
    row.next = "trains once, the record has both"
    row.failed = _broken(way)


def _broken(way: ways.Way) -> str:
    """What the channel says of a run that has failed."""
    if not way.health():
        return "the record says TrainingFailed"
    bad = "Degraded" if isinstance(way, ways.ArgoCD) else "Ready=False"
    soon(f"{bad} of {way.title}", lambda: way.health() == bad, ways.SECONDS)
    return bad


def removed(way: ways.Way, job: Job, row: Row) -> None:
    """The claim stays when the job goes, and so do the scripts that jobs share."""
    claims, scripts = _claims(job), _scripts(job)
    way.remove()
    if way.stops_removed:
        soon("end of the Jobs", lambda: not job.space.batch.list_namespaced_job(way.space).items, ways.SECONDS)
    else:
        assert job.space.batch.list_namespaced_job(way.space).items

    assert claims
    assert claims == _claims(job)
    assert len(scripts) == 7 * way.checkout.is_shared
    assert scripts == _scripts(job)
    row.removed = "the claim stays" if way.stops_removed else "claim, record and Jobs stay"


def _kept(job: Job) -> dict[str, str]:
    """Uids of the Jobs and pods that there are."""
    things: list[Any] = [*job.space.batch.list_namespaced_job(job.space.name).items, *job.space.pods()]
    return {thing.metadata.name: thing.metadata.uid for thing in things}


def _end(job: Job, run: str) -> tuple[str, int]:
    record: dict[str, Any] = job.space.record(job.name)[run]
    return record["phase"], record["totals"]["attempts"]


def _scripts(job: Job) -> dict[str, str]:
    shared = job.space.core.list_namespaced_config_map(job.space.name, label_selector=f"{COMPONENT}=runtime").items
    return {one.metadata.name: one.metadata.uid for one in shared if not one.metadata.deletion_timestamp}


def _claims(job: Job) -> dict[str, str]:
    claims = job.space.core.list_namespaced_persistent_volume_claim(job.space.name).items
    return {claim.metadata.name: claim.metadata.uid for claim in claims if not claim.metadata.deletion_timestamp}
