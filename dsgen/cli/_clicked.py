"""Converts the table of options to options of click."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from dsgen.cli import _completion, _shared
from dsgen.cli._options import SETS, Command, Option

_COMPLETED = {
    "FILE": _completion.files,
    "DIR": _completion.folders,
    **{option.metavar: _completion.assigned for option in SETS},
}
"""Metavar of an option -> the function that completes its value."""


def decorated(command: Callable[..., int], options: Sequence[Option]) -> Callable[..., int]:
    """The function with these options, for click."""
    for option in reversed(options):
        command = _decorator(option)(command)
    return command


def _decorator(option: Option) -> Callable[[Callable[..., int]], Callable[..., int]]:
    names = (*option.flags, option.name)
    if not option.takes_value:
        return click.option(*names, is_flag=True, help=option.help)
    rest: dict[str, Any] = {} if option.many or option.default is None else {"default": option.default}
    if option.choices:
        rest["type"] = click.Choice(option.choices)
    else:
        rest |= {"metavar": option.metavar, "shell_complete": _COMPLETED.get(option.metavar)}
    return click.option(*names, multiple=option.many, help=option.help, **rest)


def of_table(command: Command, function: Callable[..., int] | None = None) -> click.Command:
    """A click command. function: implements it, and has the help text; by default that of the command's module."""
    own = () if function is None else (function,)

    def call(**parameters: Any) -> int:
        files = parameters["files"]
        if not command.many:
            parameters["files"] = () if files is None else (files,)
        return _shared.call(command, parameters, *own)

    nargs: dict[str, Any] = {"nargs": -1} if command.many else {"required": False}
    metavar = "[FILE]..." if command.many else "[FILE]"
    argument = click.argument("files", metavar=metavar, shell_complete=_completion.files, **nargs)
    made = argument(decorated(call, command.options))
    return click.command(command.name, help=(function or _shared.function_of(command)).__doc__)(made)
