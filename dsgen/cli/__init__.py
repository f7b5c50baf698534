"""The command line. `main` runs it; each command `x` is in the module `x`."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from dsgen.cli._console import describe_bug, echo_error, echo_usage_error
from dsgen.cli._group import dsgen
from dsgen.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, DsgenError


def main(arguments: Sequence[str], program: click.Command = dsgen) -> int:
    """Run a command line and return the exit code; every error becomes a message on standard error."""
    try:
        code: int | None = program.main([*arguments], prog_name="dsgen", standalone_mode=False)
    except click.ClickException as error:
        echo_usage_error(error)
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except DsgenError as error:
        if error.lines:
            echo_error(*error.lines)
        return error.exit_code
    except OSError as error:
        where = os.path.normpath(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else None
        echo_error(f"{where}: {error.strerror}" if where else str(error))
        return EXIT_FAILED
    except Exception as error:  # a bug in dsgen becomes a message, too
        echo_error(describe_bug(error))
        return EXIT_FAILED
    return code or EXIT_OK
