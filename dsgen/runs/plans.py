"""Plans the folder of a job."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dsgen import __version__
from dsgen.generated.digest import DIGEST
from dsgen.runs.guard import JobGuard
from dsgen.runs.keys import select_given
from dsgen.runs.rendered import collect_objects
from dsgen.writer import Plan, canonical, checksum

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dsgen.render import Document
    from dsgen.values import Job
    from dsgen.writer.plan import Lists


def plan_job_folder(job: Job, documents: Sequence[Document], lists: Lists | None = None) -> Plan:
    """The plan with one object per file; the objects of the run must not change under its id. lists: see `Plan`."""
    objects, lists = collect_objects(documents), lists or {}
    return Plan(
        owner=format_owner(job),
        files={**objects.run, **objects.job},
        run=str(job.data["run"]["id"]),
        frozen=frozenset(objects.run),
        values=canonical(select_given(job)),
        made_of=made_of(job, lists),
        guard=JobGuard(job, objects),
        lists=lists,
    )


def format_owner(job: Job) -> str:
    """The owner of the folder of a job."""
    return f"job {job.release.namespace}/{job.release.name}"


def made_of(job: Job, lists: Iterable[str] = ()) -> str:
    """A checksum of all inputs of a job's files: the version of dsgen, the values, and the names of the lists.

    The order of the values is included, because it may affect an object; no object depends on an estimate.
    """
    values = {key: value for key, value in job.root.data().items() if key != "estimate"}
    return checksum(json.dumps([__version__, DIGEST, values, sorted(lists)]).encode())
