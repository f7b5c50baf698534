"""Decides whether an existing run, or an existing claim, is kept, is replaced or is refused.

Different versions of dsgen render a run differently. So the old and the new values are both rendered by this version:
if the results are equal, the user changed nothing, and the files of the older version are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from dsgen.problems import Diagnostic
from dsgen.writer.folder import Destination
from dsgen.writer.history import History
from dsgen.writer.index import INDEX, Run
from dsgen.writer.plan import Mode, Plan, copy_suspension, remove_suspension

Contents = Mapping[str, bytes | None]

UNKNOWN_VERSION = "an earlier dsgen"


@dataclass(frozen=True)
class Verdict:
    """The plan with the files that are kept, the reasons to refuse it, and whether an existing run is replaced."""

    plan: Plan
    problems: tuple[Diagnostic, ...] = ()
    refusals: tuple[str, ...] = ()
    renewed: bool = False


def judge(place: Destination, plan: Plan, contents: Contents, history: History, mode: Mode) -> Verdict:
    """The verdict on the run and the claims of a plan."""
    verdict = _judge_run(place, plan, contents, history, mode)
    if plan.guard is None:
        return verdict
    wrote = {path: content for path, content in contents.items() if content and history.wrote(path, content)}
    texts = {path: content.decode(errors="replace") for path, content in wrote.items() if path in plan.files}
    claims = plan.guard.check_claims(history.index.values, texts)
    files = {**verdict.plan.files, **{path: texts[path] for path in claims.kept}}
    return replace(verdict, plan=replace(verdict.plan, files=files), problems=(*verdict.problems, *claims.problems))


def _judge_run(place: Destination, plan: Plan, contents: Contents, history: History, mode: Mode) -> Verdict:
    index, known = history.index, history.index.runs.get(plan.run)
    if known is not None and known.sha256 == plan.run_checksum:
        return Verdict(plan)
    if known is None or index.run != plan.run or not index.values or plan.guard is None:
        changed = _find_changed_bytes(plan, contents, history, known)
        if changed and mode != "replace":
            return Verdict(plan, (_report_changed_bytes(place, plan, changed, history, known),))
        return Verdict(plan, renewed=bool(changed))
    problems = tuple(plan.guard.check_run(index.values, _name_writer(known)))
    if problems:
        return Verdict(plan, renewed=True) if mode == "replace" else Verdict(plan, problems)
    if mode == "refresh":
        return Verdict(plan, renewed=True)
    needed = history.index.files.keys() - plan.guard.list_paths(index.values) - plan.lists.keys()
    return _keep_files(place, plan, contents, history, known, history.index.frozen | needed)


def _keep_files(
    place: Destination, plan: Plan, contents: Contents, history: History, known: Run, paths: Collection[str]
) -> Verdict:
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
    kept = replace(plan, files=files, frozen=history.index.frozen, kept=_name_writer(known))
    return Verdict(kept, refusals=tuple(refusals))


def _name_writer(run: Run) -> str:
    return f"dsgen {run.dsgen}" if run.dsgen else UNKNOWN_VERSION


# -- without the old values -------------------------------------------------------------------------------------------


def _find_changed_bytes(plan: Plan, contents: Contents, history: History, known: Run | None) -> list[str]:
    """The files of an existing run that would change."""
    if known is not None:
        here = history.index.frozen if history.index.run == plan.run else frozenset()
        paths = here | plan.frozen
        return sorted(path for path in paths if _decode_frozen(contents[path]) != _find_planned(plan, path))
    shown = history.shown.get(plan.run, {})
    return sorted(path for path, text in shown.items() if text != _find_planned(plan, path))


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
    if plan.guard is None:
        return Diagnostic("DS903", message, None, ("run", "id"), "\n".join(lines))
    return plan.guard.report_unknown_values(message, "\n".join(lines))


def _explain_bytes(place: Destination, plan: Plan, history: History, known: Run | None) -> Iterator[str]:
    if known is None:
        yield f"{place.path / INDEX}, which recorded them, is missing"
    elif history.index.run != plan.run:
        yield f'The folder has run "{history.index.run}"; for earlier runs, only checksums are recorded'
    elif not history.index.values:
        yield f"{place.path / INDEX} does not contain the values that {_name_writer(known)} rendered"


def _decode_frozen(content: bytes | None) -> str | None:
    return None if content is None else remove_suspension(content.decode(errors="replace"))


def _find_planned(plan: Plan, path: str) -> str | None:
    return remove_suspension(plan.files[path]) if path in plan.frozen else None
