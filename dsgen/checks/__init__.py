"""What the schema cannot say: one table of expressions, evaluated here and compiled into the chart.

A row of both worlds uses only what a chart has (`values`, `release`, the helpers of dsgen/templates), so that
`helm install` refuses the same values with the same words; warnings stand in its notes. What needs more than templates
have is a function. Each module of this package has the rows and functions of one subject.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dsgen import deepspeed
from dsgen.checks import code, contexts, launch, names, network, pods, scheduling, security, storage, training
from dsgen.checks.evaluation import groups
from dsgen.checks.row import Check, Function, Place
from dsgen.diagnostics import Diagnostic
from dsgen.nodes import Path, path_text
from dsgen.validate import Problem

__all__ = ["CHECKS", "FUNCTIONS", "IN_CHART", "LOOKS_AT", "Check", "run"]

SUBJECTS = (names, training, launch, code, pods, storage, network, scheduling, contexts, security)
CHECKS: tuple[Check, ...] = tuple(row for subject in SUBJECTS for row in subject.ROWS)
FUNCTIONS: tuple[Function, ...] = (
    *pods.FUNCTIONS,
    *storage.FUNCTIONS,
    *training.FUNCTIONS,
    *network.FUNCTIONS,
    deepspeed.problems,
)
IN_CHART = {row.id for row in CHECKS if row.worlds == "both" and row.severity == "error"}
"""The ids of what a chart refuses with the same words."""
OF_NAMES = ("DS204", "DS205", "DS241", "DS276", "DS340")


def _keys(row: Check) -> set[Path]:
    texts = (row.when, *row.loops, *(f"values.{key}" for key in row.given))
    found = (key for text in texts for key in re.findall("values[.]([A-Za-z.]*[A-Za-z])", text))
    return {tuple(key.split(".")) for key in found}


LOOKS_AT: dict[str, tuple[Path, ...]] = {"DS265": deepspeed.PROCESSES}
"""What a problem depends on beyond its own key, where it would be wrong to tell it while that is not known."""
for _row in CHECKS:
    LOOKS_AT[_row.id] = (*LOOKS_AT.get(_row.id, ()), *sorted(_keys(_row)))

_GROUPS = groups(row for row in CHECKS)


def run(values: Mapping[str, Any], release: Mapping[str, str], place: Place) -> list[Problem]:
    """All problems of complete values (checked by the schema, filled), for a release's `name` and `namespace`.

    Where the name is not known yet, the rows about names are left out.
    """
    found = [
        (path, Diagnostic(row.id, text, place(path, row.at_key), path_text(path), row.hint, row.severity))
        for group in _GROUPS
        for row, path, text in group.findings(values, release)
        if release["name"] or row.id not in OF_NAMES
    ]
    for function in FUNCTIONS:
        found.extend(function(values, release, place))
    return found
