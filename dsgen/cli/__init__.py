"""The command line: parsing of arguments and options, and the commands."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run a command line; returns the exit code."""
    from dsgen.cli import _shared
    from dsgen.cli._arguments import known

    if parsed := known(arguments):
        return _shared.run(lambda: _shared.call(*parsed))
    from dsgen.cli import _program  # click

    gc.freeze()  # modules stay until the end: no collection has to look at them
    gc.enable()  # some of these commands run for hours
    return _program.run(_program.dsgen, arguments)
