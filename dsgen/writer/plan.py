"""The planned content of a folder, and the changes that it needs."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from dsgen.language.text import quote
from dsgen.problems import Diagnostic, Position
from dsgen.writer.index import compute_checksum

Lists = Mapping[str, Callable[[Iterable[str]], str]]
"""Path -> a function that makes the text of this file from the paths of all files."""


Mode = Literal["keep", "refresh", "replace"]
"""How to treat an existing run that this dsgen renders differently. If the user changed nothing, `keep` keeps its files
and `refresh` replaces them; if the user changed values, both refuse. `replace` replaces the files in both cases.
"""

# The only field of a run's objects that may change without a new run id. Two spaces: a field of the object's `spec`,
# and not a line in a ConfigMap.
_SUSPEND = re.compile(r"^  suspend: (?:true|false)\n", re.MULTILINE)


class Guard(Protocol):
    """Compares values, which the writer does not interpret. Values are canonical JSON."""

    def check_run(self, values: str, writer: str) -> Sequence[Diagnostic]:
        """The changes by the user since `writer` wrote the run from these values; empty if there are none."""

    def list_paths(self, values: str) -> Collection[str]:
        """The files that this version writes for these values, which it accepts."""

    def check_claims(self, values: str, texts: Mapping[str, str]) -> tuple[Sequence[str], Sequence[Diagnostic]]:
        """The files of claims that are kept, and the problems of changes that Kubernetes refuses.

        values: "" if unknown; texts: of the files that dsgen wrote.
        """


@dataclass(frozen=True)
class Plan:
    """All files of one folder.

    owner: the description of the content, such as "job training/cifar"; a folder has one owner.
    files: relative path with `/` -> text; if it is empty, all files that dsgen wrote are removed, and the index.
    run, frozen: the id of the run, and the paths of its files, which must not change under the same id. run_at: its
    place in the values file.
    objects: the objects of the run, if they are not the texts of its files (in a chart).
    values: the user's values, canonical JSON, without what may change under one id. guard: compares older values.
    made_of: a checksum of all inputs of the files, "" if unknown.
    kept: the version of dsgen whose files of the run are kept; "" for this version.
    lists: files that list the others, which are made after the decision which files are kept.
    runtime: the shared scripts of the run, as in the index.
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
    run_at: Position | None = None
    lists: Lists = field(default_factory=dict)
    runtime: str = ""

    def add_lists(self) -> Plan:
        """The plan with the texts that name its files."""
        if not self.lists:
            return self
        texts = {path: make([*self.files, *self.lists]) for path, make in self.lists.items()}
        return replace(self, files={**self.files, **texts})

    @functools.cached_property
    def run_checksum(self) -> str:
        texts = {path: self.files[path] for path in self.frozen} if self.objects is None else self.objects
        return compute_run_checksum({path: remove_suspension(text) for path, text in texts.items()})

    @functools.cached_property
    def checksums(self) -> Mapping[str, str]:
        return {path: compute_checksum(text.encode()) for path, text in self.files.items()}


@dataclass(frozen=True)
class Changes:
    """The effect of a write: relative paths, sorted; refusals are lines of text, problems concern the values.

    plan: what is written, including kept files of another version. renewed: whether an existing run is replaced.
    leftovers: files of an interrupted write; index: whether the index would change, which is not shown. runs: the ids
    of all runs that were in the folder. unchanged: the number of unchanged files. runtime: as in the index afterwards.
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
    runtime: str = field(default="", compare=False)

    @property
    def refused(self) -> bool:
        """Whether nothing may be written."""
        return bool(self.refusals or self.problems)

    @property
    def stale(self) -> bool:
        """Whether the folder differs from the plan."""
        return bool(self.write or self.remove or self.refused or self.leftovers)


def remove_suspension(text: str) -> str:
    """The part of an object's text that must not change under the same run id."""
    return _SUSPEND.sub("", text) if "  suspend: " in text else text


def copy_suspension(text: str, wanted: str) -> str:
    """The text of an object, with `suspend` as in another text."""
    old, new = _SUSPEND.search(text), _SUSPEND.search(wanted)
    line = new[0] if new else ""
    if old:
        return text[: old.start()] + line + text[old.end() :]
    return text.replace("\nspec:\n", f"\nspec:\n{line}", 1)


def compute_run_checksum(texts: Mapping[str, str]) -> str:
    """A checksum of the frozen texts of a run's files, by path."""
    return compute_checksum("".join(f"{path}\0{texts[path]}\0" for path in sorted(texts)).encode())


SHARED = "scripts of "
"""Begins the owner of a folder of the scripts that the jobs of a namespace share."""
KUSTOMIZATION = "kustomization.yaml"
HEAD = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


def write_list(paths: Iterable[str]) -> str:
    """A list of the objects in the folder, without those in folders below, and without transformations."""
    resources = sorted(path for path in paths if "/" not in path and path != KUSTOMIZATION)
    return f"{HEAD}resources:\n" + "".join(f"  - {quote(path)}\n" for path in resources)


def write_empty_list(namespace: str) -> str:
    """A kustomization without objects."""
    return f"{HEAD}namespace: {quote(namespace)}\n"


LISTS = {KUSTOMIZATION: write_list}
"""`Plan.lists` of a folder with a kustomization.yaml."""
