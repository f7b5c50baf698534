"""Evaluates rows with the functions that `make generate` writes for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dsgen.checks.gaps import Watch
from dsgen.problems.diagnostics import KeyPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dsgen.checks.row import Check

    Find = Callable[[Mapping[str, Any], Mapping[str, str], Watch], Iterator[tuple[KeyPath, str]]]


def findings(
    rows: Sequence[Check], values: Mapping[str, Any], release: Mapping[str, str], watch: Watch
) -> Iterator[tuple[Check, KeyPath, str]]:
    """For each problem that does not depend on an unknown value: its row, path and message."""
    from dsgen.generated.checks import ROWS  # imported late: the compiler that writes it imports the rows

    functions: Sequence[Find] = ROWS
    for row, function in zip(rows, functions, strict=True):
        watch.start()
        for path, message in function(values, release, watch):
            if not watch.was_read:
                yield row, path, message
