"""`dsgen render --bump`: the next run id for each job whose run would change."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dsgen import api
from dsgen.cli._jobs import STDIN, Report, Target
from dsgen.cli._output import Edit, Item, planned
from dsgen.errors import DsgenError
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors
from dsgen.runs.bump import Bump, bump
from dsgen.writer import Place, compare


def bumped(items: Sequence[Item], targets: Sequence[Target], report: Report) -> list[Item]:
    """The plans, those of runs that would change with the next run id; adds to the report why one cannot have it."""
    files = Counter(target.job.file for target in targets)
    return [_bumped(item, target, report, files) for item, target in zip(items, targets, strict=True)]


def _bumped(item: Item, target: Target, report: Report, files: Counter[str]) -> Item:
    if item.unchanged:
        return item
    try:
        changes = compare(item.place, item.plan)
    except DsgenError:
        return item  # told where it is delivered
    if not any(problem.id == "DS903" for problem in changes.problems):
        return item
    job = target.job
    if files[job.file] > 1:
        message = f"--bump cannot write run.id into {job.file}: it is the file of {files[job.file]} jobs"
        hint = "give each of them its run.id in dsgen.yaml"
        found: Bump | Diagnostic = Diagnostic("DS909", message, Position(job.file, 1, 1), ("run", "id"), hint)
    else:
        found = bump(job, changes.runs)
    if isinstance(found, Diagnostic):
        report.found.append(found)
        return item
    problems = api.validate(found.job)
    if has_errors(problems):
        report.found += problems
        return item
    return planned(item.place, found.job, item.plan.lists)._replace(edit=_edit(target, found))


def _edit(target: Target, found: Bump) -> Edit:
    file = target.job.file
    assert file != STDIN
    if target.member:
        folder, _, name = target.member.file.rpartition("/")
        place = Place(target.member.settings.root, folder)
    else:
        path = Path(file).resolve()
        place, name = Place(path.parent), path.name
    return Edit(place, name, found.text, f"{file}: run.id {found.old} -> {found.new}")
