"""All that the program prints. Messages are escaped here, line by line; data is written as it is.

Data is what a command was asked for, for other programs or for a file: manifests, values, schemas, reports. Nothing
else in the package writes to standard output or standard error (tests/test_layers.py).
"""

from __future__ import annotations

import errno
import os
import sys

from dsgen.errors import DsgenError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

EXIT_PIPE_CLOSED = 141  # 128 + SIGPIPE: who read the output went away


def emit(data: str | bytes) -> None:
    """Write data to standard output, text always in UTF-8; a reader that went away ends the program."""
    if sys.stdout is None:
        raise DsgenError("cannot write to standard output: it is closed")
    try:
        sys.stdout.buffer.write(data if isinstance(data, bytes) else data.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The interpreter's own last flush must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_PIPE_CLOSED)
    except OSError as error:
        raise DsgenError(f"cannot write to standard output: {error.strerror}") from error


def say(lines: Iterable[str]) -> None:
    """Write lines of a message to standard output."""
    emit(_escaped(lines))


def _escaped(lines: Iterable[str]) -> str:
    from dsgen.problems.escaping import line  # what prints data alone does without

    return "".join(f"{line(each)}\n" for each in lines)


def ask(lines: Iterable[str], question: str) -> bool | None:
    """Write lines to standard error, then ask there; None where no terminal can answer."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    tell(_escaped(lines))
    import click

    return click.confirm(_escaped([question]).rstrip("\n"), err=True)


def complain(*lines: str) -> None:
    """Write an error that ends the program to standard error."""
    tell(_escaped(("dsgen: " + (lines or ("",))[0], *lines[1:])))


def complain_of_usage(error: click.ClickException) -> None:
    """What click found wrong: its words have the words of the command line in them."""
    import click

    message, context = error.format_message(), getattr(error, "ctx", None)
    if isinstance(context, click.Context):
        if message == context.get_help():  # there were no arguments at all
            return tell(f"{message}\n")
        tell(f"{context.get_usage()}\nTry '{context.command_path} {context.help_option_names[0]}' for help.\n\n")
    return tell(_escaped([f"Error: {message}"]))


def complain_of_bug() -> None:
    """The traceback of the exception at hand."""
    import traceback

    tell(_escaped(traceback.format_exc().splitlines()))


def tell(text: str) -> None:
    """Write text that is escaped already to standard error."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(text)
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise


def page(text: str) -> None:
    """Show a page of the documentation, by the pager where standard output is a terminal."""
    if on_terminal():
        import click

        click.echo_via_pager(text)
    else:
        emit(text)


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def color() -> bool:
    """Whether standard error is a terminal whose user wants colour; NO_COLOR and FORCE_COLOR of the environment win."""
    if os.environ.get("NO_COLOR") or sys.stderr is None:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or told_on_terminal()


def told_on_terminal() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()
