"""`dsgen diff`: show what a render would change."""

from pathlib import Path

from dsgen.cli import _differences, _output
from dsgen.cli._loading import LoadedJob, load_chart, load_jobs
from dsgen.cli._outcomes import OutputFolder
from dsgen.cli._output import charts, manifests, orphaned
from dsgen.cli._printed import emit, say
from dsgen.cli._progress import counted
from dsgen.cli._report import Report
from dsgen.cli._shared import Inputs
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageProblem
from dsgen.runs.differences import job_change
from dsgen.writer import Place


def command(inputs: Inputs, output: Path | None, chart: bool, kustomization: bool, form: str) -> int:
    """Show what a render would change, by object and field.

    DIR is the folder that `dsgen render` wrote, or with --chart the folder that `dsgen chart` wrote; for the jobs of
    dsgen.yaml it is known. Without FILE, the folders of all jobs in the nearest dsgen.yaml are compared. Nothing is
    written, and no cluster is contacted. The exit code is 1 if there is a difference. For Secrets, only the names of
    the fields are shown.

    \b
    Examples:
      dsgen diff cifar.yaml -o manifests/cifar
      dsgen diff cifar.yaml -o charts/cifar --chart
      dsgen diff
      dsgen diff jobs/cifar/values.yaml
      dsgen diff --format markdown
    """
    if output is not None and not inputs.has_files:
        raise UsageProblem("-o needs FILEs; for the jobs of dsgen.yaml, the folders are set there")
    folders, report = _charts(inputs, output) if chart else _manifests(inputs, output, kustomization)
    if report.repository:
        folders += orphaned(report.repository, "charts" if chart else "output", folders)
    differences = [
        job_change(each.place, each.make().plan, chart) for each in counted("compared", folders, len(folders))
    ]
    if form == "text":
        say(line for one in differences for line in _differences.as_lines(one))
    else:
        emit({"json": _differences.as_json, "markdown": _differences.as_markdown}[form](differences))
    report.problems += [problem for one in differences for problem in one.changes.problems]
    report.show()
    return EXIT_OK if all(one.is_equal for one in differences) else EXIT_FINDINGS


def _manifests(inputs: Inputs, output: Path | None, kustomization: bool) -> tuple[list[OutputFolder], Report]:
    jobs, report = _jobs(inputs, output)
    return manifests(jobs, output, kustomization), report


def _jobs(inputs: Inputs, output: Path | None) -> tuple[list[LoadedJob], Report]:
    """The jobs. Raises UsageProblem if there is neither DIR nor a folder in dsgen.yaml for one of them."""
    jobs, report = load_jobs(inputs)
    if output is None and (lost := [job.file for job in jobs if not job.member]):
        raise UsageProblem(f"-o is missing, the folder to compare with: {lost[0]} is not a job of dsgen.yaml")
    return jobs, report


def _charts(inputs: Inputs, output: Path | None) -> tuple[list[OutputFolder], Report]:
    if output is None:
        jobs, report = _jobs(inputs, output)
        return charts(jobs), report
    if len(inputs.files) > 1:
        raise UsageProblem("a chart has the values of one job: give one FILE")
    job, report = load_chart(inputs)
    return [_output.chart(Place(output), job)], report
