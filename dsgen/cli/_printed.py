"""All output of the program. Messages are escaped here, line by line; data is written unchanged.

Data is the output for other programs or files: manifests, values, schemas, reports. No other module writes to standard
output or standard error (tests/test_layers.py).
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from dsgen.errors import DsgenError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

CI_SYSTEMS = ("CI", "TF_BUILD", "TEAMCITY_VERSION", "JENKINS_URL")
"""Variables of CI systems. GitHub, GitLab and many others set CI; Azure Pipelines, TeamCity and Jenkins do not."""
OPTION_HINTS = {
    "--dry-run": "write --dry-run alone; `dsgen render` prints the objects without a cluster",
}
"""What to do about an option that is used wrongly."""
EXIT_PIPE_CLOSED = 141  # 128 + SIGPIPE: the reader of the output has ended


def emit(data: str | bytes) -> None:
    """Write data to standard output, text always in UTF-8; a closed pipe ends the program."""
    if sys.stdout is None:
        raise DsgenError("cannot write to standard output: it is closed")
    try:
        sys.stdout.buffer.write(data if isinstance(data, bytes) else data.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The flush at the end of the interpreter must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_PIPE_CLOSED)
    except OSError as error:
        raise DsgenError(f"cannot write to standard output: {error.strerror}") from error


def say(lines: Iterable[str]) -> None:
    """Write lines of a message to standard output."""
    emit(_escaped(lines))


def tell(lines: Iterable[str]) -> None:
    """Write lines of a message to standard error."""
    write_error(_escaped(lines))


def _escaped(lines: Iterable[str]) -> str:
    from dsgen.problems.escaping import line  # imported late: only messages need it

    return "".join(f"{line(each)}\n" for each in lines)


def ask(lines: Iterable[str], question: str) -> bool | None:
    """Write lines and a question to standard error, and read the answer; None without a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    write_error(_escaped(lines))
    import click

    return click.confirm(_escaped([question]).rstrip("\n"), err=True)


def complain(*lines: str) -> None:
    """Write an error that ends the program to standard error."""
    write_error(_escaped(("dsgen: " + (lines or ("",))[0], *lines[1:])))


def complain_of_usage(error: click.ClickException) -> None:
    """Print an error of click, whose message may contain text of the command line."""
    import click

    message, context = error.format_message(), getattr(error, "ctx", None)
    if isinstance(context, click.Context):
        if message == context.get_help():  # there were no arguments
            return write_error(f"{message}\n")
        write_error(f"{context.get_usage()}\nTry '{context.command_path} {context.help_option_names[0]}' for help.\n\n")
    hint = OPTION_HINTS.get(error.option_name, "") if isinstance(error, click.BadOptionUsage) else ""
    return write_error(_escaped([f"Error: {message}", *([f"  hint: {hint}"] if hint else [])]))


def complain_of_bug() -> None:
    """Print the traceback of the current exception."""
    import traceback

    write_error(_escaped(traceback.format_exc().splitlines()))


def write_error(text: str) -> None:
    """Write escaped text to standard error."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(text)
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise


def leave(code: int) -> NoReturn:
    """End the process at once: freeing every object first takes as long as checking a job."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        os._exit(code)


def page(text: str) -> None:
    """Show a page of the documentation, in the pager if standard output is a terminal."""
    if stdout_is_terminal():
        import click

        click.echo_via_pager(text)
    else:
        emit(text)


def stdout_is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def is_ci() -> bool:
    """Whether a CI system reads the output, which takes some lines as commands."""
    return any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in CI_SYSTEMS)


def color() -> bool:
    """Whether messages are coloured: on a terminal, unless NO_COLOR or FORCE_COLOR is set."""
    if os.environ.get("NO_COLOR") or sys.stderr is None:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stderr_is_terminal()


def stderr_is_terminal() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()
