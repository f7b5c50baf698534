"""Plans the folder of a job or of a chart; below are changes of existing runs and claims, and their next ids."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from dsgen import __version__
from dsgen.generated.digest import DIGEST
from dsgen.render import Document
from dsgen.runs.keys import JobGuard, select_given
from dsgen.runs.rendered import collect_objects, render_objects
from dsgen.values import Job
from dsgen.writer import Plan, as_canonical_json, compute_checksum
from dsgen.writer.plan import Lists


def plan_job_folder(job: Job, documents: Sequence[Document], lists: Lists | None = None) -> Plan:
    """The plan with one object per file; the objects of the run must not change under its id. lists: see `Plan`."""
    objects, lists = collect_objects(documents), lists or {}
    return Plan(
        owner=format_owner(job),
        files={**objects.run, **objects.job},
        run=str(job.data["run"]["id"]),
        run_at=job.position(("run", "id")),
        frozen=frozenset(objects.run),
        values=as_canonical_json(select_given(job)),
        made_of=compute_input_checksum(job, lists),
        guard=JobGuard(job, objects),
        lists=lists,
    )


def format_owner(job: Job) -> str:
    """The owner of the folder of a job."""
    return f"job {job.release.namespace}/{job.release.name}"


def compute_input_checksum(job: Job, lists: Iterable[str] = ()) -> str:
    """A checksum of all inputs of a job's files: the version of dsgen, the values, and the names of the lists.

    The order of the values is included, because it may affect an object; no object depends on an estimate.
    """
    values = {key: value for key, value in job.root.as_data().items() if key != "estimate"}
    return compute_checksum(json.dumps([__version__, DIGEST, values, sorted(lists)]).encode())


def plan_chart_folder(job: Job | None, default_name: str) -> Plan:
    """The plan of a chart. With the values of a job, its run must not change, and all files are kept or replaced."""
    from dsgen.compiler import make_chart_files  # imported late: manifests do not need the compiler

    if job is None:
        return Plan(f"chart {default_name}", make_chart_files(None, default_name))
    name = job.release.name or default_name
    files, objects = make_chart_files(job.data, name), render_objects(job)
    return Plan(
        owner=f"chart {name}",
        files=files,
        run=str(job.data["run"]["id"]),
        run_at=job.position(("run", "id")),
        frozen=frozenset(files),
        objects=objects.run,
        values=as_canonical_json(select_given(job)),
        guard=JobGuard(job, objects, chart=True),
    )
