"""What a job's folder shall hold."""

from __future__ import annotations

import json

from dsgen import __version__
from dsgen.generated.digest import DIGEST
from dsgen.runs.guard import JobGuard
from dsgen.runs.keys import given
from dsgen.runs.objects import of_documents
from dsgen.writer import Plan, canonical, checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dsgen.render import Document
    from dsgen.values import Job
    from dsgen.writer.plan import Lists


def job_plan(job: Job, documents: Sequence[Document], lists: Lists | None = None) -> Plan:
    """One object per file; the objects of the run are frozen under its id. lists: as in `Plan`."""
    objects, lists = of_documents(documents), lists or {}
    return Plan(
        owner=owner_of(job),
        files={**objects.run, **objects.job},
        run=str(job.data["run"]["id"]),
        frozen=frozenset(objects.run),
        values=canonical(given(job)),
        made_of=made_of(job, lists),
        guard=JobGuard(job, objects),
        lists=lists,
    )


def owner_of(job: Job) -> str:
    """What the folder of a job is about."""
    return f"job {job.release.namespace}/{job.release.name}"


def made_of(job: Job, lists: Iterable[str] = ()) -> str:
    """A checksum of everything that the files of a job are made of: this dsgen, the values, and which lists are made.

    The order of the values counts: what it does to an object is not known here.
    """
    return checksum(json.dumps([__version__, DIGEST, job.root.data(), sorted(lists)]).encode())
