"""The command line: what its words mean, and the commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; returns the exit code."""
    from dsgen.cli import _shared
    from dsgen.cli._arguments import known

    if found := known(arguments):
        return _shared.run(lambda: _shared.call(*found))
    from dsgen.cli import _program  # click

    return _program.run(_program.dsgen, arguments)
