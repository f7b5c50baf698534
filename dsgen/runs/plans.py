"""What a job's folder shall hold."""

from __future__ import annotations

from dsgen.runs.guard import JobGuard
from dsgen.runs.keys import given
from dsgen.runs.objects import of_documents
from dsgen.writer import Plan, canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from dsgen.render import Document
    from dsgen.values import Job


def job_plan(job: Job, documents: Sequence[Document]) -> Plan:
    """One object per file; the objects of the run are frozen under its id."""
    objects = of_documents(documents)
    return Plan(
        owner=f"job {job.release.namespace}/{job.release.name}",
        files={**objects.run, **objects.job},
        run=str(job.data["run"]["id"]),
        frozen=frozenset(objects.run),
        values=canonical(given(job)),
        guard=JobGuard(job, objects),
    )
