"""The objects to change when a run is stopped, suspended or deleted, and the messages before the change."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from dsgen.cluster import collect
from dsgen.cluster.delivery import Owner
from dsgen.cluster.facts import JOB, RUN, Facts, accelerators, stamp
from dsgen.cluster.words import ENDS, VERSION
from dsgen.errors import ApiError

if TYPE_CHECKING:
    from dsgen.cluster.api import Cluster

RBAC, NETWORKING = "/apis/rbac.authorization.k8s.io/v1", "/apis/networking.k8s.io/v1"
KINDS = (
    ("/apis/batch/v1", "jobs"),
    ("/apis/apps/v1", "deployments"),
    ("/api/v1", "services"),
    ("/api/v1", "configmaps"),
    ("/api/v1", "secrets"),
    ("/api/v1", "serviceaccounts"),
    (RBAC, "roles"),
    (RBAC, "rolebindings"),
    (NETWORKING, "networkpolicies"),
    *((group, "podgroups") for group in collect.GANGS),
    ("/apis/monitoring.coreos.com/v1", "podmonitors"),
)
"""The resources that dsgen renders, except claims; Jobs first, because their pods need the others until they end."""
CLAIMS = ("/api/v1", "persistentvolumeclaims")


class Object(NamedTuple):
    """One object in the cluster."""

    path: str
    kind: str
    name: str


def refusal(owned: tuple[Owner, str] | None, what: str) -> str:
    """Why a tool would undo a change in the cluster, and what to do instead; empty if no tool would.

    owned: the tool that applies the objects, and its name there. what: the change of the values, as text; empty for a
    removal.
    """
    if not owned:
        return ""
    tool, name = owned
    instead = (tool.change if what else tool.removal).format(what=what, name=name)
    return f"{tool.title} {name} applies this job and would undo the change. Instead, {instead}; or use --force"


def held(facts: Facts) -> str:
    """The accelerators that become free, as text."""
    freed: dict[str, int] = {}
    for pod in facts.workers:
        for name, count in accelerators(pod.requests).items() if not pod.gone and pod.node else ():
            freed[name] = freed.get(name, 0) + count
    return ", ".join(f"{count} {name}" for name, count in freed.items())


def jobs(facts: Facts) -> list[Object]:
    """The existing Jobs of the run."""
    run_jobs = [one for one in (facts.launcher, facts.worker) if one]
    return [Object(collect.path("jobs", one.namespace, one.name), "job", one.name) for one in run_jobs]


def objects(reader: collect.Reader, facts: Facts, whole: bool, volumes: bool) -> list[Object]:
    """The objects of the run, or of the whole job, except those of unknown kinds and those that cannot be listed."""
    selected = labelled(reader, facts.namespace, f"{JOB}={facts.job}" + ("" if whole else f",{RUN}={facts.run}"))
    if volumes:
        selected += _listed(reader, facts.namespace, *CLAIMS, f"{JOB}={facts.job}")
    return selected


def labelled(reader: collect.Reader, namespace: str, selector: str) -> list[Object]:
    """The objects with these labels, without claims."""
    return [one for group, kind in KINDS for one in _listed(reader, namespace, group, kind, selector)]


def _listed(reader: collect.Reader, namespace: str, group: str, kind: str, selector: str) -> Iterator[Object]:
    address = f"{group}/namespaces/{namespace}/{kind}"
    try:
        for item in reader.items(address, labelSelector=selector):
            name = item["metadata"]["name"]
            yield Object(f"{address}/{name}", kind.removesuffix("s").replace("policie", "policy"), name)
    except ApiError as error:
        if error.status not in (collect.FORBIDDEN, collect.MISSING):
            raise


def stopped_record(facts: Facts) -> dict[str, Any]:
    """The change of the record for a stopped run without a launcher that could write it."""
    now = stamp(facts.now)
    start = facts.record.get("startTime") or now
    said = {"phase": "Stopped", "reason": "JobDeleted", "message": "by dsgen stop", "startTime": start, "endTime": now}
    empty: dict[str, Any] = {"version": VERSION, "exitCode": None, "worldSize": None, "attempts": []}
    return {"data": {facts.run: json.dumps({**empty, **facts.record, **said}, ensure_ascii=False)}}


def has_ended(facts: Facts) -> bool:
    """Whether the run has ended, according to the record."""
    return facts.record.get("phase") in ENDS


def remove(cluster: Cluster, objects: Iterable[Object]) -> None:
    """Delete objects; an object that does not exist any more is not an error."""
    for one in objects:
        try:
            cluster.delete(one.path)
        except ApiError as error:
            if error.status != collect.MISSING:
                raise


def listed(objects: Iterable[Object]) -> str:
    """The objects as lines of text."""
    return "".join(f"  {one.kind}/{one.name}\n" for one in objects)
