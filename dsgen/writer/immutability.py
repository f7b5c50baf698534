"""Decides whether an existing run, or an existing claim, is kept, is replaced or is refused.

Different versions of dsgen render a run differently. So the old and the new values are both rendered by this version:
if the results are equal, the user changed nothing, and the files of the older version are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from dsgen.problems import Diagnostic
from dsgen.writer.folder import Destination
from dsgen.writer.history import History
from dsgen.writer.index import INDEX, Run
from dsgen.writer.plan import Changes, Mode, Plan, copy_suspension, remove_suspension

Contents = Mapping[str, bytes | None]

UNKNOWN_VERSION = "an earlier dsgen"


def compare_with_history(
    place: Destination, plan: Plan, contents: Contents, history: History, mode: Mode
) -> tuple[Plan, Changes]:
    """The plan with the files that are kept, and what follows for the run and the claims, without the files."""
    kept, verdict = _compare_run(place, plan, contents, history, mode)
    if plan.guard is None:
        return kept, verdict
    wrote = {path: content for path, content in contents.items() if content and history.wrote(path, content)}
    texts = {path: content.decode(errors="replace") for path, content in wrote.items() if path in plan.files}
    claims, problems = plan.guard.check_claims(history.index.values, texts)
    files = {**kept.files, **{path: texts[path] for path in claims}}
    return replace(kept, files=files), replace(verdict, problems=(*verdict.problems, *problems))


def _compare_run(
    place: Destination, plan: Plan, contents: Contents, history: History, mode: Mode
) -> tuple[Plan, Changes]:
    index, known = history.index, history.index.runs.get(plan.run)
    if known is not None and known.sha256 == plan.run_checksum:
        return plan, Changes()
    if known is None or index.run != plan.run or not index.values or plan.guard is None:
        changed = _find_changed_bytes(plan, contents, history, known)
        if changed and mode != "replace":
            return plan, Changes(problems=(_report_changed_bytes(place, plan, changed, history, known),))
        return plan, Changes(renewed=bool(changed))
    problems = tuple(plan.guard.check_run(index.values, _name_writer(known)))
    if problems:
        return plan, Changes(renewed=True) if mode == "replace" else Changes(problems=problems)
    if mode == "refresh":
        return plan, Changes(renewed=True)
    needed = history.index.files.keys() - plan.guard.list_paths(index.values) - plan.lists.keys()
    return _keep_files(place, plan, contents, history, known, history.index.frozen | needed)


def _keep_files(
    place: Destination, plan: Plan, contents: Contents, history: History, known: Run, paths: Collection[str]
) -> tuple[Plan, Changes]:
    """The existing files of the run, in which only `suspend` changes, and those of the job that it needs.

    paths: of these files. What the older version wrote for the job, and this version does not write for the same
    values, may be an object that the run uses under its old name.
    """
    texts: dict[str, str] = {}
    refusals = []
    for path in sorted(paths):
        content = contents[path]
        if content and history.wrote(path, content):
            text = content.decode(errors="replace")
            texts[path] = copy_suspension(text, plan.files[path]) if path in plan.files else text
        else:
            what = "was edited since dsgen wrote it" if content else "is missing"
            refusals.append(
                f"{place.path / path} {what}, and only {_name_writer(known)} can write it: "
                "restore it from version control; if the run was never applied, --refresh replaces it"
            )
    files = {path: text for path, text in plan.files.items() if path not in plan.frozen} | texts
    index = history.index
    kept = replace(plan, files=files, frozen=index.frozen, kept=_name_writer(known), runtime=index.runtime)
    return kept, Changes(refusals=tuple(refusals))


def _name_writer(run: Run) -> str:
    return f"dsgen {run.dsgen}" if run.dsgen else UNKNOWN_VERSION


# -- without the old values -------------------------------------------------------------------------------------------


def _find_changed_bytes(plan: Plan, contents: Contents, history: History, known: Run | None) -> list[str]:
    """The files of an existing run that would change."""
    old: Mapping[str, str | None] = history.shown.get(plan.run, {})
    if known is not None:
        here = history.index.frozen if history.index.run == plan.run else frozenset()
        files = {path: contents[path] for path in here | plan.frozen}
        old = {path: None if file is None else file.decode(errors="replace") for path, file in files.items()}
    new = {path: remove_suspension(plan.files[path]) for path in plan.frozen}
    return sorted(path for path, text in old.items() if (text and remove_suspension(text)) != new.get(path))


def _report_changed_bytes(
    place: Destination, plan: Plan, changed: list[str], history: History, known: Run | None
) -> Diagnostic:
    lines = [
        "The objects of a run never change: change run.id to train with the new values. "
        "If this run was never applied, --replace replaces it",
        *_explain_bytes(place, plan, history, known),
    ]
    message = f'run "{plan.run}" of {plan.owner} was rendered into {place.path} before and would change: '
    message += ", ".join(changed)
    return Diagnostic("DS903", message, plan.run_at, ("run", "id"), "\n".join(lines))


def _explain_bytes(place: Destination, plan: Plan, history: History, known: Run | None) -> Iterator[str]:
    if known is None:
        yield f"{place.path / INDEX}, which recorded them, is missing"
    elif history.index.run != plan.run:
        yield f'The folder has run "{history.index.run}"; for earlier runs, only checksums are recorded'
    elif not history.index.values:
        yield f"{place.path / INDEX} does not contain the values that {_name_writer(known)} rendered"
