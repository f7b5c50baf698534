"""The form of a check, and the expressions that several subjects need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dsgen.problems.diagnostics import Diagnostic, Path, Position, Severity

Worlds = Literal["both", "flat"]
Place = Callable[[Path, bool], Position | None]
"""The place of a key, of its name (true) or its value (false)."""
Names = Mapping[str, str]
"""The `name` and `namespace` of a release; empty while they are not known."""
Find = Callable[[Mapping[str, Any], Names, Place], Iterator[Diagnostic]]
"""Complete values, for a release, to problems."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One row. It finds a problem for each turn of its loops (or once) in which all of its conditions hold.

    path: the key in question, dotted, each part a template; `[name]` behind a part is the index of the loop with that
    name. message: a template, one line, in which text of the user stands in quotes. when: an expression; empty where
    `inside` says all. inside: what stands around the row, from the outermost on: `for NAMES in EXPRESSION`,
    `if EXPRESSION`, `set NAME = EXPRESSION`. hint: plain text. worlds: `flat` for a row that the chart does not have.
    at_key: the name of the key is wrong rather than its value.
    """

    id: str
    path: str
    message: str
    when: str = ""
    hint: str = ""
    inside: tuple[str, ...] = ()
    severity: Severity = "error"
    worlds: Worlds = "both"
    at_key: bool = False

    def tags(self) -> list[str]:
        """All that stands around the message, from the outermost on."""
        return [*self.inside, *([f"if {self.when}"] if self.when else [])]

    @property
    def needs_name(self) -> bool:
        """Whether it looks at names of objects, which there are none of while the job has no name."""
        return any("release" in text for text in (*self.tags(), self.message))


@dataclass(frozen=True)
class Function:
    """A check that templates cannot express.

    looks_at: the ids that it reports, each with the keys on which such a problem depends beyond its own, where going
    through a map is the look; any other look at a gap is noticed. is_watched: false where it goes through everything
    whatever it reports, so that only `looks_at` counts.
    """

    find: Find
    looks_at: Mapping[str, tuple[Path, ...]]
    is_watched: bool = True


ROLES = 'for role in ["workers", "launcher"]'
POD_ANNOTATIONS = 'for key, value in values[role]["podAnnotations"] | items'
VOLUMES = "for name, volume in values.storage | items"


def quoted(text: str) -> str:
    """A constant in a template."""
    assert not {'"', "\\"} & set(text)
    return f'"{text}"'


def found(
    id_: str, path: Path, message: str, hint: str, place: Place, severity: Severity = "error", at_key: bool = False
) -> Diagnostic:
    """A problem of a function."""
    return Diagnostic(id_, message, place(path, at_key), path, hint, severity)
