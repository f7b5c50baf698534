"""Brings the rendered objects of a job into a cluster by server-side apply, and keeps a live run as it began.

The values with which a run began stand in an annotation of its settings. They are compared with the values of now, both
as this dsgen renders them, as in a folder (`writer.freezing`). The objects of a run that others applied have no such
annotation: for these, the API server is asked what would change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dsgen import __version__
from dsgen.cluster import collect, delivery
from dsgen.cluster.actions import Object, labelled
from dsgen.cluster.facts import JOB, RUN, Dict, parsed
from dsgen.cluster.words import ENDS
from dsgen.errors import EXIT_FINDINGS, ApiError, DsgenError
from dsgen.records import dataclass, replace
from dsgen.runs.differences import FieldChange, fields
from dsgen.runs.guard import JobGuard
from dsgen.runs.keys import given
from dsgen.runs.objects import data_of, of_documents
from dsgen.writer import canonical

if TYPE_CHECKING:
    from dsgen.cluster.api import Cluster
    from dsgen.problems.diagnostics import Diagnostic
    from dsgen.render import Document
    from dsgen.values import Job

BEGAN_WITH = "dsgen.dev/began-with"
MOST_BYTES = 128 * 1024
"""Of that annotation: all annotations of an object may have 256 KiB."""
CLUSTER_WIDE = ("PersistentVolume",)
INVALID, CONFLICT = 422, 409
MANAGER = "dsgen"
MANAGERS = re.compile(r'conflicts? with "([^"]+)"')
OF_THE_SERVER = ("metadata.managedFields", "metadata.resourceVersion", "metadata.generation", "status")
"""Fields that are no part of what is applied."""
SUSPEND = "suspend"
MOST_TOLD = 5
"""Of the fields that would change."""
LONGEST = 300
"""Of what the API server says: it may quote a whole object."""
NEW_RUN = (
    "the objects of a run never change: change run.id to train with the new values, or let --bump write the next id"
)


class NotPossible(DsgenError):  # noqa: N818 - its message is shown as it is
    """The cluster does not take the objects."""

    exit_code = EXIT_FINDINGS


class Part(NamedTuple):
    """One rendered object, where it belongs, and what is there now."""

    path: str
    content: dict[str, Any]
    of_run: bool
    live: Dict | None

    @property
    def is_shared(self) -> bool:
        """Whether other runs use it, too."""
        return RUN not in self.content["metadata"]["labels"]

    @property
    def title(self) -> str:
        return f"{self.content['kind'].lower()}/{self.content['metadata']['name']}"


class Marks(NamedTuple):
    """The metadata in which tools leave their marks."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]


@dataclass(frozen=True)
class Runs:
    """The runs of a job that the cluster knows."""

    jobs: Sequence[Any]
    record: Mapping[str, str]

    @property
    def known(self) -> list[str]:
        return collect.runs(self.jobs, self.record)

    def end(self, run: str) -> str:
        """The phase in which a run has ended; empty for one that has not."""
        phase = str(parsed(self.record.get(run)).get("phase", ""))
        return phase if phase in ENDS else ""

    def going(self, but: str) -> list[str]:
        """Other runs that have not ended."""
        live = {one.run for one in self.jobs if not one.ended and one.run != but}
        return sorted(run for run in live if not self.end(run))


def runs(cluster: Cluster, job: Job) -> Runs:
    """What the cluster knows of a job."""
    space, name = job.release.namespace, job.release.name
    selector = f"{JOB}={name}"
    record = collect.records(cluster, space, selector).get((space, name), {})
    return Runs(collect.jobs(cluster, space, selector), record)


def parts(cluster: Cluster, job: Job, documents: Iterable[Document]) -> list[Part]:
    """The objects of a job, in the order in which they are applied. Raises NotPossible without its namespace."""
    space = job.release.namespace
    try:
        cluster.get(f"/api/v1/namespaces/{space}")
    except ApiError as error:
        if error.status == collect.MISSING:
            raise NotPossible(f"there is no namespace {space}: kubectl create namespace {space}") from error
        if error.status != collect.FORBIDDEN:
            raise
    return [_part(cluster, job, document) for document in documents]


def _part(cluster: Cluster, job: Job, document: Document) -> Part:
    content = data_of(document.text)
    if "settings.json" in content.get("data", {}):
        began = canonical({"dsgen": __version__, "values": given(job)})
        if len(began.encode()) <= MOST_BYTES:
            content["metadata"].setdefault("annotations", {})[BEGAN_WITH] = began
    path = address(content)
    try:
        live = cluster.get(path)
    except ApiError as error:
        if error.status != collect.MISSING:
            raise
        live = None
    return Part(path, content, document.scope == "run", live)


def address(content: Mapping[str, Any]) -> str:
    """The path of an object in the API."""
    group, kind, metadata = content["apiVersion"], content["kind"], content["metadata"]
    plural = kind.lower().removesuffix("y") + ("ies" if kind.endswith("y") else "s")
    inside = "" if kind in CLUSTER_WIDE else f"/namespaces/{metadata['namespace']}"
    return f"/{'apis' if '/' in group else 'api'}/{group}{inside}/{plural}/{metadata['name']}"


def owner(found: Iterable[Part]) -> tuple[delivery.Owner, str] | None:
    """The tool that keeps a job's objects as they are."""
    metas = (part.live["metadata"] for part in found if part.live)
    owners = (delivery.owner(Marks(meta.get("labels") or {}, meta.get("annotations") or {})) for meta in metas)
    return next((one for one in owners if one), None)


# What may not change


@dataclass(frozen=True)
class Verdict:
    """What becomes of the run that is in the cluster: problems refuse it, `kept` is the version whose objects stay."""

    problems: Sequence[Diagnostic] = ()
    kept: str = ""


def judge(cluster: Cluster, job: Job, documents: Sequence[Document], found: Sequence[Part]) -> Verdict:
    """Compare the live run with the values. Raises ApiError."""
    there = [part for part in found if part.live and not part.is_shared]
    if not there:
        return Verdict()
    guard = JobGuard(job, of_documents(documents))
    began = _began_with(there)
    if not began:
        changed = [text for part in there for text in _changes(cluster, part)]
        if not changed:
            return Verdict()
        message = f'run "{job.data["run"]["id"]}" is in the cluster and would change: ' + "; ".join(changed[:MOST_TOLD])
        message += f"; and {len(changed) - MOST_TOLD} more fields" if len(changed) > MOST_TOLD else ""
        hint = f"{NEW_RUN}\ndsgen apply did not begin this run, so the keys that were changed are not known"
        return Verdict([guard.run_without_values(message, hint)])
    writer = str(began["dsgen"])
    problems = [replace(one, hint=NEW_RUN) for one in guard.run(canonical(began["values"]), f"dsgen {writer}")]
    return Verdict(problems, "" if problems or writer == __version__ else f"dsgen {writer}")


def _began_with(found: Iterable[Part]) -> dict[str, Any]:
    """The version and the values with which the run began; empty where the cluster does not know them."""
    annotations = (part.live["metadata"].get("annotations") or {} for part in found if part.live)
    return next((json.loads(each[BEGAN_WITH]) for each in annotations if BEGAN_WITH in each), {})


def _changes(cluster: Cluster, part: Part) -> Iterator[str]:
    """The fields of a live object that an apply would change, in words."""
    content = dict(part.content)
    if "spec" in content:
        content["spec"] = {key: value for key, value in content["spec"].items() if key != SUSPEND}
    content["metadata"] = {**content["metadata"], "annotations": _without_values(content["metadata"])}
    try:
        made = cluster.apply(part.path, content, dry_run=True, force=True)
    except ApiError as error:
        if error.status != INVALID:
            raise
        # The server's words have the whole pod template; so what is rendered is compared with what is there.
        found = [one for one in _differing(part, content) if one.new is not None] or [FieldChange("", None, str(error))]
    else:
        found = _differing(part, made)
    yield from (f"{part.title} {one.path}: {_short(one.old)} -> {_short(one.new)}" for one in found)


def _without_values(metadata: Dict) -> dict[str, str]:
    return {key: value for key, value in metadata.get("annotations", {}).items() if key != BEGAN_WITH}


def _differing(part: Part, made: Dict) -> list[FieldChange]:
    return [one for one in fields(part.live, made) if not one.path.startswith(OF_THE_SERVER)]


def _short(value: Any) -> str:
    text = "not set" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


# What is sent


def refusals(cluster: Cluster, found: Iterable[Part], force: bool) -> list[str]:
    """Why the API server would refuse objects: all of them, before any is sent."""
    said = []
    for part in found:
        try:
            send(cluster, part, True, force)
        except ApiError as error:
            if not 400 <= error.status < 500:
                raise
            said.append(_refusal(part, error))
    return said


def _refusal(part: Part, error: ApiError) -> str:
    if error.status == collect.MISSING and not part.live:
        return f"{part.title}: the cluster has no kind {part.content['kind']} of {part.content['apiVersion']}"
    said = str(error)
    said = said if len(said) <= LONGEST else f"{said[: LONGEST // 2]} ... {said[-LONGEST // 2 :]}"
    return f"{part.title}: {said}" + (". --force takes these fields over" if error.status == CONFLICT else "")


def send(cluster: Cluster, part: Part, dry_run: bool, force: bool) -> str:
    """Apply one object; `created`, `configured` or `unchanged`. Raises ApiError."""
    try:
        made = cluster.apply(part.path, part.content, dry_run, force)
    except ApiError as error:
        # `dsgen suspend` writes as the same manager, by another operation.
        if error.status != CONFLICT or set(MANAGERS.findall(str(error))) != {MANAGER}:
            raise
        made = cluster.apply(part.path, part.content, dry_run, True)
    if part.live is None:
        return "created"
    return "configured" if _differing(part, made) else "unchanged"


def suspend(cluster: Cluster, part: Part, dry_run: bool) -> str:
    """Of an object that stays as another version wrote it, set only whether it is suspended."""
    wanted = part.content.get("spec", {}).get(SUSPEND)
    if part.live is None or wanted in (None, part.live.get("spec", {}).get(SUSPEND)):
        return "kept"
    if not dry_run:
        cluster.patch(part.path, {"spec": {SUSPEND: wanted}})
    return "configured"


def leftovers(cluster: Cluster, job: Job, found: Sequence[Part], kept: bool) -> list[Object]:
    """The objects of the job's other runs, and, unless an older run is kept, scripts that no run uses then."""
    space, name, run = job.release.namespace, job.release.name, job.data["run"]["id"]
    old = labelled(cluster, space, f"{JOB}={name},{RUN},{RUN}!={run}")
    if kept:
        return old
    rendered = {part.path for part in found}
    scripts = labelled(cluster, space, f"{JOB}={name},{collect.COMPONENT}=scripts")
    return [*old, *(one for one in scripts if one.path not in rendered)]
