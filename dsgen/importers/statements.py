"""Reads a script: chooses the command line that starts the training, and finds what other statements mean for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import refuse_private
from dsgen.importers.environment import AMBIENT, OWN, WORKER_SHELL, ask_for_variable, format_word, write_exported
from dsgen.importers.facts import JobSize
from dsgen.importers.launch import as_number
from dsgen.importers.launchers import LaunchCommand, parse_launch_command
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.secrets import holds_secret, is_secret_name
from dsgen.importers.shell.reading import Launch, Reading, ScriptEvent
from dsgen.importers.shell.reading import read_script as read_shell_script
from dsgen.importers.shell.scope import ShellScope
from dsgen.importers.shell.syntax import find_mistake
from dsgen.importers.texts import Text, UnknownPart, is_private
from dsgen.problems import Position


@dataclass
class ChosenScript:
    """A script, and the command line in it that starts the training.

    started: how it does. launch: the statement. reading: everything else.
    """

    reading: Reading
    launch: Launch
    started: LaunchCommand
    others: list[Launch] = field(default_factory=list)


def read_script(
    conversion: Conversion, text: Text, runtime: Mapping[str, Text], name: str = "", own_host: str = "HOSTNAME"
) -> ChosenScript:
    """Read a script and choose its launch. Raises ImportRefusedError if there is none, or more than one.

    own_host: which host the script itself runs on: the first one, or each.
    """
    scope = ShellScope(conversion.atlas, runtime, conversion.read_variables(), name=name, own_host=own_host)
    positional = {number: value for number, value in scope.given.items() if number.isdigit()}
    if positional:
        count = max(map(int, positional))
        scope.arguments = [positional.get(str(index), Text()) for index in range(1, min(count, 99) + 1)]
    helpers = {file: conversion.atlas.add_file(file, content) for file, content in conversion.options.helpers.items()}
    reading = read_shell_script(conversion.atlas, scope, text, helpers)
    return choose_launch(conversion, reading, text)


def choose_launch(conversion: Conversion, reading: Reading, text: Text) -> ChosenScript:
    """The launch of a script. Raises ImportRefusedError if there is none, or more than one."""
    launches = reading.launches
    at = conversion.atlas.locate(text) or Position(conversion.file, 1, 1)
    line = conversion.options.line
    if line:
        launches = [one for one in launches if _find_line(conversion, one) == line]
    if not launches and reading.blocked:
        statement, part = reading.blocked[0]
        hint = f"--set {part.name}=VALUE" if re.match("[A-Za-z_]", part.name) else "write the program itself"
        raise ImportRefusedError(
            f"it starts {part.shell}, which dsgen does not compute", conversion.atlas.locate(statement) or at, hint
        )
    if not launches:
        words = f" on line {line}" if line else ""
        raise ImportRefusedError(
            f"dsgen finds no command in the script{words} that starts a training", at,
            "give the script that calls deepspeed, torchrun or srun",
        )  # fmt: skip
    best = max(one.rank for one in launches)
    strong = [one for one in launches if one.rank == best]
    strong = [one for one in strong if one.is_certain] or strong
    started = [parse_launch_command(one.words, conversion.atlas) for one in strong]
    first = make_signature(conversion, started[0])
    if any(make_signature(conversion, one) != first for one in started[1:]):
        _refuse_several(conversion, strong)
    others = [one for one in reading.launches if one is not strong[0]]
    return ChosenScript(reading, strong[0], started[0], others)


def _find_line(conversion: Conversion, launch: Launch) -> int:
    at = conversion.atlas.locate(launch.statement)
    return at.line if at else 0


def _refuse_several(conversion: Conversion, launches: Sequence[Launch]) -> None:
    lines = list(dict.fromkeys(_find_line(conversion, one) for one in launches))
    at = conversion.atlas.locate(launches[0].statement)
    assert at is not None
    if len(lines) == 1:
        is_loop = len({one.words[0].places[0] for one in launches}) == 1
        what = "a loop starts several trainings" if is_loop else "a line starts several programs"
        raise ImportRefusedError(what, at, "take one of them into a script of its own")
    listed = ", ".join(map(str, lines[:12]))
    raise ImportRefusedError(
        f"several commands start trainings, on lines {listed}", at, f"choose one by its line, as in --line {lines[0]}"
    )


def make_signature(conversion: Conversion, started: LaunchCommand) -> tuple[object, ...]:
    """What must be equal in command lines that differ only in the rank of the node."""
    words = started.program or started.command
    kept = tuple(_mask_unknowns(conversion, word) for word in words)
    nodes = started.facts.get("nodes", Text()).chars, started.facts.get("slots", Text()).chars
    return started.launcher, started.form, kept, nodes


def _mask_unknowns(conversion: Conversion, word: Text) -> str:
    return "".join(
        piece if isinstance(piece, str) else f"<{piece.kind}:{piece.name}>"
        for piece in conversion.atlas.split_pieces(word)
    )


def refuse_syntax_error(name: str, text: str) -> None:
    """Refuse a script that bash refuses, with its line."""
    refuse_private(text, name)
    found = find_mistake(text)
    if found:
        line, words = found
        raise ImportRefusedError(f"bash cannot read the script: {words}", Position(name, line, 1))


ONCE = re.compile(r"(wget|curl|git|tar|unzip|ln|chmod)\b")
"""Commands that prepare a cluster once, and not each container."""
AFTER = "it stands after the command line"


PREPARES_HINT = "run it once as a job of its own, or in workers.initContainers if every worker needs it"


IN_LINE = "its value is in the command line"


IN_FILE = "its value is in a file that the script writes"


UNUSED = "the command line does not use it"


VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")
COUNTS = {
    **dict.fromkeys(("NNODES", "NUM_NODES", "N_NODES", "NUM_MACHINES"), "workers.replicas"),
    **dict.fromkeys(("NPROC_PER_NODE", "GPUS_PER_NODE", "NUM_GPUS", "N_GPUS", "NGPUS"), "workers.slots"),
}
"""Variables with numbers that launchers read, such as that of LLaMA-Factory."""


@dataclass
class _Statements:
    """What the statements of a script become. lines: of training.setup. loaded: what the image must contain."""

    conversion: Conversion
    script: ChosenScript
    world: JobSize
    final: Mapping[str, ScriptEvent]
    prepares: bool
    lines: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def write(self, event: ScriptEvent, is_before: bool) -> None:
        """Account for one statement; is_before: it stands before the command line."""
        conversion = self.conversion
        if event.kind == "outside":
            _report_outside(conversion, event, self.script, is_before)
        elif event.name == "mkdir" and is_before and isinstance(event.value, list):
            self._write_folders(event, event.value)
        elif event.kind in ("dropped", "lost", "file") or (event.kind == "sourced" and self.world.is_batch):
            _report(conversion, event)
        elif event.name == "set" and not (self.prepares and is_before):
            conversion.drop(event.text, event.why)
        elif not is_before and event.kind == "setup":
            conversion.lose(event.text, AFTER, "run it as a job of its own")
        elif not is_before:
            conversion.drop(event.text, AFTER)
        else:
            self._write_before(event)

    def _write_before(self, event: ScriptEvent) -> None:
        if event.kind == "slots":
            _write_slots(self.conversion, event)
        elif event.kind in ("loaded", "sourced", "setup") and self._has_variables(event):
            _write_preparation(self.conversion, event, self.world, self.lines, self.loaded)
        elif event.kind == "folder":
            _write_folder(self.conversion, event, self.script, self.world, self.lines)
        else:
            is_exported = event.name in self.script.launch.exported
            is_last = self.final.get(event.name) is event
            _write_variable(self.conversion, event, self.script, self.lines, is_exported, is_last)

    def _write_folders(self, event: ScriptEvent, words: list[Text]) -> None:
        """mkdir: a line of training.setup if the command line or the environment names the folder."""
        format_text, launch = self.conversion.atlas.format_text, self.script.launch
        folders = [format_text(word) for word in words[1:] if not word.chars.startswith("-")]
        values = [value for value, _ in launch.exported.values() if isinstance(value, Text)]
        texts = [format_text(one) for one in (*launch.words, *values)]
        if not any(folder in text for folder in folders for text in texts):
            self.conversion.drop(event.text, "the command line names none of these folders")
            return
        self.lines.append(" ".join(format_word(self.conversion, word, WORKER_SHELL) for word in words))
        self.conversion.map(event.text, "training.setup")

    def _has_variables(self, event: ScriptEvent) -> bool:
        """Whether a pod has the variables of a statement; if not, it is lost, or they are holes."""
        names = {*VARIABLE.findall(event.text.chars)} - {*self.script.launch.exported} - AMBIENT
        own = sorted(names & {*self.script.reading.scope.variables})
        is_loaded = event.kind == "loaded" and self.world.is_batch
        if own and not is_loaded:
            why = f"it uses {', '.join(f'${name}' for name in own)}, which a pod does not have"
            self.conversion.lose(event.text, why, "write it into training.setup with the values")
            return False
        for name in sorted(names if event.kind == "setup" else ()):
            ask_for_variable(self.conversion, UnknownPart("variable", name))
        return True


def write_events(conversion: Conversion, script: ChosenScript, world: JobSize) -> list[str]:
    """Account for the statements; returns the lines of training.setup."""
    before = script.reading.events[: script.launch.after]
    prepares = any(_is_preparation(event, world) for event in before)
    found = _Statements(conversion, script, world, _find_last_exports(before), prepares)
    for index, event in enumerate(script.reading.events):
        found.write(event, index < script.launch.after)
    if world.is_batch and found.loaded:
        shown = [line for text in dict.fromkeys(found.loaded) for line in text.split("\n")[:1]]
        conversion.draft.add_above("image", ["The script gets its programs from:", *(f"  {line}" for line in shown)])
    return found.lines


def _is_preparation(event: ScriptEvent, world: JobSize) -> bool:
    """Whether a statement becomes a line of training.setup, in which `set -e` ends the pod after a mistake."""
    if event.kind in ("loaded", "sourced"):
        return not world.is_batch
    return event.kind == "setup" and event.name != "set" and not (world.is_batch and ONCE.match(event.text.chars))


def _find_last_exports(events: Sequence[ScriptEvent]) -> dict[str, ScriptEvent]:
    """The event that set each variable last."""
    return {event.name: event for event in events if event.kind in ("exported", "assigned")}


def _write_variable(
    conversion: Conversion, event: ScriptEvent, script: ChosenScript, lines: list[str], is_exported: bool, is_last: bool
) -> None:
    if not is_exported:
        words = [*script.started.program, *script.started.command, *(note.word for note in script.started.notes)]
        files = [content for _, content in script.reading.files.values()]
        why = IN_LINE if _is_used(event, words) else IN_FILE if _is_used(event, files) else UNUSED
        conversion.drop(event.text, why)
        return
    if not is_last:
        conversion.drop(event.text, "it is set again later")
        return
    value = script.launch.exported[event.name][0]
    if fill_count(conversion, event.name, value, event.text):
        return
    words = [*script.started.program, *script.started.command, *(note.word for note in script.started.notes)]
    line = write_exported(conversion, event.name, value, event.text, words)
    if line:
        lines.append(line)


def _is_used(event: ScriptEvent, texts: Sequence[Text]) -> bool:
    """Whether one of these texts has the value of a variable."""
    values = event.value if isinstance(event.value, list) else [event.value]
    places = {place for value in values for place in value.places}
    return any(place in places for text in texts for place in text.places)


def _write_slots(conversion: Conversion, event: ScriptEvent) -> None:
    """A hostfile that the script writes: dsgen's has as many slots."""
    slots = as_number(event.value if isinstance(event.value, Text) else None)
    if slots and conversion.draft.get("workers.slots") in (None, 0):
        _fill_hole(conversion, "workers.slots", slots)
    nodes = int(event.name) if event.name.isdigit() else None
    if nodes and conversion.draft.get("workers.replicas") in (None, 0):
        _fill_hole(conversion, "workers.replicas", nodes)
    conversion.drop(event.text, event.why)


def fill_count(conversion: Conversion, name: str, value: Text | list[Text], statement: Text) -> bool:
    """Fill a hole for a number of workers or processes from a variable of the environment, if it is one."""
    key, count = COUNTS.get(name, ""), as_number(value if isinstance(value, Text) else None)
    if not (key and count and conversion.draft.get(key) == 0):
        return False
    _fill_hole(conversion, key, count)
    conversion.map(statement, key)
    return True


def _fill_hole(conversion: Conversion, key: str, value: int) -> None:
    """Set a key that was a hole."""
    draft = conversion.draft
    draft.holes = [hole for hole in draft.holes if hole.key != key]
    draft.comments.pop(tuple(key.split(".")), None)
    draft.set(key, value)


def _report_outside(conversion: Conversion, event: ScriptEvent, script: ChosenScript, is_before: bool) -> None:
    """A statement that dsgen does not follow: lost if the training may need what it does."""
    launch, atlas = script.launch, conversion.atlas
    values = [value for name, (value, _) in launch.exported.items() if not OWN.fullmatch(name)]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    texts += [*launch.words, *launch.prefix.values(), *([launch.folder] if launch.folder else [])]
    needed = {one.name for text in texts for one in atlas.list_unknowns(text) if one.kind == "unclear"} & event.names
    names = sorted(needed if needed and is_before else event.names)
    if needed and is_before:
        listed = ", ".join(f"${name}" for name in names[:8])
        hint = "write what applies into the values" if is_secret_name(names[0]) else f"--set {names[0]}=VALUE"
        conversion.lose(event.text, f"{event.why}: what it does to {listed} is not known", hint)
    elif event.name or not names:
        conversion.lose(event.text, event.why, "see whether the training needs the commands in it")
    else:
        conversion.drop(event.text, f"the command line uses nothing that it sets: {', '.join(names[:8])}")


def _report(conversion: Conversion, event: ScriptEvent) -> None:
    if event.kind == "dropped":
        conversion.drop(event.text, event.why)
    elif event.kind != "file":
        conversion.lose(event.text, event.why, event.hint)


def _write_preparation(
    conversion: Conversion, event: ScriptEvent, world: JobSize, lines: list[str], loaded: list[str]
) -> None:
    """A command that prepares a container: in a pod it is setup; on a cluster, what it loads is in the image."""
    if world.is_batch and event.kind == "loaded":
        loaded.append(conversion.atlas.format_text(event.text))
        conversion.drop(event.text, "the image has to contain what it loads; it is a comment at image")
    elif world.is_batch and ONCE.match(event.text.chars):
        conversion.lose(event.text, "it runs once, before the training", PREPARES_HINT)
    else:
        _add_setup_line(conversion, event, lines)


def _write_folder(
    conversion: Conversion, event: ScriptEvent, script: ChosenScript, world: JobSize, lines: list[str]
) -> None:
    """`cd`: the folder of the training, or of the commands in setup."""
    folder = conversion.draft.get("training.workingDir")
    if (
        not world.is_batch
        and isinstance(event.value, Text)
        and not (folder and script.launch.folder is event.value and not lines)
    ):
        _add_setup_line(conversion, event, lines)
        conversion.draft.remove("training.workingDir")
    elif folder:
        conversion.map(event.text, "training.workingDir")
    else:
        conversion.drop(event.text, "the working directory of the image takes its place")


def _add_setup_line(conversion: Conversion, event: ScriptEvent, lines: list[str]) -> None:
    shown = conversion.atlas.format_text(event.text)
    if holds_secret(shown) or any(map(is_private, event.text.chars)):
        conversion.lose(
            event.text, "it may contain a secret", "put the secret into a Secret and read it in training.setup"
        )
        return
    lines.append("\n".join(line.rstrip() for line in shown.split("\n")))
    conversion.map(event.text, "training.setup")
