"""What all commands share: what their options come to, and the boundary at which every error becomes a message."""

from __future__ import annotations

import os

from dsgen.cli._options import FOLDER, NAMES, SETS, STRICT
from dsgen.cli._printed import complain, complain_of_bug
from dsgen.errors import EXIT_FAILED, EXIT_FINDINGS, EXIT_INTERRUPTED, EXIT_OK, DsgenError, UsageProblem
from dsgen.reading.nodes import Override
from dsgen.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from dsgen.cli._options import Command
    from dsgen.writer import Mode


class ErrorsReported(DsgenError):  # noqa: N818 - it has no message of its own
    """The user's files have errors, and they were shown."""

    def __init__(self, exit_code: int = EXIT_FINDINGS) -> None:
        super().__init__()
        self.exit_code = exit_code


@dataclass(frozen=True)
class Inputs:
    """What a job is made of: each of `files` is one job, over which `overlays` and `overrides` are laid.

    strict: a warning about it is an error.
    """

    files: tuple[str, ...]
    overlays: tuple[str, ...]
    overrides: tuple[Override, ...]
    name: str = ""
    namespace: str = ""
    strict: bool = False

    @property
    def has_files(self) -> bool:
        """Whether any file is given; where none is, most commands mean the jobs of dsgen.yaml."""
        return bool(self.files or self.overlays)


class Delivery:
    """What `FOLDER` of the options says about a folder."""

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
        """What becomes of a run that this dsgen would write otherwise."""
        return "replace" if self.replace else "refresh" if self.refresh else "keep"

    @property
    def flags(self) -> str:
        """Those about a folder that are not as they are by default, for messages."""
        given = (option for option in FOLDER if getattr(self, option.name) != option.default)
        return ", ".join(option.flags[-1] for option in given if option.name != "quiet")


def function_of(command: Command) -> Callable[..., int]:
    """The function that does a command."""
    function: Callable[..., int] = __import__(f"dsgen.cli.{command.name}", fromlist=["command"]).command
    return function


def call(command: Command, parameters: dict[str, Any], function: Callable[..., int] | None = None) -> int:
    """Do a command with these parameters, those that belong together as one; returns the exit code."""
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
    if name == "":  # to Path, this is the current folder
        raise UsageProblem("the name of the folder, -o, is empty: is a variable not set?")
    if name is None:
        return None
    from pathlib import Path  # what is only printed does without

    return Path(name)


def overrides(options: dict[str, Any]) -> tuple[tuple[Override, ...], dict[str, Any]]:
    """Helm's flags among a command's options, and the other options."""
    sets = tuple(_override(option.flags[0], text) for option in SETS for text in options[option.name])
    names = {option.name for option in SETS}
    return sets, {key: value for key, value in options.items() if key not in names}


def _override(flag: str, text: str) -> Override:
    """One of Helm's flags. Raises UsageProblem for bytes that are no text: manifests are UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageProblem(f"{flag} {text!a}: this is not UTF-8") from error
    return Override(flag, text)


def run(call: Callable[[], int | None]) -> int:
    """Run the program and return its exit code; whatever goes wrong becomes a message on standard error."""
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
    except Exception as error:  # a mistake in dsgen itself: the user still gets a sentence, and the way to the details
        complain(f"internal error, please report it: {type(error).__name__}: {error} (DSGEN_DEBUG=1 shows where)")
        if os.environ.get("DSGEN_DEBUG"):
            complain_of_bug()
        return EXIT_FAILED
