"""What the tests of the importers share: conversions of texts, and what must hold for every one of them."""

from __future__ import annotations

from collections.abc import Iterable

from dsgen import values
from dsgen.importers import ImportedJob, ImportOptions, ImportRefusedError, SourceText, check, import_jobs
from dsgen.importers.arena import join_lines
from dsgen.importers.comparison import fill_holes
from dsgen.importers.documents import read_documents, walk_scalars
from dsgen.importers.draft import as_key_path
from dsgen.importers.ledger import LONGEST, shorten
from dsgen.importers.origins import ORIGINS, recognise
from dsgen.importers.shell.syntax import find_units
from dsgen.importers.texts import SourceMap, Text
from dsgen.problems import Diagnostic, path_text

IN_THE_SOURCE = {"DS383", "DS384", "DS385", "DS387", "DS390", "DS391", "DS392", "DS393", "DS395", "DS399"}
"""Warnings about what the source already does: the importer keeps it."""


def convert(text: str, name: str = "train.sbatch", **options: object) -> ImportedJob:
    """The one job of a source."""
    (job,) = import_jobs([SourceText(name, text)], ImportOptions(**options))  # type: ignore[arg-type]  # fields of Options
    return job


def slurm(body: str, directives: str = "--nodes=2 --gres=gpu:4 --ntasks-per-node=1", **options: object) -> ImportedJob:
    """A script for sbatch with these options and commands, as values."""
    return convert(f"#!/bin/bash\n#SBATCH {directives}\n{body}\n", **{"form": "native", **options})


def shell(text: str, **options: object) -> ImportedJob:
    """A shell script."""
    return convert(f"#!/bin/bash\n{text}\n", "run.sh", **options)


def refused(text: str, name: str = "train.sbatch", **options: object) -> str:
    """The reason why a source is not converted."""
    try:
        convert(text, name, **{"form": "native", **options})
    except ImportRefusedError as error:
        return str(error)
    raise AssertionError("it was converted")


def value(job: ImportedJob, key: str) -> object:
    """A value of a job, None if it is not set."""
    node: object = job.data
    for part in as_key_path(key):
        if isinstance(node, dict):
            node = node.get(part)
        elif isinstance(node, list) and isinstance(part, int) and part < len(node):
            node = node[part]
        else:
            return None
    return node


def command(job: ImportedJob) -> list[object]:
    """training.python, module or exec, with the arguments."""
    program = value(job, "training.python") or value(job, "training.module") or value(job, "training.exec")
    first = program if isinstance(program, list) else [program]
    rest = value(job, "training.args")
    return [*first, *(rest if isinstance(rest, list) else [])]


def fates(job: ImportedJob, fate: str) -> list[str]:
    """What was mapped, dropped or lost."""
    return [entry.source for entry in job.entries if entry.fate == fate]


def holes(job: ImportedJob) -> set[str]:
    """The keys of the holes, but for those that every script has."""
    return {hole.key for hole in job.holes} - {"namespace", "image.repository"}


def look(job: ImportedJob, what: str) -> object:
    """A value, or the command, the holes, or what was lost or dropped."""
    if what in ("command", "holes"):
        return {"command": command, "holes": holes}[what](job)
    return fates(job, what) if what in ("lost", "dropped") else value(job, what)


def problems(job: ImportedJob) -> list[Diagnostic]:
    """What `dsgen validate` says about the values, but for the holes."""
    loaded = values.load([SourceText("values.yaml", job.text)]).problems()
    found = [one for one in loaded if one.id not in IN_THE_SOURCE]
    paths = [as_key_path(hole.key) for hole in job.holes]
    return [one for one in found if not any(one.path[: len(path)] == path[: len(one.path)] for path in paths)]


def unaccounted(text: str, jobs: Iterable[ImportedJob], name: str = "train.sbatch") -> list[str]:
    """Scalars of a YAML file, or statements of a script, that no report names; and scalars that are named twice."""
    entries = [entry for job in jobs for entry in job.entries]
    found = recognise(SourceText(name, text))[0][0]
    if not isinstance(found.source, SourceText):
        places = [
            (shorten(path_text((*one.path, *path)) or "."), node.position)
            for one in read_documents(SourceText(name, text))
            for path, node in walk_scalars(one.root)
        ]
        named = [(entry.source, entry.position) for entry in entries]
        return [f"{named.count(one)} entries for {one}" for one in places if named.count(one) != 1]
    source_map = SourceMap()
    is_line = ORIGINS[found.origin].form == "line"
    whole = source_map.add_file(name, text)
    whole = Text(join_lines(text), whole.places) if is_line else whole
    missing = []
    for unit in find_units(whole, source_map):
        start, end = source_map.resolve_place(unit.places[0]), source_map.resolve_place(unit.places[-1])
        inside = [
            one
            for one in entries
            if (start.line, start.column) <= (one.position.line, one.position.column) <= (end.line, end.column)
        ]
        covering = [
            one
            for one in entries
            if one.position.line <= start.line and len(one.source) > min(len(unit.chars) // 2, LONGEST - 20)
        ]
        if not inside and not covering:
            missing.append(unit.chars)
    return missing


def unfounded(job: ImportedJob) -> list[str]:
    """Keys that the report names for a part of the source, and that the values do not have."""
    whole = values.complete_values(fill_holes(job))
    found = []
    for entry in job.entries:
        node: object = whole
        for part in as_key_path(entry.to) if entry.fate == "mapped" else ():
            if isinstance(node, dict) and part in node:
                node = node[part]
            elif not isinstance(node, list) and entry.to not in ("workers.accelerator.count",):
                found.append(f"{entry.source} -> {entry.to}")
                break
    return found


def unexplained(job: ImportedJob) -> list[str]:
    """Differences between the source and the rendered objects that have no reason."""
    return [f"{one.role} {one.subject}: {one.source!r} -> {one.result!r}" for one in check(job) if not one.why]
