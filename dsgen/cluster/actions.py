"""The objects to change when a run is stopped, suspended or deleted, and the messages before the change."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from dsgen.cluster.models import JOB, RUN, RunState, count_accelerators, format_time
from dsgen.cluster.ownership import Owner
from dsgen.cluster.phase import ENDS, RECORD_VERSION
from dsgen.cluster.reader import FORBIDDEN, GANGS, MISSING, Reader, api_path
from dsgen.errors import ApiError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

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
    *((group, "podgroups") for group in GANGS),
    ("/apis/monitoring.coreos.com/v1", "podmonitors"),
)
"""The resources that dsgen renders, except claims; Jobs first, because their pods need the others until they end."""
CLAIMS = ("/api/v1", "persistentvolumeclaims")


class ObjectRef(NamedTuple):
    """One object in the cluster."""

    path: str
    kind: str
    name: str


def explain_refusal(owned: tuple[Owner, str] | None, what: str) -> str:
    """Why a tool would undo a change in the cluster, and what to do instead; empty if no tool would.

    owned: the tool that applies the objects, and its name there. what: the change of the values, as text; empty for a
    removal.
    """
    if not owned:
        return ""
    tool, name = owned
    instead = (tool.change if what else tool.removal).format(what=what, name=name)
    return f"{tool.title} {name} applies this job and would undo the change. Instead, {instead}; or use --force"


def describe_freed(state: RunState) -> str:
    """The accelerators that become free, as text."""
    freed: dict[str, int] = {}
    for pod in state.workers:
        for name, count in count_accelerators(pod.requests).items() if not pod.gone and pod.node else ():
            freed[name] = freed.get(name, 0) + count
    return ", ".join(f"{count} {name}" for name, count in freed.items())


def list_run_jobs(state: RunState) -> list[ObjectRef]:
    """The existing Jobs of the run."""
    run_jobs = [one for one in (state.launcher, state.worker) if one]
    return [ObjectRef(api_path("jobs", one.namespace, one.name), "job", one.name) for one in run_jobs]


def list_objects(reader: Reader, state: RunState, whole: bool, volumes: bool) -> list[ObjectRef]:
    """The objects of the run, or of the whole job, except those of unknown kinds and those that cannot be listed."""
    selected = list_labelled(reader, state.namespace, f"{JOB}={state.job}" + ("" if whole else f",{RUN}={state.run}"))
    if volumes:
        selected += _listed(reader, state.namespace, *CLAIMS, f"{JOB}={state.job}")
    return selected


def list_labelled(reader: Reader, namespace: str, selector: str) -> list[ObjectRef]:
    """The objects with these labels, without claims."""
    return [one for group, kind in KINDS for one in _listed(reader, namespace, group, kind, selector)]


def _listed(reader: Reader, namespace: str, group: str, kind: str, selector: str) -> Iterator[ObjectRef]:
    address = f"{group}/namespaces/{namespace}/{kind}"
    try:
        for item in reader.items(address, labelSelector=selector):
            name = item["metadata"]["name"]
            yield ObjectRef(f"{address}/{name}", kind.removesuffix("s").replace("policie", "policy"), name)
    except ApiError as error:
        if error.status not in (FORBIDDEN, MISSING):
            raise


def make_stopped_record(state: RunState) -> dict[str, Any]:
    """The change of the record for a stopped run without a launcher that could write it."""
    now = format_time(state.now)
    start = state.record.get("startTime") or now
    said = {"phase": "Stopped", "reason": "JobDeleted", "message": "by dsgen stop", "startTime": start, "endTime": now}
    empty: dict[str, Any] = {"version": RECORD_VERSION, "exitCode": None, "worldSize": None, "attempts": []}
    return {"data": {state.run: json.dumps({**empty, **state.record, **said}, ensure_ascii=False)}}


def has_ended(state: RunState) -> bool:
    """Whether the run has ended, according to the record."""
    return state.record.get("phase") in ENDS


def delete_objects(cluster: Cluster, objects: Iterable[ObjectRef]) -> None:
    """Delete objects; an object that does not exist any more is not an error."""
    for one in objects:
        try:
            cluster.delete(one.path)
        except ApiError as error:
            if error.status != MISSING:
                raise


def format_objects(objects: Iterable[ObjectRef]) -> str:
    """The objects as lines of text."""
    return "".join(f"  {one.kind}/{one.name}\n" for one in objects)
