"""From a script that was read to values; a script or a command line without a queue is a source itself."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.environment import write_exported
from dsgen.importers.facts import Fact, JobSize, Role
from dsgen.importers.files import WrittenFiles
from dsgen.importers.images import NO_IMAGE
from dsgen.importers.launch import write_launch
from dsgen.importers.launchers import parse_launch_command
from dsgen.importers.remarks import Remarks
from dsgen.importers.secrets import is_secret
from dsgen.importers.shell.commands import WRAPPERS, Wrapper
from dsgen.importers.shell.reading import Launch
from dsgen.importers.shell.syntax import find_units
from dsgen.importers.statements import (
    AFTER,
    PREPARES_HINT,
    ChosenScript,
    fill_count,
    make_signature,
    read_script,
    refuse_syntax_error,
    write_events,
)
from dsgen.importers.texts import Text, UnknownPart
from dsgen.reading.nodes import SourceText

SET_HINT = "give it with --set"
OF_MPI = Wrapper(why="dsgen starts the launcher on all workers")
"""mpirun, if it starts the launcher of each node."""
NOT_CHOSEN = "it is another command line than the one that was chosen"
LEFTOVERS = re.compile(
    r"\bSLURM_\w+|\b(?:srun|scontrol|singularity|apptainer|shifter)\b(?=\s)|\bmodule (?:load|use|purge)\b|\{\{"
    r"|\$\{(?![A-Za-z_#!@*\d])"
)
"""What only the old cluster has."""
OF_SLURM = "Slurm sets it in some jobs only, such as arrays and restarts; it is taken as unset"
PREPARES = "it is a program that runs before the training"
BACKGROUND = re.compile(r"^/(dev|proc|sys|etc|usr|bin|sbin|lib|lib64|opt|tmp|var|run|root|app|job)(/|$)")
"""Folders that belong to an image or to the system."""
CLAIM = "write the claim that has these files"


def write_script(conversion: Conversion, script: ChosenScript, world: JobSize, text: Text) -> None:
    """Fill the values from a script, and account for all of its statements."""
    mounted = {path: (text, text) for path, text in conversion.mounted.items() if posixpath.basename(path)}
    files = WrittenFiles({**mounted, **script.reading.files})
    launch = script.launch
    _drop_wrappers(conversion, launch)
    if at := conversion.atlas.locate(launch.statement):
        for key in ("training", "launch"):
            conversion.follow(conversion.remarks.get(at.file, Remarks()), at.line, key)
    write_launch(conversion, script.started, world, files, launch.loops)
    _lose_words(conversion, launch)
    conversion.decided = conversion.decided or at
    _write_folder(conversion, launch, world)
    setup = write_events(conversion, script, world)
    for name, value in launch.prefix.items():
        statement = value if value else launch.statement
        if name in _list_unknown(conversion, launch.words):
            conversion.lose(statement, f"the command line needs the value that ${name} has before", SET_HINT)
        elif not fill_count(conversion, name, value, statement):
            line = write_exported(conversion, name, value, statement, launch.words)
            setup += [line] if line else []
    _write_setup(conversion, setup)
    files.lose_unused(conversion, mounted)
    _report_others(conversion, script)
    _report_guesses(conversion, script)
    if world.is_batch:
        _add_claims(conversion)
    if not conversion.is_container:
        conversion.facts.workers = _make_role(conversion, launch)
    lose_unread(conversion, text)
    _lose_leftovers(conversion, launch)


def _lose_words(conversion: Conversion, launch: Launch) -> None:
    """Name the words of the command line that are neither in the values nor in the report."""
    for word in launch.words:
        known = (first in word.places or first <= word.places[0] <= last for first, last in conversion.accounted)
        if word.places and not any(known):
            conversion.lose(
                word, "dsgen does not know what it is for", "see whether the training needs it", is_part=True
            )


def _lose_leftovers(conversion: Conversion, launch: Launch) -> None:
    """Name what belongs to the old cluster and is in the values all the same."""
    draft = conversion.draft
    training = {key: value for key, value in (draft.get("training") or {}).items() if key != "files"}
    texts = [*_list_texts(training), *_list_texts(draft.get("launch.command") or [])]
    named = " ".join(
        [*(one.source for one in conversion.ledger.entries if one.fate == "lost"), *training.get("env", {})]
    )
    found = [match[0] for text in texts for match in LEFTOVERS.finditer(text)]
    for word in dict.fromkeys(found):
        if word not in named:
            conversion.lose(launch.statement, f"{word} is in the values, and only the old cluster has it", is_part=True)


def _report_guesses(conversion: Conversion, script: ChosenScript) -> None:
    """Name the defaults that were used, and the words of the command line that may be others in bash."""
    for default in script.reading.scope.defaults:
        shown = Text(f"${{{default.name}}}", [default.place] * (len(default.name) + 3))
        used = conversion.atlas.format_text(default.value)
        if default.name.startswith("SLURM_"):
            conversion.lose(shown, OF_SLURM, "see whether the training needs it", is_part=True)
        else:
            conversion.drop(shown, f"{default.name} is not set in the script: its default {used} is used", is_part=True)
    for word in script.launch.words:
        if word.places and (why := script.reading.scope.doubts.get(word.places[0])):
            conversion.lose(word, why, "write the names themselves", is_part=True)


def _list_unknown(conversion: Conversion, words: Sequence[Text]) -> set[str]:
    """The variables of a command line whose values are not known."""
    parts = (one for word in words for one in conversion.atlas.list_unknowns(word))
    return {one.name for one in parts if one.kind in ("variable", "unclear")}


def _make_role(conversion: Conversion, launch: Launch) -> Role:
    """The environment of the command line, for the comparison."""
    role = Role()
    for name, (value, _) in launch.exported.items():
        if isinstance(value, Text) and value.is_known and not is_secret(name, value.chars):
            role.env[name] = Fact(value.chars, f"{name}=")
    for name, value in launch.prefix.items():
        if value.is_known and not is_secret(name, value.chars):
            role.env[name] = Fact(value.chars, conversion.atlas.format_text(value))
    return role


def _drop_wrappers(conversion: Conversion, launch: Launch) -> None:
    for name, words in launch.wrappers:
        wrapper = WRAPPERS.get(name, OF_MPI)
        if name in ("srun", "singularity", "apptainer"):
            continue  # the origin reads their options
        for word in words:
            if wrapper.lost:
                conversion.lose(word, wrapper.lost, wrapper.hint, is_part=True)
            else:
                conversion.drop(word, wrapper.why, is_part=True)


def _write_folder(conversion: Conversion, launch: Launch, world: JobSize) -> None:
    """The folder in which the training starts."""
    folder = launch.folder
    if folder is None or folder.chars in (".", ""):
        return
    path = posixpath.normpath(folder.chars) if folder.is_known else conversion.atlas.format_text(folder)
    if path.startswith("/") and path != "/":
        conversion.draft.set("training.workingDir", path)
    elif world.is_batch and path not in (".", "/"):
        why = "write the absolute path of this folder in the image or on a volume"
        conversion.draft.set_hole("training.workingDir", path, why)


def _write_setup(conversion: Conversion, lines: Sequence[str]) -> None:
    lines = list(dict.fromkeys(lines))
    before = conversion.draft.get("training.setup", "")
    if lines:
        text = "\n".join([*before.splitlines(), *lines])
        conversion.draft.set("training.setup", text + "\n" if "\n" in text else text)


def _report_others(conversion: Conversion, script: ChosenScript) -> None:
    """Command lines that were not chosen: they prepare the training, follow it, or are the same on other nodes."""
    chosen = make_signature(conversion, script.started)
    for other in script.others:
        if other.statement.places == script.launch.statement.places:
            continue
        if make_signature(conversion, parse_launch_command(other.words, conversion.atlas)) == chosen:
            conversion.drop(other.statement, "it is the same command line for another node")
        elif _is_after(script, other) and other.rank < script.launch.rank:
            conversion.lose(other.statement, AFTER, "run it as a job of its own")
        elif other.rank < script.launch.rank:
            conversion.lose(other.statement, PREPARES, PREPARES_HINT)
        else:
            conversion.lose(other.statement, NOT_CHOSEN, "import it with its own line")


def _is_after(script: ChosenScript, other: Launch) -> bool:
    launches = script.reading.launches
    return launches.index(other) > launches.index(script.launch)


def _add_claims(conversion: Conversion) -> None:
    """A volume for each top folder of the cluster that the job names, with a hole for its claim."""
    data = conversion.draft.data
    texts = [*_list_texts(data.get("training", {})), *_list_texts(data.get("launch", {}).get("command", []))]
    mounted = [one.get("mountPath", "") for one in data.get("storage", {}).values()]
    for text in texts:
        for path in re.findall(
            r"(?<![\w/.~$}:*-])(/[A-Za-z0-9_][\w.-]*)(?:/[\w.+-]+)+/?|(?<=^)(/[A-Za-z0-9_][\w.-]*)$", text
        ):
            top = path[0] or path[1]
            if BACKGROUND.match(top) or any(top == one or one.startswith(top + "/") for one in mounted):
                continue
            mounted.append(top)
            name = re.sub(r"[^a-z0-9]+", "-", top.lower()).strip("-")[:20].strip("-") or "data"
            why = f"{CLAIM}: {top} is a folder of the cluster"
            conversion.draft.set_hole(("storage", name), {"mountPath": top, "existingClaim": ""}, why)


def _list_texts(data: object) -> list[str]:
    if isinstance(data, str):
        return [data]
    if isinstance(data, dict):
        return [text for value in data.values() for text in _list_texts(value)]
    return [text for value in data for text in _list_texts(value)] if isinstance(data, list) else []


def lose_unread(conversion: Conversion, text: Text) -> None:
    """Name what nothing above accounted for, so that nothing of a script is silent."""
    known = list(conversion.accounted)
    for unit in find_units(text, conversion.atlas):
        start, end = unit.places[0], unit.places[-1]
        if not any(start <= first <= end or first <= start <= last for first, last in known):
            conversion.lose(unit, "dsgen does not understand it", "see whether the training needs it")


RUNTIME = {
    **dict.fromkeys(("NNODES", "NUM_NODES", "PET_NNODES"), "NNODES"),
    **dict.fromkeys(("NODE_RANK", "PET_NODE_RANK", "MACHINE_RANK"), "NODE_RANK"),
    **dict.fromkeys(("NPROC_PER_NODE", "PET_NPROC_PER_NODE", "GPUS_PER_NODE"), "NPROC_PER_NODE"),
}
"""Variables that scripts expect from whoever starts them, which dsgen provides."""


def make_variables(conversion: Conversion) -> dict[str, Text]:
    """The variables of a script that is started by hand on each node."""
    known = {name: conversion.atlas.add_unknown(UnknownPart("runtime", to), ()) for name, to in RUNTIME.items()}
    return {**known, "MASTER_ADDR": conversion.atlas.add_unknown(UnknownPart("hosts", "MASTER_ADDR"), ())}


def convert(source: SourceText, conversion: Conversion) -> None:
    """One script. Raises ImportRefusedError if it cannot be converted."""
    refuse_syntax_error(source.name, source.text)
    text = conversion.atlas.add_file(source.name, source.text)
    conversion.note_remarks(text)
    name = posixpath.basename(source.name)
    script = read_script(conversion, text, make_variables(conversion), name)
    stem = re.sub(r"(\.(sh|bash|txt))+$", "", name)
    if found := as_dns_name(stem) if stem != "<stdin>" else "":
        conversion.draft.set("name", found)
        conversion.draft.add_comment("name", "the name of the script")
    write_script(conversion, script, JobSize(is_batch=True), text)
    if not conversion.draft.get("image.repository"):
        conversion.draft.set_hole("image.repository", "", NO_IMAGE)
