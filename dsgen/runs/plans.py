"""What a job's folder and a chart's folder shall hold."""

from collections.abc import Sequence

from dsgen.compiler import chart_files
from dsgen.render import Document
from dsgen.runs.guard import JobGuard
from dsgen.runs.keys import given
from dsgen.runs.objects import of_documents, of_job
from dsgen.values import Job
from dsgen.writer import Plan, canonical


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


def chart_plan(job: Job | None, default_name: str) -> Plan:
    """A complete chart. With a job's values, its run is guarded, and all its files stay or change together."""
    if job is None:
        return Plan(f"chart {default_name}", chart_files(None, default_name))
    name = job.release.name or default_name
    files, objects = chart_files(job.data, name), of_job(job)
    return Plan(
        owner=f"chart {name}",
        files=files,
        run=str(job.data["run"]["id"]),
        frozen=frozenset(files),
        objects=objects.run,
        values=canonical(given(job)),
        guard=JobGuard(job, objects, chart=True),
    )
