"""`dsgen render --bump`: writes the next id of a run that would change, and the values of flags, into its file."""

import functools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dsgen import api
from dsgen.cli._items import Edit, Folder, Item
from dsgen.cli._output import planned
from dsgen.cli._targets import STDIN, Target
from dsgen.errors import DsgenError
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors
from dsgen.runs.bump import Bump, bump
from dsgen.values import Override
from dsgen.writer import Place, compare


def bumped(folders: Sequence[Folder], targets: Sequence[Target], flags: Sequence[Override]) -> list[Folder]:
    """The folders; items of runs that would change get the next run id, or a problem if that is not possible.

    flags: their values are written into the file of each job, also if its run would not change.
    """
    files = Counter(target.file for target in targets)
    return [
        Folder(folder.place, functools.partial(_bumped, folder, target, files[target.file], flags))
        for folder, target in zip(folders, targets, strict=True)
    ]


def _bumped(folder: Folder, target: Target, jobs: int, flags: Sequence[Override]) -> Item:
    """jobs: the number of jobs from the values file of this job."""
    item = folder.make()
    if item.unchanged and not flags:
        return item
    try:
        changes = item.unchanged or compare(item.place, item.plan)
    except DsgenError:
        return item  # reported when the item is delivered
    has_new_id = any(problem.id == "DS903" for problem in changes.problems)
    if not has_new_id and not flags:
        return item
    job = target.job
    if jobs > 1:
        message = f"--bump cannot write run.id into {job.file}: it is the file of {jobs} jobs"
        hint = "give each of them its run.id in dsgen.yaml"
        bumped: Bump | Diagnostic = Diagnostic("DS909", message, Position(job.file, 1, 1), ("run", "id"), hint)
    else:
        bumped = bump(job, changes.runs, target.rewritten, flags, has_new_id)
    if isinstance(bumped, Diagnostic):
        return item._replace(problems=(bumped,))
    if not bumped.summary:
        return item
    problems = api.validate(bumped.job)
    if has_errors(problems):
        return item._replace(problems=tuple(problems))
    return planned(item.place, bumped.job, item.plan.lists)._replace(edit=edit(target, bumped))


def edit(target: Target, new: Bump) -> Edit:
    """The new text of the file of a job."""
    file = target.file
    assert file != STDIN
    if target.member:
        folder, _, name = target.member.file.rpartition("/")
        place = Place(target.member.settings.root, folder)
    else:
        path = Path(file).resolve()
        place, name = Place(path.parent), path.name
    return Edit(place, name, new.text, f"{file}: {new.summary}")
