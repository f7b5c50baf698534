"""Computes the next run id, and writes it into the text of a values file.

Only the id changes in the text; comments and layout keep their bytes. The new text is read again before it is used: it
must have the same values except for the id.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import yaml

from dsgen import values
from dsgen.problems.diagnostics import Diagnostic, Position
from dsgen.reading.nodes import Node, SourceText, Tree, merge
from dsgen.reading.scalars import Unreadable, resolve
from dsgen.reading.source import read
from dsgen.reading.syntax import index_of, place_of
from dsgen.records import dataclass, replace
from dsgen.runs.keys import put
from dsgen.values import Job

ID = ("run", "id")
LONGEST = 20
ABOVE = ("namespace", "name")
"""`run` is added after the first of these keys that the file has."""


@dataclass(frozen=True)
class Bump:
    """A job with its next run id, and the new text of its values file."""

    job: Job
    old: str
    new: str
    text: str


class _Entry(NamedTuple):
    """The events of a key and of its value."""

    key: yaml.ScalarEvent
    value: yaml.Event


Keys = tuple[str, ...]


class _NotHere(Exception):  # noqa: N818 - control flow in this module; the message is part of a problem
    pass


def bump(job: Job, known: Collection[str]) -> Bump | Diagnostic:
    """The job with the next unused id, or a problem. The job has no errors."""
    old = str(job.data["run"]["id"])
    node, known_path = job.root.find(ID)
    at = node.position if len(known_path) == len(ID) else Position(job.file, 1, 1)
    try:
        if at.file != job.file:
            raise _NotHere(f"run.id is set in {at.file}")
        if job.file not in job.sources or job.file == "<stdin>":
            raise _NotHere("standard input cannot be written")
        new = next_id(old, {*known, old})
        return Bump(_with_id(job, new, at), old, new, _edited(SourceText(job.file, job.sources[job.file]), new))
    except _NotHere as reason:
        hint = "write the next id there, and render again"
        return Diagnostic("DS909", f"--bump cannot write run.id into {job.file}: {reason}", at, ID, hint)


def next_id(old: str, known: Collection[str]) -> str:
    """The first unused id after this one: `1` -> `2`, `exp9` -> `exp10`, `007` -> `008`, `a` -> `a2`."""
    parts = re.fullmatch(r"(.*?)([0-9]*)", old)
    assert parts
    prefix, digits = parts.groups()
    number = int(digits or 1)
    for _ in range(len(known) + 1):
        number += 1
        new = f"{prefix}{number:0{len(digits)}}"
        if new not in known and len(new) <= LONGEST:
            return new
    raise _NotHere(f"no id of at most {LONGEST} characters comes after {old}")


def _with_id(job: Job, new: str, at: Position) -> Job:
    id_ = Node({"run": Node({"id": Node(new, at, key=at)}, at, key=at)}, at)
    bumped = values.of_trees(job.file, [Tree(merge(job.root, id_))], job.sources)
    bumped.severities = job.severities
    return bumped


def _edited(source: SourceText, new: str) -> str:
    """The text of a values file with another run id."""
    mark = "\ufeff" if source.text.startswith("\ufeff") else ""
    text = source.text.removeprefix(mark)
    start, end, put_in = _change(text, new)
    edited = text[:start] + put_in + text[end:]
    before, after = read(source), read(replace(source, text=mark + edited))
    wanted = [put(before.root.data(), ID, value) for value in (new, _read(new))]
    if after.diagnostics != before.diagnostics or after.root.data() not in wanted:
        raise _NotHere("the text cannot be changed without changing other values")
    return mark + edited


def _read(new: str) -> object:
    try:
        return resolve(new)
    except Unreadable:
        return new


def _change(text: str, new: str) -> tuple[int, int, str]:
    """The start and end of the changed part of the text, and its replacement."""
    entries, quoted = _entries(text), f'"{new}"'
    if ID in entries:
        value = entries[ID].value
        if not isinstance(value, yaml.ScalarEvent) or value.anchor or value.style not in (None, "", "'", '"'):
            raise _NotHere(f"line {_line(value)} has an anchor, an alias or a block")
        quote = value.style or ("" if _is_plain(new) else '"')
        return index_of(value.start_mark), index_of(value.end_mark), f"{quote}{new}{quote}"
    if ("run",) in entries:
        value = entries[("run",)].value
        if not isinstance(value, yaml.MappingStartEvent) or value.anchor or not value.flow_style:
            raise _NotHere(f"line {_line(value)} has an anchor, an alias or <<")
        start = index_of(value.start_mark) + 1
        return start, start, f'"id": {quoted}'
    if ("<<",) in entries:
        raise _NotHere("it has << at the top, which may contain run")
    return _added(text, entries, quoted)


def _added(text: str, entries: Mapping[Keys, _Entry], quoted: str) -> tuple[int, int, str]:
    """The place at which `run` is added, and its text."""
    if text.lstrip().startswith("{"):
        start = text.index("{") + 1
        return start, start, f'"run": {{"id": {quoted}}}, '
    end = "\r\n" if "\r\n" in text else "\n"
    above = next((entries[(key,)] for key in ABOVE if (key,) in entries), None)
    if above is None:
        start = min((index_of(entry.key.start_mark) for entry in entries.values()), default=len(text))
        return start, start, f"run: {{id: {quoted}}}{end}"
    start = text.find("\n", index_of(above.value.end_mark)) + 1 or len(text)
    before = "" if text[:start].endswith("\n") else end
    margin = text[text.rfind("\n", 0, index_of(above.key.start_mark)) + 1 : index_of(above.key.start_mark)]
    return start, start, f"{before}{margin}run: {{id: {quoted}}}{end}"


def _entries(text: str) -> dict[Keys, _Entry]:
    """The entries at the top and directly below `run`."""
    events = iter(yaml.parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)))
    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            return dict(_map(events, ()))
    return {}


def _map(events: Iterator[yaml.Event], path: Keys) -> Iterator[tuple[Keys, _Entry]]:
    while isinstance(key := next(events), yaml.ScalarEvent):
        value = next(events)
        yield (*path, key.value), _Entry(key, value)
        if isinstance(value, yaml.MappingStartEvent) and (*path, key.value) == ("run",):
            yield from _map(events, ("run",))
        else:
            _skip(value, events)


def _skip(event: yaml.Event, events: Iterator[yaml.Event]) -> None:
    depth = 0
    while True:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth == 0:
            return
        event = next(events)


def _line(event: yaml.Event) -> int:
    return place_of(event.start_mark)[0] + 1


def _is_plain(new: str) -> bool:
    read_ = _read(new)
    return isinstance(read_, str | int) and not isinstance(read_, bool) and str(read_) == new
