"""Plans the folder of a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsgen.compiler import chart_files
from dsgen.runs.guard import JobGuard
from dsgen.runs.keys import select_given
from dsgen.runs.rendered import render_objects
from dsgen.writer import Plan, canonical

if TYPE_CHECKING:
    from dsgen.values import Job


def plan_chart_folder(job: Job | None, default_name: str) -> Plan:
    """The plan of a chart. With the values of a job, its run must not change, and all files are kept or replaced."""
    if job is None:
        return Plan(f"chart {default_name}", chart_files(None, default_name))
    name = job.release.name or default_name
    files, objects = chart_files(job.data, name), render_objects(job)
    return Plan(
        owner=f"chart {name}",
        files=files,
        run=str(job.data["run"]["id"]),
        frozen=frozenset(files),
        objects=objects.run,
        values=canonical(select_given(job)),
        guard=JobGuard(job, objects, chart=True),
    )
