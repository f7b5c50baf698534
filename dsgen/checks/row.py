"""The form of a check, and the expressions that several subjects need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dsgen.problems.diagnostics import Diagnostic, Position, Severity
from dsgen.reading.nodes import Path, path_text
from dsgen.schema.validate import Problem

Worlds = Literal["both", "flat"]
Place = Callable[[Path, bool], Position | None]
"""The place of a key, of its name (true) or its value (false)."""
Names = Mapping[str, str]
"""The `name` and `namespace` of a release; empty while they are not known."""
Function = Callable[[Mapping[str, Any], Names, Place], Iterator[Problem]]
"""A check that templates cannot express: complete values, for a release, to problems."""


@dataclass(frozen=True)
class Check:
    """One row. It finds a problem for each turn of its loops (or once) in which all of its conditions hold.

    path: the key in question, dotted, each part a template; `[name]` behind a part is the index of the loop with that
    name. given: conditions on plain keys such as `ssh.user`, `launch.method != "pdsh"` or `workers.replicas > 100`,
    several of them with ` or `; unless all hold there is nothing to look at. inside: what stands around the row, from
    the outermost on: `for NAMES in EXPRESSION`, `if EXPRESSION`, `set NAME = EXPRESSION`. when: an expression; empty
    where all has been said. message: a template, one line, in which text of the user stands in quotes. hint: plain
    text. at_key: the name of the key is wrong rather than its value.
    """

    id: str
    path: str
    when: str
    message: str
    hint: str = ""
    inside: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    severity: Severity = "error"
    worlds: Worlds = "both"
    at_key: bool = False

    def tags(self) -> list[str]:
        """All that stands around the message, from the outermost on."""
        given = (" or ".join(f"values.{one}" for one in condition.split(" or ")) for condition in self.given)
        return [*(f"if {condition}" for condition in given), *self.inside, *([f"if {self.when}"] if self.when else [])]


ROLES = 'for role in ["workers", "launcher"]'
POD_ANNOTATIONS = 'for key, value in values[role]["podAnnotations"] | items'
VOLUMES = "for name, volume in values.storage | items"


def quoted(text: str) -> str:
    """A constant in a template."""
    assert not {'"', "\\"} & set(text)
    return f'"{text}"'


def found(
    id_: str, path: Path, message: str, hint: str, place: Place, severity: Severity = "error", at_key: bool = False
) -> Problem:
    """A problem of a function."""
    return path, Diagnostic(id_, message, place(path, at_key), path_text(path), hint, severity)
