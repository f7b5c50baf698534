"""`dsgen render --bump`: the next run id for each job whose run would change."""

import functools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dsgen import api
from dsgen.cli._items import Edit, Folder, Item
from dsgen.cli._jobs import STDIN, Target
from dsgen.cli._output import planned
from dsgen.errors import DsgenError
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors
from dsgen.runs.bump import Bump, bump
from dsgen.writer import Place, compare


def bumped(folders: Sequence[Folder], targets: Sequence[Target]) -> list[Folder]:
    """The folders; items of runs that would change get the next run id, or the problem why they cannot have it."""
    files = Counter(target.job.file for target in targets)
    return [
        Folder(folder.place, functools.partial(_bumped, folder, target, files[target.job.file]))
        for folder, target in zip(folders, targets, strict=True)
    ]


def _bumped(folder: Folder, target: Target, jobs: int) -> Item:
    """jobs: how many are made of the file of this one."""
    item = folder.make()
    if item.unchanged:
        return item
    try:
        changes = compare(item.place, item.plan)
    except DsgenError:
        return item  # told where it is delivered
    if not any(problem.id == "DS903" for problem in changes.problems):
        return item
    job = target.job
    if jobs > 1:
        message = f"--bump cannot write run.id into {job.file}: it is the file of {jobs} jobs"
        hint = "give each of them its run.id in dsgen.yaml"
        found: Bump | Diagnostic = Diagnostic("DS909", message, Position(job.file, 1, 1), ("run", "id"), hint)
    else:
        found = bump(job, changes.runs)
    if isinstance(found, Diagnostic):
        return item._replace(problems=(found,))
    problems = api.validate(found.job)
    if has_errors(problems):
        return item._replace(problems=tuple(problems))
    return planned(item.place, found.job, item.plan.lists)._replace(edit=edit(target, found))


def edit(target: Target, found: Bump) -> Edit:
    """The next run id in the file of a job."""
    file = target.job.file
    assert file != STDIN
    if target.member:
        folder, _, name = target.member.file.rpartition("/")
        place = Place(target.member.settings.root, folder)
    else:
        path = Path(file).resolve()
        place, name = Place(path.parent), path.name
    return Edit(place, name, found.text, f"{file}: run.id {found.old} -> {found.new}")
