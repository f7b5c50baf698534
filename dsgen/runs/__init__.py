"""Plans the folder of a job or of a chart; below are changes of existing runs and claims, and their next ids."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence

from dsgen import __version__
from dsgen.generated.digest import DIGEST, SCRIPTS
from dsgen.render import Document, render_runtime
from dsgen.runs.keys import JobGuard, name_runtime, select_given
from dsgen.runs.rendered import collect_objects, render_objects
from dsgen.values import Job
from dsgen.writer import Destination, Folder, Plan, RefusedError, as_canonical_json, compute_checksum, read_index
from dsgen.writer.index import Index, use_unix_line_ends
from dsgen.writer.plan import SHARED, Lists


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
        runtime=name_runtime(job),
    )


def format_owner(job: Job) -> str:
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
        runtime=name_runtime(job),
    )


def plan_scripts_folder(
    place: Destination, namespace: str, names: Collection[str], keeps: bool, lists: Lists | None = None
) -> Plan:
    """The folder of the scripts that jobs of a namespace share. names: those of `name_runtime`; keeps: and the present.

    Raises RefusedError if scripts that another version wrote are missing or edited.
    """
    lists, files, refusals = lists or {}, dict[str, str](), []
    with Folder(place) as folder:
        index = read_index(folder) or Index()
        older = index.files.keys() - lists.keys() if keeps else set[str]()
        for name, digest in (each.split("/") for each in sorted(names)):
            if digest == SCRIPTS:
                files |= collect_objects(render_runtime(name, namespace)).run
            else:
                own = re.compile(rf"configmap-{name}-[a-z]+-{digest}\.yaml")
                older |= set(filter(own.fullmatch, index.files)) or {f"configmap-{name}-shared-{digest}.yaml"}
        for path in sorted(older - files.keys()):
            content = folder.read(path)
            if content is not None and compute_checksum(content) == index.files.get(path):
                files[path] = use_unix_line_ends(content).decode()
                continue
            what = "is missing" if content is None else "was edited since dsgen wrote it"
            refusals.append(
                f"{place.path / path} {what}, and only the dsgen that wrote it can write it: "
                "restore it from version control, since runs need it"
            )
    if refusals:
        raise RefusedError(*refusals)
    return Plan(f"{SHARED}{namespace}", files, lists=lists)


def plan_scripts_chart(namespace: str, names: Collection[str]) -> Plan:
    """The chart of these scripts, of this version. Raises RefusedError if they have several names."""
    from dsgen.compiler.chart import make_runtime_chart  # imported late, as above

    first = sorted({name.partition("/")[0] for name in names})
    if len(first) > 1:
        raise RefusedError(f"the charts of namespace {namespace} have one chart of scripts, not {' and '.join(first)}")
    return Plan(f"{SHARED}{namespace}", make_runtime_chart(*first) if first else {})
