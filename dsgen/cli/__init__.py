"""The command line: parsing of arguments and options, and the commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run a command line; returns the exit code."""
    from dsgen.cli import _shared
    from dsgen.cli._arguments import known

    if parsed := known(arguments):
        return _shared.run(lambda: _shared.call(*parsed))
    from dsgen.cli import _program  # click

    return _program.run(_program.dsgen, arguments)
