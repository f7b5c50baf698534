"""`dsgen diff`: show what a render would change."""

from pathlib import Path

from dsgen.cli import _differences, _output
from dsgen.cli._items import Folder
from dsgen.cli._jobs import Report, load_chart, load_jobs
from dsgen.cli._output import charts, left, manifests
from dsgen.cli._printed import emit, say
from dsgen.cli._progress import counted
from dsgen.cli._shared import Inputs
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageProblem
from dsgen.runs.differences import job_change
from dsgen.writer import Place


def command(inputs: Inputs, output: Path | None, chart: bool, kustomization: bool, form: str) -> int:
    """Show what a render would change, by object and field.

    DIR is the folder that `dsgen render` wrote, or with --chart the folder that `dsgen chart` wrote. Without FILE and
    DIR, the folders of all jobs in the nearest dsgen.yaml are compared. Nothing is written, and no cluster is
    contacted. The exit code is 1 if there is a difference. For Secrets, only the names of the fields are shown.

    \b
    Examples:
      dsgen diff cifar.yaml -o manifests/cifar
      dsgen diff cifar.yaml -o charts/cifar --chart
      dsgen diff
      dsgen diff --format markdown
    """
    is_repository = not inputs.has_files
    if is_repository == (output is not None):
        raise UsageProblem("give FILEs and -o DIR, or neither of them to compare all jobs of dsgen.yaml")
    folders, report = _charts(inputs, output) if chart else _manifests(inputs, output, kustomization)
    if report.repository:
        folders += left(report.repository, "charts" if chart else "output", folders)
    differences = [job_change(place, make().plan, chart) for place, make in counted("compared", folders, len(folders))]
    if form == "text":
        say(line for one in differences for line in _differences.as_lines(one))
    else:
        emit({"json": _differences.as_json, "markdown": _differences.as_markdown}[form](differences))
    report.problems += [problem for one in differences for problem in one.changes.problems]
    report.show()
    return EXIT_OK if all(one.is_equal for one in differences) else EXIT_FINDINGS


def _manifests(inputs: Inputs, output: Path | None, kustomization: bool) -> tuple[list[Folder], Report]:
    targets, report = load_jobs(inputs)
    return manifests(targets, report, output, kustomization), report


def _charts(inputs: Inputs, output: Path | None) -> tuple[list[Folder], Report]:
    if output is None:
        targets, report = load_jobs(inputs)
        return charts(targets), report
    if len(inputs.files) > 1:
        raise UsageProblem("a chart has the values of one job: give one FILE")
    job, report = load_chart(inputs)
    return [_output.chart(Place(output), job)], report
