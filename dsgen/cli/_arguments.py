"""Parses usual command lines without click, whose import takes longer than rendering a job.

The result is the same as that of click; tests compare both. Everything else is left to click: help, errors, and rare
spellings.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dsgen.cli._options import COMMANDS, Command, Option

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPLETION = "_DSGEN_COMPLETE"
"""The variable with which a shell asks click for completions."""


def known(arguments: Sequence[str]) -> tuple[Command, dict[str, Any]] | None:
    """The command of these arguments and its parameters by name; None if click must parse them."""
    command = COMMANDS.get(arguments[0]) if arguments else None
    if command is None or COMPLETION in os.environ:
        return None
    by_flag = {flag: option for option in command.options for flag in option.flags}
    parameters: dict[str, Any] = {option.name: option.default for option in command.options}
    files: list[str] = []
    words = iter(arguments[1:])
    for word in words:
        if word == "-" or not word.startswith("-"):
            files.append(word)
            continue
        flag, sign, value = word.partition("=")
        option = by_flag.get(flag)
        if option is None or (sign and not (option.takes_value and flag.startswith("--"))):
            return None
        if not option.takes_value:
            parameters[option.name] = True
        elif not _take(option, value if sign else next(words, None), parameters):
            return None
    if not command.many and len(files) > 1:
        return None
    parameters["files"] = tuple(files)
    return command, parameters


def _take(option: Option, value: str | None, parameters: dict[str, Any]) -> bool:
    """Set the parameter of an option; false if its value is missing or not allowed."""
    if value is None or (option.choices and value not in option.choices):
        return False
    parameters[option.name] = (*parameters[option.name], value) if option.many else value
    return True
