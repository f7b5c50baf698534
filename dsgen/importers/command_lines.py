"""Understands a whole command line that starts a training."""

from __future__ import annotations

from collections.abc import Sequence

from dsgen.importers.launchers import (
    LAUNCHERS,
    MPI,
    OTHER_MPI,
    WORKERS,
    Note,
    Started,
    apply_rule,
    as_bare_name,
    find_launcher,
    is_python,
    read_options,
    read_program,
    take_program,
)
from dsgen.importers.texts import Atlas, Text
from dsgen.importers.worker_lines import read_worker_line


def understand(words: Sequence[Text], atlas: Atlas) -> Started:
    """How a command line starts a training."""
    found = find_launcher([atlas.format_text(word) for word in words])
    if not found:
        return read_program(list(words), Started("python" if is_python(words[0]) else "", "torchrun"))
    name, count = found
    launcher = LAUNCHERS[name]
    started = Started(name, launcher.method, passes_local_rank=launcher.passes_local_rank)
    if launcher.method == WORKERS:
        read_worker_line(list(words), count, launcher, started, atlas)
        return started
    started.notes += [Note(word, "mapped", "launch.method") for word in words[:count]]
    rest = list(words[count:])
    for rule, option, values in read_options(rest, launcher):
        apply_rule(rule, option, values, started)
    is_hydra = {"ppn", "genv", "env", "f", "iface"} & {as_bare_name(note.word.chars) for note in started.notes}
    started.is_other_mpi = launcher is MPI and (bool(is_hydra) or name in OTHER_MPI)
    take_program(rest, started)
    return started
