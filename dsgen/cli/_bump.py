"""`dsgen render --bump`: writes the next id of a run that would change, and the values of flags, into its file."""

import functools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dsgen import api
from dsgen.cli._delivery import Edit, FolderPlan, OutputFolder, plan_job
from dsgen.cli._loading import STDIN, LoadedJob
from dsgen.errors import DsgenError
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors
from dsgen.runs.bump import Bump, bump
from dsgen.values import Override
from dsgen.writer import Destination, compare


def plan_bumps(
    folders: Sequence[OutputFolder], jobs: Sequence[LoadedJob], flags: Sequence[Override]
) -> list[OutputFolder]:
    """The folders; runs that would change get the next run id, or a problem if that is not possible.

    flags: their values are written into the file of each job, also if its run would not change.
    """
    files = Counter(job.file for job in jobs)
    return [
        folder._replace(
            make=functools.partial(_plan_bump, folder, job, files[job.file], flags),
            made_of="" if flags else folder.made_of,
        )
        for folder, job in zip(folders, jobs, strict=True)
    ]


def _plan_bump(folder: OutputFolder, loaded: LoadedJob, jobs: int, flags: Sequence[Override]) -> FolderPlan:
    """jobs: the number of jobs from the values file of this job."""
    made = folder.make()
    try:
        changes = compare(folder.place, made.plan)
    except DsgenError:
        return made  # reported when the folder is compared
    has_new_id = any(problem.id == "DS903" for problem in changes.problems)
    if not has_new_id and not flags:
        return made
    job = loaded.job
    if jobs > 1:
        message = f"--bump cannot write run.id into {job.file}: it is the file of {jobs} jobs"
        hint = "give each of them its run.id in dsgen.yaml"
        bumped: Bump | Diagnostic = Diagnostic("DS909", message, Position(job.file, 1, 1), ("run", "id"), hint)
    else:
        bumped = bump(job, changes.runs, loaded.reload, flags, has_new_id)
    if isinstance(bumped, Diagnostic):
        return made._replace(problems=(bumped,))
    if not bumped.summary:
        return made
    problems = api.validate(bumped.job)
    if has_errors(problems):
        return made._replace(problems=tuple(problems))
    return plan_job(bumped.job, made.plan.lists)._replace(edit=make_edit(loaded, bumped))


def make_edit(job: LoadedJob, new: Bump) -> Edit:
    """The new text of the file of a job."""
    file = job.file
    assert file != STDIN
    if job.member:
        folder, _, name = job.member.file.rpartition("/")
        place = Destination(job.member.settings.root, folder)
    else:
        path = Path(file).resolve()
        place, name = Destination(path.parent), path.name
    return Edit(place, name, new.text, f"{file}: {new.summary}")
