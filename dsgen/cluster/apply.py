"""Plans the server-side apply of a job (what it would change, and whether it may), and applies it.

The values with which a run began are in an annotation of its settings. They are compared with the new values, both
rendered by this dsgen, as in a folder (`writer.immutability`). A run that another tool applied has no such annotation;
then a dry run of the API server shows what would change.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dsgen import __version__
from dsgen.cluster.actions import ObjectRef, delete_objects, explain_refusal, list_labelled
from dsgen.cluster.models import JOB, RUN, read_map
from dsgen.cluster.phase import ENDS, find_owner
from dsgen.cluster.reader import COMPONENT, FORBIDDEN, MISSING, PVC, list_jobs, list_records, list_runs, list_scripts
from dsgen.cluster.requirements import ApiObject
from dsgen.errors import ApiError, ApplyError, IncompleteApplyError, RevertedError
from dsgen.problems import Diagnostic
from dsgen.render import Document, render, render_runtime
from dsgen.runs.differences import FieldChange, compare_fields
from dsgen.runs.keys import JobGuard, name_runtime, select_given
from dsgen.runs.rendered import collect_objects, parse_object
from dsgen.values import Job
from dsgen.writer import as_canonical_json

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster


BEGAN_WITH = "dsgen.dev/began-with"
MOST_BYTES = 128 * 1024
"""The largest annotation; all annotations of an object can have 256 KiB."""
CLUSTER_WIDE = ("PersistentVolume",)
INVALID = 422
OF_THE_SERVER = ("metadata.managedFields", "metadata.resourceVersion", "metadata.generation", "status")
"""Fields of metadata that the API server sets."""
SUSPEND = "suspend"
CONFLICT = 409
MANAGER = "dsgen"
MANAGERS = re.compile(r'conflicts? with "([^"]+)"')
LONGEST = 300
"""The length of a message of the API server, which may contain a whole object."""
MOST_TOLD = 5
"""The number of changed fields in a message."""
NEW_RUN = (
    "the objects of a run never change: change run.id to train with the new values, or let --bump write the next id"
)


class ChangedRunError(ApplyError):
    """The run is in the cluster with other values. `problems`: the changed keys."""

    def __init__(self, problems: Sequence[Diagnostic]) -> None:
        super().__init__(*(problem.message for problem in problems))
        self.problems = problems


class PlannedObject(NamedTuple):
    """A rendered object, its path in the API, and the present object in the cluster."""

    path: str
    content: dict[str, Any]
    of_run: bool
    live: ApiObject | None

    @property
    def title(self) -> str:
        return f"{self.content['kind'].lower()}/{self.content['metadata']['name']}"


@dataclass(frozen=True)
class JobRuns:
    """The runs of a job in the cluster."""

    jobs: Sequence[Any]
    record: Mapping[str, str]

    @property
    def known(self) -> list[str]:
        return list_runs(self.jobs, self.record)

    def find_end(self, run: str) -> str:
        """The phase of a run that has ended; otherwise empty."""
        phase = str(read_map(self.record.get(run), {})[0].get("phase", ""))
        return phase if phase in ENDS else ""

    def list_going(self, but: str) -> list[str]:
        """Other runs that have not ended."""
        live = {job.run for job in self.jobs if not job.ended and job.run != but}
        return sorted(run for run in live if not self.find_end(run))


@dataclass(frozen=True)
class ApplyPlan:
    """What applying a job does.

    parts: the objects, in their order. kept: the version of dsgen whose objects of the run stay as they are; empty if
    they are applied. old: the objects to delete afterwards. ends: the runs that these would end. force: see `send`.
    """

    parts: Sequence[PlannedObject]
    kept: str
    old: Sequence[ObjectRef]
    ends: Sequence[str]
    force: bool


def plan_apply(cluster: Cluster, job: Job, runs: JobRuns, force: bool = False) -> ApplyPlan:
    """The plan for a job without errors; runs: those of `read_runs`; force: also if another tool applies the job.

    Raises RevertedError, ChangedRunError, and ApplyError if the API server refuses objects.
    """
    documents = render(job.data, job.release)
    parts = prepare_parts(cluster, job, documents)
    # A claim stays, with the tool's marks, when the tool removes the job.
    metas = (part.live["metadata"] for part in parts if part.live and part.content["kind"] != PVC)
    owners = (find_owner({**(meta.get("labels") or {}), **(meta.get("annotations") or {})}) for meta in metas)
    if (refusal := explain_refusal(next(filter(None, owners), None), "change the keys")) and not force:
        raise RevertedError(refusal)
    kept = find_kept_version(cluster, job, documents, parts)
    parts = [*([] if kept else _prepare_lost_scripts(cluster, job)), *parts]
    if refusals := find_refusals(cluster, [part for part in parts if not (kept and part.of_run)], force):
        raise ApplyError(*refusals)
    old = find_leftovers(cluster, job, parts, bool(kept))
    ends = runs.list_going(job.data["run"]["id"]) if old else []
    return ApplyPlan(parts, kept, old, ends, force)


def read_runs(cluster: Cluster, job: Job) -> JobRuns:
    space, name = job.release.namespace, job.release.name
    selector = f"{JOB}={name}"
    record = list_records(cluster, space, selector).get((space, name), {})
    return JobRuns(list_jobs(cluster, space, selector), record)


def prepare_parts(cluster: Cluster, job: Job, documents: Iterable[Document]) -> list[PlannedObject]:
    """The objects of a job, in the order in which they are applied. Raises ApplyError if the namespace is missing."""
    space = job.release.namespace
    try:
        cluster.get(f"/api/v1/namespaces/{space}")
    except ApiError as error:
        if error.status == MISSING:
            raise ApplyError(f"there is no namespace {space}: kubectl create namespace {space}") from error
        if error.status != FORBIDDEN:
            raise
    return [_make_part(cluster, job, document) for document in documents]


def _prepare_lost_scripts(cluster: Cluster, job: Job) -> Iterator[PlannedObject]:
    """The shared scripts that the namespace lacks; those that are there are not changed, whatever they contain."""
    if not job.data["runtime"]["create"]:
        documents = render_runtime(job.data["runtime"]["name"], job.release.namespace)
        there = list_scripts(cluster, job.release.namespace)
        for content in (parse_object(document.text) for document in documents):
            if content["metadata"]["name"] not in there:
                yield PlannedObject(make_object_path(content), content, False, None)


def _make_part(cluster: Cluster, job: Job, document: Document) -> PlannedObject:
    content = parse_object(document.text)
    if "settings.json" in content.get("data", {}):
        began = as_canonical_json({"dsgen": __version__, "runtime": name_runtime(job), "values": select_given(job)})
        if len(began.encode()) <= MOST_BYTES:
            content["metadata"].setdefault("annotations", {})[BEGAN_WITH] = began
    path = make_object_path(content)
    try:
        live = cluster.get(path)
    except ApiError as error:
        if error.status != MISSING:
            raise
        live = None
    return PlannedObject(path, content, document.scope == "run", live)


def make_object_path(content: Mapping[str, Any]) -> str:
    group, kind, metadata = content["apiVersion"], content["kind"], content["metadata"]
    plural = kind.lower().removesuffix("y") + ("ies" if kind.endswith("y") else "s")
    inside = "" if kind in CLUSTER_WIDE else f"/namespaces/{metadata['namespace']}"
    return f"/{'apis' if '/' in group else 'api'}/{group}{inside}/{plural}/{metadata['name']}"


# Existing runs


def find_kept_version(
    cluster: Cluster, job: Job, documents: Sequence[Document], rendered: Sequence[PlannedObject]
) -> str:
    """The version of dsgen whose objects of the existing run stay; empty without such a run, or if they are updated.

    Raises ChangedRunError if the run has other values, and ApiError.
    """
    there = [(part, part.live) for part in rendered if part.live and RUN in part.content["metadata"]["labels"]]
    annotations = (live["metadata"].get("annotations") or {} for _, live in there)
    began: dict[str, Any] = next((json.loads(each[BEGAN_WITH]) for each in annotations if BEGAN_WITH in each), {})
    if not began:
        changed = [text for part, _ in there for text in _list_changes(cluster, part)]
        if not changed:
            return ""
        message = f'run "{job.data["run"]["id"]}" is in the cluster and would change: ' + "; ".join(changed[:MOST_TOLD])
        message += f"; and {len(changed) - MOST_TOLD} more fields" if len(changed) > MOST_TOLD else ""
        hint = f"{NEW_RUN}\ndsgen apply did not create this run, so the changed keys are unknown"
        raise ChangedRunError([Diagnostic("DS903", message, job.position(("run", "id")), ("run", "id"), hint)])
    writer = f"dsgen {began['dsgen']}"
    guard = JobGuard(job, collect_objects(documents))
    if problems := guard.check_run(as_canonical_json(began["values"]), writer):
        raise ChangedRunError([replace(problem, hint=NEW_RUN) for problem in problems])
    is_same = (began["dsgen"], began.get("runtime", "")) == (__version__, name_runtime(job))
    return "" if is_same else writer


def _list_changes(cluster: Cluster, part: PlannedObject) -> Iterator[str]:
    """The fields of an existing object that an apply would change, as text."""
    content = copy.deepcopy(part.content)
    content.get("spec", {}).pop(SUSPEND, None)
    content["metadata"].setdefault("annotations", {}).pop(BEGAN_WITH, None)
    try:
        made = cluster.apply(part.path, content, dry_run=True, force=True)
    except ApiError as error:
        if error.status != INVALID:
            raise
        # The message of the server contains the whole pod template, so the objects are compared here.
        differences = [difference for difference in find_differences(part, content) if difference.new is not None] or [
            FieldChange("", None, str(error))
        ]
    else:
        differences = find_differences(part, made)
    yield from (f"{part.title} {one.path}: {_format_value(one.old)} -> {_format_value(one.new)}" for one in differences)


def find_differences(part: PlannedObject, made: ApiObject) -> list[FieldChange]:
    """The fields that differ between the present object and the answer to an apply, except those of the API server."""
    return [one for one in compare_fields(part.live, made) if not one.path.startswith(OF_THE_SERVER)]


def _format_value(value: Any) -> str:
    text = "not set" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


# Objects of other runs


def find_leftovers(cluster: Cluster, job: Job, applied: Sequence[PlannedObject], kept: bool) -> list[ObjectRef]:
    """The objects of other runs of the job and, unless an existing run is kept, scripts that no run uses any more."""
    space, name, run = job.release.namespace, job.release.name, job.data["run"]["id"]
    old = list_labelled(cluster, space, f"{JOB}={name},{RUN},{RUN}!={run}")
    if kept:
        return old
    rendered = {part.path for part in applied}
    scripts = list_labelled(cluster, space, f"{JOB}={name},{COMPONENT}=scripts")
    return [*old, *(script for script in scripts if script.path not in rendered)]


# A dry run of all objects


def find_refusals(cluster: Cluster, rendered: Iterable[PlannedObject], force: bool) -> list[str]:
    """The reasons why the API server would refuse objects, from a dry run of all of them. Raises ApiError."""
    said = []
    for part in rendered:
        try:
            send(cluster, part, True, force)
        except ApiError as error:
            if not 400 <= error.status < 500:
                raise ApiError(f"{part.title}: {shorten(error)}; nothing was applied", error.status) from error
            said.append(_explain_refusal(part, error))
    return said


def _explain_refusal(part: PlannedObject, error: ApiError) -> str:
    if error.status == MISSING and not part.live:
        return f"{part.title}: the cluster has no kind {part.content['kind']} of {part.content['apiVersion']}"
    return f"{part.title}: {shorten(error)}" + (". --force takes these fields over" * (error.status == CONFLICT))


def shorten(error: ApiError) -> str:
    said = str(error)
    return said if len(said) <= LONGEST else f"{said[: LONGEST // 2]} ... {said[-LONGEST // 2 :]}"


def send(cluster: Cluster, part: PlannedObject, dry_run: bool, force: bool) -> str:
    """Apply one object; `created`, `configured` or `unchanged`. Raises ApiError."""
    try:
        made = cluster.apply(part.path, part.content, dry_run, force)
    except ApiError as error:
        # `dsgen suspend` has the same field manager, but another operation.
        if error.status != CONFLICT or set(MANAGERS.findall(str(error))) != {MANAGER}:
            raise
        made = cluster.apply(part.path, part.content, dry_run, True)
    if part.live is None:
        return "created"
    return "configured" if find_differences(part, made) else "unchanged"


COMPLETE = "once the cause is gone, `dsgen apply` of the same file, without --bump,"


class AppliedObject(NamedTuple):
    """An object, such as job/cifar-1-worker, and what was done: created, configured, unchanged, kept or pruned."""

    name: str
    action: str


def apply_objects(cluster: Cluster, plan: ApplyPlan, dry_run: bool = False) -> Iterator[AppliedObject]:
    """Apply the objects in their order. Raises IncompleteApplyError."""
    for number, part in enumerate(plan.parts):
        try:
            action = (
                suspend(cluster, part, dry_run)
                if plan.kept and part.of_run
                else send(cluster, part, dry_run, plan.force)
            )
        except ApiError as error:
            if dry_run:
                raise
            raise _make_incomplete_error("applied", error, plan.parts, number) from error
        yield AppliedObject(part.title, action)


def prune_objects(cluster: Cluster, plan: ApplyPlan, dry_run: bool = False) -> Iterator[AppliedObject]:
    """Delete the objects of other runs. Raises IncompleteApplyError."""
    for number, one in enumerate(plan.old):
        try:
            delete_objects(cluster, () if dry_run else (one,))
        except ApiError as error:
            raise _make_incomplete_error("deleted", error, plan.old, number) from error
        yield AppliedObject(one.title, "pruned")


def _make_incomplete_error(
    verb: str, error: ApiError, objects: Sequence[PlannedObject | ObjectRef], count: int
) -> IncompleteApplyError:
    """The message for a request that failed after the first `count` objects."""
    titles = [one.title for one in objects]
    rest = {"applied": "applies the rest", "deleted": "deletes the rest; the new run is applied"}[verb]
    return IncompleteApplyError(
        f"{titles[count]}: {shorten(error)}",
        f"{verb}: {', '.join(titles[:count]) or 'none'}",
        f"not {verb}: {', '.join(titles[count:])}",
        f"{COMPLETE} {rest}",
    )


def suspend(cluster: Cluster, part: PlannedObject, dry_run: bool) -> str:
    """Set only `suspend` of an object that is kept as another version of dsgen wrote it."""
    wanted = part.content.get("spec", {}).get(SUSPEND)
    if part.live is None or wanted in (None, part.live.get("spec", {}).get(SUSPEND)):
        return "kept"
    if not dry_run:
        cluster.patch(part.path, {"spec": {SUSPEND: wanted}})
    return "configured"
