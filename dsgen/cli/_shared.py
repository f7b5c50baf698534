"""What all commands share: the options that choose values, and the boundary at which every error becomes a message."""

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dsgen.cli import _completion
from dsgen.cli._printed import complain, complain_of_bug, complain_of_usage
from dsgen.errors import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, DsgenError, UsageProblem
from dsgen.reading.set_values import Override

FORMS = ("text", "json", "sarif", "github")
"""How problems are told."""
EXIT_INTERRUPTED = 130  # as a shell says it: 128 + SIGINT
EXIT_TERMINATED = 143  # 128 + SIGTERM


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


_SETS = {"set_json": "--set-json", "set_plain": "--set", "set_string": "--set-string", "set_file": "--set-file"}


def overlays_option(*flags: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option for more values files, under these flags."""
    text = "Values laid over every FILE, in order; repeatable."
    return click.option(*flags, "overlays", multiple=True, metavar="FILE", help=text, shell_complete=_completion.files)


VALUES = [
    overlays_option("-f", "--values"),
    click.option(
        "--set", "set_plain", multiple=True, metavar="KEY=VALUE", help="Set one value, as Helm spells it: a.b=1,c=2."
    ),
    click.option("--set-string", multiple=True, metavar="KEY=VALUE", help="The same; the value is always a string."),
    click.option("--set-json", multiple=True, metavar="KEY=JSON", help="The same; the value is JSON."),
    click.option("--set-file", multiple=True, metavar="KEY=PATH", help="The same; the value is the text of a file."),
]
_NAME = click.option("--name", default="", metavar="NAME", help="Name of the job, where the file has none.")
NAMESPACE = click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace, where the file has none.")
_STRICT = click.option("--strict", is_flag=True, help="Warnings are errors too.")


def inputs(*, many: bool = True, strict: bool = True) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the argument FILE and the values options, as one `Inputs`.

    many: any number of FILEs. strict: with --strict.
    """
    nargs = {"nargs": -1} if many else {"required": False}
    options = [
        click.argument("files", metavar="[FILE]..." if many else "[FILE]", shell_complete=_completion.files, **nargs),
        *VALUES,
        _NAME,
        NAMESPACE,
        *([_STRICT] if strict else []),
    ]

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def call(files: Any, overlays: tuple[str, ...], name: str, namespace: str, **rest: Any) -> int:
            sets, rest = overrides(rest)
            paths = files if many else () if files is None else (files,)
            strict = rest.pop("strict", False)
            return command(Inputs(paths, overlays, sets, name, namespace, strict), **rest)

        for option in reversed(options):
            call = option(call)
        return call

    return decorate


def overrides(options: dict[str, Any]) -> tuple[tuple[Override, ...], dict[str, Any]]:
    """Helm's flags among a command's options, in Helm's order, and the other options."""
    sets = tuple(_override(flag, text) for key, flag in _SETS.items() for text in options[key])
    return sets, {key: value for key, value in options.items() if key not in _SETS}


def _override(flag: str, text: str) -> Override:
    """One of Helm's flags. Raises UsageProblem for bytes that are no text: manifests are UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageProblem(f"{flag} {text!a}: this is not UTF-8") from error
    return Override(flag, text)


def run(program: click.Command, arguments: Sequence[str]) -> int:
    """Run the program and return its exit code; whatever goes wrong becomes a message on standard error."""
    try:
        return program.main(list(arguments), prog_name="dsgen", standalone_mode=False) or EXIT_OK
    except click.ClickException as error:
        complain_of_usage(error)
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except DsgenError as error:
        if error.lines:
            complain(*error.lines)
        return error.exit_code
    except OSError as error:
        where = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else None
        complain(f"{where}: {error.strerror}" if where else str(error))
        return EXIT_FAILED
    except Exception as error:  # a mistake in dsgen itself: the user still gets a sentence, and the way to the details
        complain(f"internal error, please report it: {type(error).__name__}: {error} (DSGEN_DEBUG=1 shows where)")
        if os.environ.get("DSGEN_DEBUG"):
            complain_of_bug()
        return EXIT_FAILED
