"""The Python API, which the commands also use, for portals, notebooks and pipelines.

`load` reads a job, `validate` finds its problems, `render` and `manifests` return its Kubernetes objects, `chart`
returns a Helm chart, and `write` writes the files of the last two to a folder. `apply` applies a job to a cluster;
`list_jobs`, `status`, `why`, `logs` and `wait` observe the runs there. The names in `__all__` are the API; docs/api.md
has examples. An argument of a wrong type or value raises DsgenError.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from dsgen import values
from dsgen.errors import (
    EXIT_FINDINGS,
    ApiError,
    ApplyError,
    DsgenError,
    IncompleteApplyError,
    NotFoundError,
    RevertedError,
    UsageError,
    WaitTimeoutError,
)
from dsgen.problems import Diagnostic, KeyPath, Position, has_errors
from dsgen.problems import path_text as _path_text
from dsgen.reading import find_places, read_source
from dsgen.render import Document
from dsgen.render import render as _render
from dsgen.render import render_runtime as _render_runtime
from dsgen.values import Job, Override, Release, SourceText

if TYPE_CHECKING:
    from dsgen.cluster.apply import AppliedObject
    from dsgen.cluster.client import Cluster
    from dsgen.cluster.logs import LogLine
    from dsgen.cluster.report import CausesReport, Report
    from dsgen.cluster.runs import RunRef
    from dsgen.writer import Changes, Mode, Plan

Source = str | os.PathLike[str] | SourceText | Mapping[str, Any]
"""The name of a values file, its text, or values as plain data."""
JobName = str | Job
"""The name of a job in a cluster, such as "cifar" or "training/cifar", or a loaded job."""
WaitState = Literal["end", "running", "admitted"]

__all__ = [
    "ApiError",
    "ApplyError",
    "Diagnostic",
    "Document",
    "DsgenError",
    "IncompleteApplyError",
    "InvalidJobError",
    "Job",
    "NotFoundError",
    "Override",
    "Position",
    "Release",
    "RevertedError",
    "SourceText",
    "WaitTimeoutError",
    "apply",
    "as_text",
    "chart",
    "estimate",
    "list_jobs",
    "load",
    "logs",
    "manifests",
    "path_text",
    "read",
    "render",
    "runtime",
    "status",
    "validate",
    "wait",
    "why",
    "write",
]

OVERRIDES = ("--set", "--set-string", "--set-json", "--set-file")
"""The flags that an Override may have."""
CHART_NAME = "deepspeed-job"
"""The name of the chart without the values of a job."""


class InvalidJobError(DsgenError):
    """A job has errors and cannot be rendered. `problems` has all of them, `str()` prints them as the commands do."""

    exit_code = EXIT_FINDINGS

    def __init__(self, job: Job, problems: Sequence[Diagnostic]) -> None:
        super().__init__(*as_text(problems, job.sources).splitlines())
        self.problems = problems


def as_text(problems: Sequence[Diagnostic], sources: Mapping[str, str], color: bool = False) -> str:
    """Problems as the command line prints them, with the lines of the files. sources: see `Job.sources`."""
    from dsgen.problems import framing  # imported late: most jobs have no problems

    for problem in _expect(problems, (list, tuple), "problems"):
        _expect(problem, Diagnostic, "each item of problems")
    for text in _expect(sources, dict, "sources").values():
        _expect(text, str, "each text of sources")
    return framing.as_text(problems, sources, color)


def path_text(path: KeyPath) -> str:
    """The path of a problem as dotted text, such as `workers.sidecars[0].image`."""
    for key in _expect(path, (list, tuple), "path"):
        _expect(key, (str, int), "each key of a path")
    return _path_text(path)


def load(*sources: Source, overrides: Sequence[Override] = (), name: str = "", namespace: str = "") -> Job:
    """Read one job: merge the sources in order, then the overrides, as Helm does. A file that dsgen.yaml lists is the
    job that dsgen.yaml makes of it, as in the commands.

    name, namespace: for a job whose sources do not set them. A job with errors is also returned; `validate` reports
    them. Raises DsgenError if a file cannot be read, or if an override or a name is invalid.
    """
    _check_overrides(overrides)
    _check_types(str, name=name, namespace=namespace)
    texts = [_read_source(source, number) for number, source in enumerate(sources, 1)]
    names = Release(name, namespace)
    is_file = bool(sources) and isinstance(sources[0], str | os.PathLike)
    if is_file and (places := find_places(texts[0].name)):
        from dsgen.repository import Repositories, load_job  # imported late: most jobs have no repository

        return load_job(Repositories().locate(texts[0].name, places), texts, overrides, names)
    return values.load(texts, overrides, names)


def read(path: str | os.PathLike[str], name: str = "") -> SourceText:
    """The text of a file; name: shown in messages instead of the path. Raises DsgenError if it cannot be read."""
    place = _check_path(path, "path")
    return read_source(place, _expect(name, str, "name") or place)


def validate(job: Job, *, for_chart: bool = False) -> list[Diagnostic]:
    """All problems of a job, sorted by place; empty for a valid job.

    for_chart: the job becomes a chart, whose release provides a missing name and namespace.
    """
    _check_types(bool, for_chart=for_chart)
    return [*_expect(job, Job, "job").problems(for_chart)]


def render(job: Job) -> list[Document]:
    """The Kubernetes objects of a job, in the order in which they are applied. Raises InvalidJobError."""
    return _render(_check_job(job).data, job.release)


def runtime(job: Job) -> list[Document]:
    """The scripts that a job shares with others of its namespace; empty if it has its own. Raises InvalidJobError."""
    settings = _check_job(job).data["runtime"]
    return [] if settings["create"] else _render_runtime(settings["name"], job.release.namespace)


def manifests(job: Job) -> Plan:
    """The objects of a job as files, one per object, by name (`Plan.files`). Raises InvalidJobError."""
    from dsgen.runs import plan_job_folder  # imported late: `render` does not need it

    return plan_job_folder(job, render(job))


def chart(job: Job | None = None) -> Plan:
    """The files of a Helm chart by name (`Plan.files`), with the values of a job as its defaults.

    Raises InvalidJobError for a job with errors.
    """
    from dsgen.runs import plan_chart_folder  # imported late: only charts need the compiler

    return plan_chart_folder(None if job is None else _check_job(job, for_chart=True), CHART_NAME)


def estimate(job: Job, config: str | os.PathLike[str] | Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a training needs, as `dsgen estimate -o json` prints it: bytes, seconds, and None for what is not known.
    schemas/estimate.schema.json is its schema.

    config: the config.json of a Hugging Face model, as a path or as data, whose numbers replace those of the job.
    Raises InvalidJobError for a job with errors other than those about its estimate, and UsageError for a config.json
    whose parameters cannot be counted.
    """
    from dsgen import forecasts  # imported late: other functions need no estimate

    _check_job(job, with_estimate=False)
    model = None
    if config is not None:
        is_path = isinstance(config, str | os.PathLike)
        name = _check_path(config, "config") if is_path else "config"
        model = forecasts.read_model(name, read(name).text if is_path else _expect(config, dict, "config", "a map"))
    return forecasts.as_data(job, forecasts.forecast_job(job, model))


def write(plan: Plan, folder: str | os.PathLike[str], mode: Mode = "keep") -> Changes:
    """Write the files of a plan to a folder, and leave other files there unchanged; returns the changes.

    mode: like --refresh and --replace. Raises DsgenError, and leaves the folder unchanged, if a file of the user would
    be overwritten, an existing run would change, or the folder cannot be written.
    """
    from pathlib import Path  # imported late, as the next: other functions write nothing

    from dsgen.writer import Destination, Mode, Plan, compare
    from dsgen.writer import write as write_changes

    _expect(plan, Plan, "plan")
    if _expect(mode, str, "mode") not in Mode.__args__:  # type: ignore[attr-defined]  # the words of a Literal
        raise UsageError(f"mode must be keep, refresh or replace, not {mode!r}")
    place = Destination(Path(_check_path(folder, "folder")))
    changes = compare(place, plan, mode)
    write_changes(place, plan, changes)
    return changes


def _read_source(source: Source, number: int) -> SourceText:
    if isinstance(source, SourceText):
        _expect(source.name, str, "the name of a SourceText")
        _expect(source.text, str, "the text of a SourceText")
        return source
    if isinstance(source, str | os.PathLike):
        return read(source)
    import json  # imported late: few sources are maps

    _expect(source, Mapping, "a source", "the name of a file, a SourceText or a map")
    try:
        # JSON is YAML, so problems of plain data also have a place.
        text = json.dumps(source, indent=2, ensure_ascii=False, default=_as_dict)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"<values {number}>: a map must be plain data: {error}") from error
    return SourceText(f"<values {number}>", text + "\n")


def _as_dict(value: object) -> dict[str, Any]:
    """A map of another type as a dict; TypeError for everything else."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a type of JSON")


def _check_job(job: Job, for_chart: bool = False, with_estimate: bool = True) -> Job:
    problems = _expect(job, Job, "job").problems(for_chart, with_estimate)
    if has_errors(problems):
        raise InvalidJobError(job, problems)
    return job


def _check_overrides(overrides: object) -> None:
    flags = "--set, --set-string, --set-json or --set-file"
    example = 'Override("--set", "run.id=2")'
    for override in _expect(overrides, (list, tuple), "overrides", f"a list, such as [{example}]"):
        _expect(override, Override, "an override", f"an Override, such as {example}")
        if override.flag not in OVERRIDES:
            raise UsageError(f"the flag of an Override must be {flags}, not {override.flag!r}")
        _expect(override.text, str, "the text of an Override")


def _check_path(path: object, what: str) -> str:
    """A path as text."""
    text = os.fspath(_expect(path, (str, os.PathLike), what, "a path"))
    with contextlib.suppress(UnicodeEncodeError):  # of a lone surrogate, which no file has in its name
        if isinstance(text, str) and os.fsencode(text) and "\0" not in text:
            return text
    raise UsageError(f"{what} must be a path, not {path!r}")


def _check_types(kind: type | tuple[type, ...], **arguments: object) -> None:
    for what, given in arguments.items():
        _expect(given, kind, what)


def _expect(value: Any, kind: type | tuple[type, ...], what: str, words: str = "") -> Any:
    """The value. Raises UsageError if it has another type."""
    if not isinstance(value, kind):
        names = [one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,))]
        raise UsageError(f"{what} must be {words or ' or '.join(names)}, not {type(value).__name__}")
    return value


# Runs in a cluster. The parts of dsgen.cluster are imported late, because no other function needs them.


def status(job: JobName, *, run: str = "", context: str = "", kubeconfig: str = "") -> Report:
    """The state of a run, as `dsgen status -o json` prints it; schemas/status.schema.json is its schema.

    job: a loaded job, or a name such as "cifar" or "training/cifar". run: the id; empty for the newest. context,
    kubeconfig: select the cluster as --context and --kubeconfig do. Raises NotFoundError without such a run, and
    ApiError if the cluster cannot be reached.
    """
    from dsgen.cluster.runs import report_run

    return report_run(_find_run(job, run, context, kubeconfig).read_state(around=True, thrifty=True))


def why(job: JobName, *, run: str = "", context: str = "", kubeconfig: str = "") -> CausesReport:
    """Why a run waits or has failed, as `dsgen why -o json` prints it: `causes` is empty if nothing is wrong.

    The arguments and errors are those of `status`.
    """
    from dsgen.cluster.diagnosis import diagnose
    from dsgen.cluster.report import report_causes

    state = _find_run(job, run, context, kubeconfig).read_state(around=True)
    return report_causes(state, *diagnose(state))


def logs(
    job: JobName,
    *,
    run: str = "",
    worker: int | None = None,
    rank: int | None = None,
    tail: int | None = None,
    follow: bool = False,
    context: str = "",
    kubeconfig: str = "",
) -> Iterator[LogLine]:
    """The output of a run, line by line: of all ranks, of one worker, or of one rank.

    tail: the last lines of each container. follow: until the run has ended, also across restarts and lost pods. Without
    pods, the last lines in the record. The other arguments and the errors are those of `status`.
    """
    from dsgen.cluster import logs as cluster_logs

    for what, number in {"worker": worker, "rank": rank, "tail": tail}.items():
        if (_expect(number, (int, type(None)), what) or 0) < 0:
            raise UsageError(f"{what} must not be negative, but it is {number}")
    _check_types(bool, follow=follow)
    if worker is not None and rank is not None:
        raise UsageError("worker and rank are mutually exclusive")
    choice = cluster_logs.LogChoice(worker=worker, rank=rank)
    return cluster_logs.iterate_lines(
        _find_run(job, run, context, kubeconfig), choice, cluster_logs.LogLimits(tail), follow
    )


def wait(
    job: JobName,
    state: WaitState = "end",
    *,
    timeout: float = 86400,
    run: str = "",
    context: str = "",
    kubeconfig: str = "",
) -> Report:
    """Wait until a run is admitted, runs, or has ended; returns its state then, as `status` does.

    timeout: in seconds. Raises WaitTimeoutError after that time. A run that has failed is no error here: see its
    `phase`. The other arguments and the errors are those of `status`.
    """
    from dsgen.cluster.runs import WAITED_FOR, report_run, wait_for

    if _expect(state, str, "state") not in WAITED_FOR:
        raise UsageError(f"state must be {', '.join(WAITED_FOR)}, not {state!r}")
    _expect(timeout, (int, float), "timeout")
    ref = _find_run(job, run, context, kubeconfig)
    for seen, is_reached in wait_for(ref, state, time.monotonic() + timeout):
        if is_reached:
            return report_run(seen)
    raise WaitTimeoutError(f"{ref.title}: the state {state!r} was not reached in {timeout:g} seconds")


def apply(
    job: Job,
    *,
    dry_run: bool = False,
    force: bool = False,
    end_runs: bool = False,
    context: str = "",
    kubeconfig: str = "",
) -> list[AppliedObject]:
    """Apply a job to a cluster, as `dsgen apply` does; what was done with each object.

    dry_run: change nothing, and ask the API server what would be done. force: take over objects and fields of other
    field managers and tools. end_runs: also if that ends another run of the job, which has not ended.

    Raises InvalidJobError for a job with errors or for an existing run with other values, RevertedError if a tool
    applies the job, IncompleteApplyError if a request fails after others were done, and ApplyError otherwise.
    """
    from dsgen.cluster.apply import ChangedRunError, apply_objects, plan_apply, prune_objects, read_runs

    _check_types(bool, dry_run=dry_run, force=force, end_runs=end_runs)
    _check_job(job)
    cluster = _connect(context, kubeconfig)
    try:
        plan = plan_apply(cluster, job, read_runs(cluster, job), force)
    except ChangedRunError as error:
        raise InvalidJobError(job, error.problems) from None
    if plan.ends and not (end_runs or dry_run):
        raise ApplyError(f"this would end run {', '.join(plan.ends)}, which has not ended: use end_runs=True")
    return [*apply_objects(cluster, plan, dry_run), *prune_objects(cluster, plan, dry_run)]


def list_jobs(
    namespace: str = "",
    *,
    all_namespaces: bool = False,
    all_runs: bool = False,
    selector: str = "",
    context: str = "",
    kubeconfig: str = "",
) -> list[Report]:
    """The newest run of each job, as `dsgen list -o json` prints them; all_runs: all runs in the records.

    namespace: empty for that of the context. selector: labels of the jobs, such as "team=vision". The other arguments
    and the errors are those of `status`.
    """
    from dsgen.cluster.runs import list_states, report_run

    _check_types(str, namespace=namespace, selector=selector)
    _check_types(bool, all_namespaces=all_namespaces, all_runs=all_runs)
    cluster = _connect(context, kubeconfig)
    space = "" if all_namespaces else namespace or cluster.namespace
    return [report_run(state) for state in list_states(cluster, space, selector, all_runs)]


if not TYPE_CHECKING:  # a type checker refuses the old name

    def __getattr__(name: str) -> Any:
        if name != "list":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import warnings  # imported late: only the old name needs it

        warnings.warn("api.list is now api.list_jobs, and goes in version 0.4", DeprecationWarning, stacklevel=2)
        return list_jobs


def _connect(context: str, kubeconfig: str) -> Cluster:
    _check_types(str, context=context, kubeconfig=kubeconfig)
    from dsgen.cluster.client import Cluster  # imported late: `kubernetes` takes longer than all others together

    return Cluster(context, kubeconfig)


def _find_run(job: JobName, run: str, context: str, kubeconfig: str) -> RunRef:
    from dsgen.cluster.runs import RunRef, parse_job_name

    _expect(run, str, "run")
    _expect(job, (str, Job), "job", "a name or a loaded job")
    if isinstance(job, Job):
        space, name = job.release.namespace, job.release.name
    else:
        space, name = parse_job_name(job)
    cluster = _connect(context, kubeconfig)
    return RunRef(cluster, space or cluster.namespace, name, run)
