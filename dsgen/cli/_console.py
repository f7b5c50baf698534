"""All output of the program. Messages are escaped here, line by line; data is written unchanged.

Data is the output for other programs or files: manifests, values, schemas, reports. No other module writes to standard
output or standard error (tests/test_layers.py).
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn, TypeVar

import click

from dsgen.errors import DsgenError, UsageError

_Item = TypeVar("_Item")

CI_SYSTEMS = ("CI", "TF_BUILD", "TEAMCITY_VERSION", "JENKINS_URL")
"""Variables of CI systems. GitHub, GitLab and many others set CI; Azure Pipelines, TeamCity and Jenkins do not."""
OPTION_HINTS = {
    "--dry-run": "write --dry-run alone; `dsgen render` prints the objects without a cluster",
}
"""What to do about an option that is used wrongly."""
ONE_JOB = "one call is for one job: `dsgen list` names those in the cluster"
OTHER_OPTIONS = {
    "--all": (("--run", ONE_JOB), ("--values", "without a FILE, the jobs of dsgen.yaml are meant")),
    "--all-namespaces": (("--run", ONE_JOB),),
    **dict.fromkeys(("-l", "--selector"), (("--run", ONE_JOB),)),
    **dict.fromkeys(("--container", "-c"), (("--launcher", "use --launcher, --worker, --status or --init"),)),
    **dict.fromkeys(
        ("--wait", "--follow", "-w"), (("--force", "`dsgen run` follows the log, `dsgen wait` waits for a state"),)
    ),
    **dict.fromkeys(("--file", "--filename"), (("--values", "name the FILE without an option"),)),
    **dict.fromkeys(("--recursive", "-R"), (("--values", "a folder as FILE means the *.yaml files in it"),)),
    "--memory": (("--output", "`dsgen estimate -o svg` draws the memory of an accelerator"),),
    **{f"--{form}": (("--output", f"use -o {form}"),) for form in ("json", "yaml", "sarif", "markdown", "svg")},
    **dict.fromkeys(("--output-dir", "--dir", "--out", "--folder"), (("--directory", "use -d"),)),
}
"""Option of another program -> options of a command, each with a hint for commands that have it."""
PROGRESS_AFTER_SECONDS, PROGRESS_EVERY_SECONDS = 1.0, 0.1
EXIT_PIPE_CLOSED = 141  # 128 + SIGPIPE: the reader of the output has ended


def write(data: str | bytes) -> None:
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


def write_json(data: Any) -> None:
    """Write data as JSON in which no text is a command of a CI system; a program reads the same texts."""
    # ASCII, because names of files may be any bytes, and JSON must be UTF-8. CI systems look for ##[ anywhere in a log.
    write(json.dumps(data, indent=2).replace("##", "#\\u0023") + "\n")


def echo(lines: Iterable[str], err: bool = False) -> None:
    """Write lines of a message to standard output, or to standard error."""
    (write_error if err else write)(_escape(lines))


def _escape(lines: Iterable[str]) -> str:
    from dsgen.problems.safe_text import escape_line  # imported late: only messages need it

    return "".join(f"{escape_line(each)}\n" for each in lines)


def confirm(lines: Iterable[str], question: str, without_terminal: str) -> bool:
    """Write lines and a question to standard error, and read the answer.

    Raises UsageError with the message `without_terminal` if nobody can answer.
    """
    if not is_terminal("stdin"):
        raise UsageError(without_terminal)
    write_error(_escape(lines))
    return click.confirm(_escape([question]).rstrip("\n"), err=True)


def echo_error(*lines: str) -> None:
    """Write an error that ends the program to standard error."""
    write_error(_escape(("dsgen: " + (lines or ("",))[0], *lines[1:])))


def echo_usage_error(error: click.ClickException) -> None:
    """Print an error of click, whose message may contain text of the command line."""
    message, context = error.format_message(), getattr(error, "ctx", None)
    if isinstance(context, click.Context):
        if message == context.get_help():  # there were no arguments
            return write_error(f"{message}\n")
        write_error(f"{context.get_usage()}\nTry '{context.command_path} {context.help_option_names[0]}' for help.\n\n")
    hint = OPTION_HINTS.get(error.option_name, "") if isinstance(error, click.BadOptionUsage) else ""
    if isinstance(error, click.NoSuchOption) and isinstance(context, click.Context):
        has = {name for option in context.command.params for name in option.opts}
        hint = next((text for name, text in OTHER_OPTIONS.get(error.option_name, ()) if name in has), "")
        message = error.message if hint else message
    return write_error(_escape([f"Error: {message}", *([f"  hint: {hint}"] if hint else [])]))


def describe_bug(error: Exception) -> str:
    """A short message for the exception that is handled, a bug in dsgen; prints the traceback if that is requested."""
    if os.environ.get("DSGEN_DEBUG"):
        import traceback  # imported late: only a bug needs it

        write_error(_escape(traceback.format_exc().splitlines()))
    return f"internal error, please report it: {type(error).__name__}: {error} (DSGEN_DEBUG=1 shows where)"


def write_error(text: str) -> None:
    """Write escaped text to standard error."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(text)
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise


def exit_now(code: int) -> NoReturn:
    """End the process at once: freeing every object first takes as long as checking a job."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        os._exit(code)


def show_page(text: str) -> None:
    """Show a page of the documentation, in the pager if standard output is a terminal."""
    if is_terminal("stdout"):
        click.echo_via_pager(text)
    else:
        write(text)


def show_progress(doing: str, items: Iterable[_Item], total: int) -> Iterator[_Item]:
    """The items; on a terminal with a line like `checked 12 of 1000`, which is removed at the end."""
    if not is_terminal("stderr"):
        yield from items
        return
    next_time, line = time.monotonic() + PROGRESS_AFTER_SECONDS, ""
    try:
        for done, item in enumerate(items):
            if time.monotonic() > next_time:
                next_time = time.monotonic() + PROGRESS_EVERY_SECONDS
                line = f"{doing} {done} of {total}"
                write_error(f"\r{line}")
            yield item
    finally:
        if line:
            write_error(f"\r{' ' * len(line)}\r")


def is_terminal(stream: str) -> bool:
    """Whether a stream, such as stdout, is a terminal."""
    found = getattr(sys, stream)
    return found is not None and bool(found.isatty())


def is_ci() -> bool:
    """Whether a CI system reads the output, which takes some lines as commands."""
    return any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in CI_SYSTEMS)


def uses_color() -> bool:
    """Whether messages are coloured: on a terminal, unless NO_COLOR or FORCE_COLOR is set."""
    if os.environ.get("NO_COLOR") or sys.stderr is None:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal("stderr")
