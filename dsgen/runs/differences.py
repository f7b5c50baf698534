"""Finds what a render would change in a folder, by object and field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dsgen.errors import DsgenError
from dsgen.problems import path_text
from dsgen.runs.rendered import parse_object, read_kind_and_name
from dsgen.writer import Changes, Destination, Plan, compare, read_texts
from dsgen.writer.plan import KUSTOMIZATION

HIDDEN = "(not shown)"
NAMES = ("name", "mountPath", "key")
"""Items of lists are paired by the first of these keys that all of them have, with unique values."""
SUSPEND = "spec.suspend"
RUN_LABEL = "dsgen.dev/run"
RUN = re.compile(rf'^ +{re.escape(RUN_LABEL)}: "([a-z0-9]+)"$', re.MULTILINE)


@dataclass(frozen=True)
class FieldChange:
    """A field that differs, with its values; None for an absent field."""

    path: str
    old: Any
    new: Any


@dataclass(frozen=True)
class ObjectChange:
    """An object that is new, removed or changed. was: its old name, if a new run has another one."""

    kind: str
    name: str
    change: str
    was: str = ""
    fields: tuple[FieldChange, ...] = ()


@dataclass(frozen=True)
class JobChange:
    """What a render would change in the folder of a job. status: a short description; problems: why it is refused."""

    folder: str
    owner: str
    status: str
    objects: tuple[ObjectChange, ...] = ()
    changes: Changes = field(default_factory=Changes)
    failure: DsgenError | None = None

    @property
    def is_equal(self) -> bool:
        return not (self.changes.stale or self.failure)


def compare_job(place: Destination, plan: Plan, by_file: bool = False) -> JobChange:
    """Compare a folder with a plan by objects. Refused changes are included.

    by_file: compare files instead, for a chart.
    """
    folder = str(place.path)
    try:
        changes = compare(place, plan)
        seen = compare(place, plan, "replace") if changes.problems else changes
        old = read_texts(place, (*seen.write, *seen.remove))
    except DsgenError as failure:
        return JobChange(folder, plan.owner, "refused", failure=failure)
    files = (seen.plan or plan).files
    new = {path: files[path] for path in seen.write}
    objects = tuple(_compare_files(old, new) if by_file else _compare_objects(old, new, plan))
    status = _describe_status(changes, plan, objects)
    return JobChange(folder, plan.owner, status, objects, replace(changes, plan=None))  # the plan has all texts


def _describe_status(changes: Changes, plan: Plan, objects: tuple[ObjectChange, ...]) -> str:
    paths = {each.path for one in objects for each in one.fields or (FieldChange("", None, None),)}
    if changes.refused:
        return "refused"
    if not plan.files:
        return "removed from the repository"
    if plan.run and plan.run not in changes.runs:
        return f"new run {plan.run}" if changes.runs else "new job"
    if plan.run and paths == {SUSPEND}:
        return "suspend only"
    if changes.plan and changes.plan.kept:
        return f"run {plan.run} kept as {changes.plan.kept} wrote it"
    return "changed" if changes.stale else "no difference"


def _compare_objects(old: Mapping[str, str], new: Mapping[str, str], plan: Plan) -> Iterator[ObjectChange]:
    before = {key: text for path, text in old.items() if (key := _name_object(path, text))}
    after = {key: text for path, text in new.items() if (key := _name_object(path, text))}
    rename = _Rename(plan, before.values())
    for key, text in after.items():
        was = key if key in before else (key[0], rename.restore_name(key[1]))
        if was not in before:
            yield ObjectChange(*key, "new")
            continue
        earlier = before.pop(was)
        differences = compare_fields(
            parse_object(earlier if was == key else rename.rename_text(earlier)), parse_object(text)
        )
        changed = tuple(hide_secrets(each, key[0]) for each in differences)
        yield ObjectChange(*key, "changed", "" if was == key else was[1], changed)
    for key in before:
        yield ObjectChange(*key, "removed")


def _compare_files(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[ObjectChange]:
    for path in sorted({**old, **new}):
        if path not in old or path not in new:
            yield ObjectChange("File", path, "new" if path in new else "removed")
        else:
            yield ObjectChange("File", path, "changed", fields=(FieldChange("text", old[path], new[path]),))


def _name_object(path: str, text: str) -> tuple[str, str] | None:
    """Kind and name of the object in a file; for a kustomization, the name of the file."""
    if path == KUSTOMIZATION:
        return "Kustomization", path
    try:
        return read_kind_and_name(text)
    except DsgenError:  # not an object, for example an empty file
        return None


class _Rename:
    """Converts between names of the old run and of the plan's run."""

    def __init__(self, plan: Plan, before: Iterable[str]) -> None:
        job = plan.owner.rpartition("/")[2]
        runs = (match[1] for text in before for match in RUN.finditer(text))
        old = next((run for run in runs if run != plan.run), plan.run)
        self.old, self.new = (f"{job}-{run}" for run in (old, plan.run))
        self.old_label, self.new_label = (f'{RUN_LABEL}: "{run}"' for run in (old, plan.run))
        # `cifar-10` does not belong to run 1.
        self.pattern = re.compile(rf"(?<![\w.]){re.escape(self.old)}(?![A-Za-z0-9])")

    def restore_name(self, name: str) -> str:
        return self.old + name[len(self.new) :] if name.startswith(self.new) else name

    def rename_text(self, text: str) -> str:
        return self.pattern.sub(self.new, text).replace(self.old_label, self.new_label)


def hide_secrets(change: FieldChange, kind: str) -> FieldChange:
    """The change, without the values if the object is a Secret."""
    if kind != "Secret" or change.path.startswith("metadata"):
        return change
    return FieldChange(change.path, *(None if one is None else HIDDEN for one in (change.old, change.new)))


def compare_fields(old: Any, new: Any, path: str = "") -> Iterator[FieldChange]:
    """The fields in which two objects differ; items of lists are paired by their names."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from compare_fields(old.get(key), new.get(key), _join_path(path, key))
    elif isinstance(old, list) and isinstance(new, list) and old != new:
        pairs = _pair(old, new)
        if pairs is None:
            yield FieldChange(path, old, new)
        for name, one, other in pairs or ():
            yield from compare_fields(one, other, f"{path}[{name}]")
    elif old != new:
        yield FieldChange(path, old, new)


def _join_path(path: str, key: str) -> str:
    text = path_text((key,))
    return f"{path}{'' if text.startswith('[') or not path else '.'}{text}"


def _pair(old: list[Any], new: list[Any]) -> list[tuple[str, Any, Any]] | None:
    """The paired items of two lists; None if they cannot be paired."""
    for key in NAMES:
        named = [
            {str(item[key]): item for item in items if isinstance(item, dict) and key in item} for items in (old, new)
        ]
        if [len(items) for items in named] == [len(old), len(new)]:
            return [(name, named[0].get(name), named[1].get(name)) for name in {**named[0], **named[1]}]
    if len(old) == len(new):
        return [(str(index), *pair) for index, pair in enumerate(zip(old, new, strict=True))]
    return None
