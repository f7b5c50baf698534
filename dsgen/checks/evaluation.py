"""Evaluates rows: the functions that `make generate` writes of them find paths and messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dsgen.checks.gaps import Watch
from dsgen.checks.row import Check
from dsgen.problems.diagnostics import Path

Find = Callable[[Mapping[str, Any], Mapping[str, str], Watch], Iterator[tuple[Path, str]]]


def findings(
    rows: Sequence[Check], values: Mapping[str, Any], release: Mapping[str, str], watch: Watch
) -> Iterator[tuple[Check, Path, str]]:
    """Each of all rows that has found something without a look at a gap, the path that it names, and its message."""
    from dsgen.generated.checks import ROWS  # not at the head: the compiler, which writes it, reads the rows too

    functions: Sequence[Find] = ROWS
    for row, function in zip(rows, functions, strict=True):
        watch.start()
        for path, message in function(values, release, watch):
            if not watch.missed:
                yield row, path, message
