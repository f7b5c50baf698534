"""Recognizes files that are not YAML: scripts, and files with the marks of a merge. One problem says what they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dsgen.problems.diagnostics import Diagnostic, Position

if TYPE_CHECKING:
    from dsgen.reading.nodes import SourceText

MERGE = re.compile(r"^<{7} .*$[\s\S]*^>{7} ", re.MULTILINE)
FROM_A_PRESET = "start from a preset (`dsgen init --list` lists them): "
FROM_A_SCRIPT = "convert it: dsgen import FILE"
SCRIPTS = (
    (re.compile(r"^#SBATCH ", re.MULTILINE), "a batch script of Slurm", FROM_A_SCRIPT),
    (re.compile(r"^#(PBS|BSUB|\$) -", re.MULTILINE), "a batch script", FROM_A_SCRIPT),
    (re.compile(r"\A#![^\n]*python"), "a Python program", f"{FROM_A_PRESET}training.python names the program"),
    (re.compile(r"\A#![^\n]*sh\b"), "a shell script", FROM_A_SCRIPT),
)
"""A pattern of the text, what the file is, and what to do."""


def find_other_format(file: SourceText) -> Diagnostic | None:
    """The one problem of a file that cannot be read as YAML; None if it is not known what the file is."""
    if match := MERGE.search(file.text):
        hint = "resolve the conflict: keep one side or both, and remove the lines with <<<<<<<, ======= and >>>>>>>"
        return Diagnostic("DS017", "the file has the marks of an unresolved merge", _position(file, match), hint=hint)
    for pattern, what, hint in SCRIPTS:
        if match := pattern.search(file.text):
            hint = hint.replace("FILE", file.name)
            return Diagnostic("DS016", f"this is {what}, not a values file", _position(file, match), hint=hint)
    return None


def _position(file: SourceText, match: re.Match[str]) -> Position:
    return Position(file.name, file.text.count("\n", 0, match.start()) + 1, 1)
