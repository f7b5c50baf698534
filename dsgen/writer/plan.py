"""What a folder shall hold, and what that would change."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dsgen.writer.index import checksum

# The one field of a run's objects that may change without a new run id. Two blanks: it is a field of the object's own
# `spec`, never text in a ConfigMap.
_SUSPEND = re.compile(r"^  suspend: (?:true|false)\n", re.MULTILINE)


@dataclass(frozen=True)
class Plan:
    """All files of one folder.

    owner: what the folder is about, in words ("job training/cifar"); a folder has one owner.
    files: relative path with `/` -> text.
    run, frozen: the run's id and the paths of the files that belong to it alone and must not change under the same id.
    """

    owner: str
    files: Mapping[str, str]
    run: str = ""
    frozen: frozenset[str] = frozenset()

    @functools.cached_property
    def run_checksum(self) -> str:
        """One checksum over the objects of the run."""
        return run_checksum({path: frozen_text(self.files[path]) for path in self.frozen})

    @functools.cached_property
    def checksums(self) -> Mapping[str, str]:
        """The checksum of each file."""
        return {path: checksum(text.encode()) for path, text in self.files.items()}


@dataclass(frozen=True)
class Changes:
    """What a write would do: relative paths, sorted; refusals are lines of text.

    leftovers: files that an interrupted write has left in the folder; index: whether the index would change, which is
    nothing that a user needs to know.
    """

    write: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    index: bool = field(default=False, compare=False)

    @property
    def stale(self) -> bool:
        """Whether the folder differs from the plan."""
        return bool(self.write or self.remove or self.refusals or self.leftovers)


def frozen_text(text: str) -> str:
    """The part of an object's text that may not change while its run id stays."""
    return _SUSPEND.sub("", text) if "  suspend: " in text else text


def run_checksum(texts: Mapping[str, str]) -> str:
    """One checksum over the frozen texts of a run's files, by path."""
    return checksum("".join(f"{path}\0{texts[path]}\0" for path in sorted(texts)).encode())
