"""Reads a script, and chooses the command line in it that starts the training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dsgen.importers.command_lines import understand
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import refuse_private
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.launchers import Started
from dsgen.importers.shell.reading import Launch, Reading
from dsgen.importers.shell.reading import read_script as read_shell_script
from dsgen.importers.shell.scope import Scope
from dsgen.importers.shell.syntax import find_mistake
from dsgen.importers.texts import Text
from dsgen.problems import Position


@dataclass
class ChosenScript:
    """A script, and the command line in it that starts the training.

    started: how it does. launch: the statement. reading: everything else.
    """

    reading: Reading
    launch: Launch
    started: Started
    others: list[Launch] = field(default_factory=list)


def read_script(
    conversion: Conversion, text: Text, runtime: Mapping[str, Text] | None = None, name: str = ""
) -> ChosenScript:
    """Read a script and choose its launch. Raises ImportRefusedError if there is none, or more than one."""
    scope = Scope(conversion.atlas, runtime or {}, conversion.read_variables(), name=name)
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
    if not launches:
        words = f"no command that starts a training on line {line}" if line else "no command that starts a training"
        raise ImportRefusedError(
            f"the script has {words}", at, "give the script that calls deepspeed, torchrun or srun"
        )
    best = max(one.rank for one in launches)
    strong = [one for one in launches if one.rank == best]
    strong = [one for one in strong if one.is_certain] or strong
    started = [understand(one.words, conversion.atlas) for one in strong]
    first = make_signature(conversion, started[0])
    if any(make_signature(conversion, one) != first for one in started[1:]) or strong[0].is_repeated:
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


def make_signature(conversion: Conversion, started: Started) -> tuple[object, ...]:
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
