"""The form of a check, and expressions that several modules use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from dsgen.problems import Diagnostic, KeyPath, Position, Severity

Worlds = Literal["both", "flat"]
Place = Callable[[KeyPath, bool], Position | None]
"""Path of a key, and whether its name (true) or its value (false) is meant, to its place in a file."""
Names = Mapping[str, str]
"""The `name` and `namespace` of a release; empty if they are not known yet."""
Find = Callable[[Mapping[str, Any], Names, Place], Iterator[Diagnostic]]
"""Reports the problems of complete values, for a release."""


class Shortcut(str):
    """A condition without which the row finds the same, only later. The chart does not have it."""

    __slots__ = ()


class Shared(NamedTuple):
    """A helper of the chart with rows that stand at several places of the values. dsgen evaluates each row by itself.

    where: the beginning of the message at this place. after: how many of the tags in `inside` are around the call.
    name, words: the helper, and what it looks at, for its comment; without a name, the row stands beside the call and
    begins like the rows of the helper. arguments: further arguments of the helper by their names, each with the
    expression that stands for it at this place; a quoted text is a part of the message.
    """

    where: str
    after: int
    name: str = ""
    words: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


class Check(NamedTuple):
    """One row. It reports a problem whenever all of its conditions hold: once, or for each iteration of its loops.

    path: the key to point at, dotted; each part is a template, and `[name]` after a part is the index of the loop with
    that name. message: a template of one line; text from the user is quoted. when: an expression; empty if `inside` is
    enough. inside: tags around the row, the outermost first: `for NAMES in EXPRESSION`, `if EXPRESSION`,
    `set NAME = EXPRESSION`. hint: plain text. exact_hint: from the values and the path of the problem, the hint that
    dsgen shows in place of `hint`, or "" for `hint`, which is also that of the chart. worlds: `flat` for a row that the
    chart does not have. at_key: the name of the key is wrong, not its value. shared: the helpers of the chart in which
    the row stands, the outermost first.
    """

    id: str
    path: str
    message: str
    when: str = ""
    hint: str = ""
    exact_hint: Callable[[Mapping[str, Any], KeyPath], str] | None = None
    inside: tuple[str, ...] = ()
    severity: Severity = "error"
    worlds: Worlds = "both"
    at_key: bool = False
    shared: tuple[Shared, ...] = ()

    def list_tags(self) -> list[str]:
        """All tags around the message, the outermost first."""
        return [*self.inside, *([f"if {self.when}"] if self.when else [])]

    @property
    def needs_name(self) -> bool:
        """Whether it needs the names of objects, which do not exist until the job has a name."""
        return any("release" in text for text in (*self.list_tags(), self.message))


class Function(NamedTuple):
    """A check that templates cannot express.

    looks_at: the ids that it reports, each with the further keys on which such a problem depends. They are needed if
    the function iterates over a map; other reads of an unknown value are recorded automatically (see `Watch`).
    is_watched: false for a function that always reads everything, so that only `looks_at` is used.
    """

    find: Find
    looks_at: Mapping[str, tuple[KeyPath, ...]]
    is_watched: bool = True


ROLES = 'for role in ["workers", "launcher"]'
POD_ANNOTATIONS = 'for key, value in values[role]["podAnnotations"] | items'
VALUES = ("values", "values")
"""The argument of a helper that reads the values."""
VOLUMES = "for name, volume in values.storage | items"


ANY_TEXT = "([^$]|[$])*"
"""In a pattern: any text, also of several lines."""


def load_helpers() -> Any:
    """The helpers of the templates as functions, imported late: the compiler that writes them imports the checks."""
    from dsgen.generated import helpers as module

    return module


def quote_text(text: str) -> str:
    """A string constant of a template."""
    assert not {'"', "\\"} & set(text)
    return f'"{text}"'


def make_diagnostic(
    id_: str, path: KeyPath, message: str, hint: str, place: Place, severity: Severity = "error", at_key: bool = False
) -> Diagnostic:
    """A problem that a function reports."""
    return Diagnostic(id_, message, place(path, at_key), path, hint, severity)
