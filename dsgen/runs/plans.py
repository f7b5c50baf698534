"""What a job's folder shall hold."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from dsgen import __version__, generated
from dsgen.runs.guard import JobGuard
from dsgen.runs.keys import given
from dsgen.runs.objects import of_documents
from dsgen.writer import Plan, canonical, checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dsgen.render import Document
    from dsgen.values import Job


def job_plan(job: Job, documents: Sequence[Document]) -> Plan:
    """One object per file; the objects of the run are frozen under its id."""
    objects = of_documents(documents)
    return Plan(
        owner=owner_of(job),
        files={**objects.run, **objects.job},
        run=str(job.data["run"]["id"]),
        frozen=frozenset(objects.run),
        values=canonical(given(job)),
        made_of=made_of(job),
        guard=JobGuard(job, objects),
    )


def owner_of(job: Job) -> str:
    """What the folder of a job is about."""
    return f"job {job.release.namespace}/{job.release.name}"


def made_of(job: Job, lists: Iterable[str] = ()) -> str:
    """A checksum of everything that the files of a job are made of: this dsgen, the values, and which lists are made.

    The order of the values counts: what it does to an object is not known here.
    """
    return checksum(json.dumps([__version__, _generated(), job.root.data(), sorted(lists)]).encode())


@functools.cache
def _generated() -> str:
    """Of templates, defaults and scripts, which change from one release to the next, and while dsgen is worked on."""
    folder = Path(generated.__file__).parent
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    return checksum(b"".join(path.read_bytes() for path in files))
