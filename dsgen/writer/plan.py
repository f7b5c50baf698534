"""What a folder shall hold, and what that would change."""

from __future__ import annotations

import functools
import re
from typing import Literal, NamedTuple, Protocol

from dsgen.records import dataclass, field, replace
from dsgen.writer.index import checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dsgen.problems.diagnostics import Diagnostic

    Lists = Mapping[str, Callable[[Iterable[str]], str]]
    """Path -> makes the text of that file of the paths of all files."""

Mode = Literal["keep", "refresh", "replace"]
"""What becomes of a run that this dsgen would write otherwise: it is kept where the user changed nothing of it, and
refused where he did; `refresh` writes it anew in the first case, `replace` in both.
"""

# The one field of a run's objects that may change without a new run id. Two blanks: it is a field of the object's own
# `spec`, never text in a ConfigMap.
_SUSPEND = re.compile(r"^  suspend: (?:true|false)\n", re.MULTILINE)


class Claims(NamedTuple):
    """Which files of claims stay as they are, and what cannot be done to a claim that is there."""

    kept: Sequence[str] = ()
    problems: Sequence[Diagnostic] = ()


class Guard(Protocol):
    """Knows what the values of a plan mean, which the writer does not. Values are canonical JSON."""

    def run(self, values: str, writer: str) -> Sequence[Diagnostic]:
        """What the user changed of the run since `writer` wrote it from these values; empty for nothing."""

    def run_without_values(self, message: str, hint: str) -> Diagnostic:
        """The problem for a run of which only the bytes are known."""

    def claims(self, values: str, texts: Mapping[str, str]) -> Claims:
        """What becomes of claims. values: "" where they are not known; texts: of the files that dsgen wrote."""


@dataclass(frozen=True)
class Plan:
    """All files of one folder.

    owner: what the folder is about, in words ("job training/cifar"); a folder has one owner.
    files: relative path with `/` -> text; where it is empty, what dsgen wrote is removed, and the index.
    run, frozen: the run's id and the paths of the files that belong to it alone and must not change under the same id.
    objects: what makes the run, where that is not the text of its files (a chart).
    values: what the user gave, canonical JSON, without what may change under one id. guard: judges older values.
    made_of: a checksum of everything that the files are made of, "" where nobody knows.
    kept: the version of dsgen whose files of the run stay; "" where they are of this one.
    lists: what is made once it is known which files stay.
    """

    owner: str
    files: Mapping[str, str]
    run: str = ""
    frozen: frozenset[str] = frozenset()
    objects: Mapping[str, str] | None = None
    values: str = ""
    guard: Guard | None = None
    made_of: str = ""
    kept: str = ""
    lists: Lists = field(default_factory=dict)

    def listed(self) -> Plan:
        """The plan with the texts that name its files."""
        if not self.lists:
            return self
        texts = {path: make([*self.files, *self.lists]) for path, make in self.lists.items()}
        return replace(self, files={**self.files, **texts})

    @functools.cached_property
    def run_checksum(self) -> str:
        """One checksum over the objects of the run."""
        texts = {path: self.files[path] for path in self.frozen} if self.objects is None else self.objects
        return run_checksum({path: frozen_text(text) for path, text in texts.items()})

    @functools.cached_property
    def checksums(self) -> Mapping[str, str]:
        """The checksum of each file."""
        return {path: checksum(text.encode()) for path, text in self.files.items()}


@dataclass(frozen=True)
class Changes:
    """What a write would do: relative paths, sorted; refusals are lines of text, problems are about the values.

    plan: what is written, with the files that stay as another version wrote them. renewed: whether a run that is there
    is written anew.
    leftovers: files that an interrupted write has left in the folder; index: whether the index would change, which is
    nothing that a user needs to know. runs: the ids of all runs that were in the folder. unchanged: how many files
    stay.
    """

    write: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    plan: Plan | None = field(default=None, compare=False)
    renewed: bool = field(default=False, compare=False)
    index: bool = field(default=False, compare=False)
    runs: frozenset[str] = field(default=frozenset(), compare=False)
    unchanged: int = field(default=0, compare=False)

    @property
    def refused(self) -> bool:
        """Whether nothing may be written."""
        return bool(self.refusals or self.problems)

    @property
    def stale(self) -> bool:
        """Whether the folder differs from the plan."""
        return bool(self.write or self.remove or self.refused or self.leftovers)


def frozen_text(text: str) -> str:
    """The part of an object's text that may not change while its run id stays."""
    return _SUSPEND.sub("", text) if "  suspend: " in text else text


def suspended_as(text: str, wanted: str) -> str:
    """The text of an object with the `suspend` of another text, and nothing else of it."""
    old, new = _SUSPEND.search(text), _SUSPEND.search(wanted)
    line = new[0] if new else ""
    if old:
        return text[: old.start()] + line + text[old.end() :]
    return text.replace("\nspec:\n", f"\nspec:\n{line}", 1)


def run_checksum(texts: Mapping[str, str]) -> str:
    """One checksum over the frozen texts of a run's files, by path."""
    return checksum("".join(f"{path}\0{texts[path]}\0" for path in sorted(texts)).encode())
