"""The form of a check, and the expressions that several subjects need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dsgen.diagnostics import Diagnostic, Position, Severity
from dsgen.nodes import Path, path_text
from dsgen.validate import Problem

Worlds = Literal["both", "flat"]
Place = Callable[[Path, bool], Position | None]
"""The place of a key, of its name (true) or its value (false)."""
Names = Mapping[str, str]
"""The `name` and `namespace` of a release; empty while they are not known."""
Function = Callable[[Mapping[str, Any], Names, Place], Iterator[Problem]]
"""A check that templates cannot express: complete values, for a release, to problems."""


@dataclass(frozen=True)
class Check:
    """One row. It finds a problem for each turn of `loops` (or once) in which `when` is true.

    path: the key in question, dotted, each part a template; `[name]` behind a part is the index of the loop with that
    name. loops: `NAMES in EXPRESSION`, from the outermost on. given: conditions such as `ssh.user`,
    `launch.method != "pdsh"` or `workers.replicas > 100`, on plain keys; unless one of them holds there is nothing to
    look at. when: an expression. message: a template, one line, in which text of the user stands in quotes. hint: plain
    text. at_key: the name of the key is wrong rather than its value.
    """

    id: str
    path: str
    when: str
    message: str
    hint: str = ""
    loops: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    severity: Severity = "error"
    worlds: Worlds = "both"
    at_key: bool = False


ROLES = 'role in ["workers", "launcher"]'
POD_ANNOTATIONS = 'key, value in values[role]["podAnnotations"] | items'
VOLUMES = "name, volume in values.storage | items"


def quoted(text: str) -> str:
    """A constant in a template."""
    assert not {'"', "\\"} & set(text)
    return f'"{text}"'


def found(
    id_: str, path: Path, message: str, hint: str, place: Place, severity: Severity = "error", at_key: bool = False
) -> Problem:
    """A problem of a function."""
    return path, Diagnostic(id_, message, place(path, at_key), path_text(path), hint, severity)
