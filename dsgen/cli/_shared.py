"""Shared by all commands: converts options to objects, and errors to messages and exit codes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dsgen.cli._options import FOLDER, NAMES, SETS, STRICT
from dsgen.cli._printed import complain, complain_of_bug
from dsgen.errors import EXIT_FAILED, EXIT_FINDINGS, EXIT_INTERRUPTED, EXIT_OK, DsgenError, UsageProblem
from dsgen.reading.nodes import Override

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dsgen.cli._options import Command
    from dsgen.writer import Mode


class ErrorsReported(DsgenError):  # noqa: N818 - it has no message
    """The user's files have errors, which were printed already."""

    def __init__(self, exit_code: int = EXIT_FINDINGS) -> None:
        super().__init__()
        self.exit_code = exit_code


@dataclass(frozen=True)
class Inputs:
    """The inputs of jobs: each of `files` is one job, over which `overlays` and `overrides` are merged.

    strict: warnings are errors.
    """

    files: tuple[str, ...]
    overlays: tuple[str, ...]
    overrides: tuple[Override, ...]
    name: str = ""
    namespace: str = ""
    strict: bool = False

    @property
    def has_files(self) -> bool:
        """Whether any file is given; without files, most commands use the jobs of dsgen.yaml."""
        return bool(self.files or self.overlays)


class Delivery:
    """How results are written to folders: the values of the options `FOLDER`."""

    def __init__(
        self,
        check: bool = False,
        prune: bool = False,
        dry_run: bool = False,
        refresh: bool = False,
        replace: bool = False,
        quiet: bool = False,
        yes: bool = False,
        keep_going: bool = False,
        form: str = "text",
    ) -> None:
        self.check, self.prune, self.dry_run = check, prune, dry_run
        self.refresh, self.replace = refresh, replace
        self.quiet, self.yes, self.keep_going, self.form = quiet, yes, keep_going, form

    @property
    def mode(self) -> Mode:
        """How an existing run is treated; see `writer.plan.Mode`."""
        return "replace" if self.replace else "refresh" if self.refresh else "keep"

    @property
    def flags(self) -> str:
        """The flags that apply to a folder and are set, for messages."""
        given = (option for option in FOLDER if getattr(self, option.name) != option.default)
        return ", ".join(option.flags[-1] for option in given if option.name != "quiet")


def function_of(command: Command) -> Callable[..., int]:
    """The function that implements a command."""
    function: Callable[..., int] = __import__(f"dsgen.cli.{command.name}", fromlist=["command"]).command
    return function


def call(command: Command, parameters: dict[str, Any], function: Callable[..., int] | None = None) -> int:
    """Call a command with these parameters, grouped to objects; returns the exit code."""
    rest = dict(parameters)
    names = (option.name for option in (*NAMES, STRICT) if option in command.options)
    overlays, (sets, rest) = rest.pop("overlays"), overrides(rest)
    inputs = Inputs(rest.pop("files"), overlays, sets, **{name: rest.pop(name) for name in names})
    if FOLDER[0] in command.options:
        given = (option for option in FOLDER if option in command.options)
        rest["delivery"] = Delivery(**{option.name: rest.pop(option.name) for option in given})
    if "output" in rest:
        rest["output"] = _folder(rest["output"])
    return (function or function_of(command))(inputs, **rest)


def _folder(name: str | None) -> Path | None:
    if name == "":  # Path("") would be the current folder
        raise UsageProblem("the name of the folder, -o, is empty: is a variable not set?")
    if name is None:
        return None
    from pathlib import Path  # imported late: printing does not need it

    return Path(name)


def overrides(options: dict[str, Any]) -> tuple[tuple[Override, ...], dict[str, Any]]:
    """The --set flags among the options of a command, and the other options."""
    sets = tuple(_override(option.flags[0], text) for option in SETS for text in options[option.name])
    names = {option.name for option in SETS}
    return sets, {key: value for key, value in options.items() if key not in names}


def _override(flag: str, text: str) -> Override:
    """A --set flag. Raises UsageProblem for bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageProblem(f"{flag} {text!a}: this is not UTF-8") from error
    return Override(flag, text)


def run(call: Callable[[], int | None]) -> int:
    """Run the program and return its exit code; every error becomes a message on standard error."""
    try:
        return call() or EXIT_OK
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except DsgenError as error:
        if error.lines:
            complain(*error.lines)
        return error.exit_code
    except OSError as error:
        where = os.path.normpath(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else None
        complain(f"{where}: {error.strerror}" if where else str(error))
        return EXIT_FAILED
    except Exception as error:
        complain(message_of_bug(error))
        return EXIT_FAILED


def message_of_bug(error: Exception) -> str:
    """A short message for the exception that is handled, a bug in dsgen; prints the traceback if that is requested."""
    if os.environ.get("DSGEN_DEBUG"):
        complain_of_bug()
    return f"internal error, please report it: {type(error).__name__}: {error} (DSGEN_DEBUG=1 shows where)"
