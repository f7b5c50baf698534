"""The objects of a job, by the names of their files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dsgen.errors import DsgenError
from dsgen.language.functions import parse_quantity
from dsgen.reading import read
from dsgen.reading.nodes import SourceText
from dsgen.render import Document, render
from dsgen.values import Job, Release

_KIND = re.compile(r"^kind: (\w+)$", re.MULTILINE)
_NAME = re.compile(r"^metadata:\n(?:  .*\n)*?  name: \"?([^\"\n]+)\"?$", re.MULTILINE)
_CLAIMS = {
    "PersistentVolumeClaim": ("resources", "requests", "storage"),
    "PersistentVolume": ("capacity", "storage"),
}
"""Kind -> the path of the size in `spec`, which may grow. The API server refuses any other change."""


def read_kind_and_name(text: str) -> tuple[str, str]:
    kind, name = _KIND.search(text), _NAME.search(text)
    if not kind or not name:
        raise DsgenError(f"an object without kind or name: {text[:200]}")
    return kind[1], name[1]


def name_file(text: str) -> str:
    """`<kind>-<name>.yaml`: unique in the namespace, and not a device name of Windows, because it contains `-`."""
    kind, name = read_kind_and_name(text)
    return f"{kind.lower()}-{name}.yaml"


@dataclass(frozen=True)
class Objects:
    """The texts of objects by the names of their files: those of the run, and those of the job."""

    run: Mapping[str, str]
    job: Mapping[str, str]

    @property
    def claims(self) -> dict[str, str]:
        """The claims of the job, and the PersistentVolumes that dsgen creates for them."""
        return {path: text for path, text in self.job.items() if read_kind_and_name(text)[0] in _CLAIMS}


def collect_objects(documents: Iterable[Document]) -> Objects:
    texts: dict[str, dict[str, str]] = {"run": {}, "name": {}}
    for document in documents:
        texts[document.scope][name_file(document.text)] = document.text
    return Objects(texts["run"], texts["name"])


def render_objects(job: Job) -> Objects:
    """The objects of a job without errors. The job of a chart may lack a name, which its releases provide."""
    names = job.release
    return collect_objects(render(job.data, Release(names.name or "release", names.namespace or "default")))


def parse_object(text: str) -> Any:
    """An object as plain data."""
    return read(SourceText("", text)).root.as_data()


def is_possible(old: str, new: str) -> bool:
    """Whether the API server accepts this change of a claim."""
    if old == new:
        return True
    before, after = parse_object(old), parse_object(new)
    try:
        sizes = [parse_quantity(_pop_size(each)) for each in (before, after)]
        return bool(before["spec"] == after["spec"] and sizes[0] <= sizes[1])
    except (KeyError, TypeError, ValueError, AttributeError):  # not an object that dsgen wrote
        return False


def _pop_size(claim: dict[str, Any]) -> Any:
    """Remove the size from a claim, and return it."""
    *path, last = _CLAIMS[claim["kind"]]
    record = claim["spec"]
    for key in path:
        record = record[key]
    return record.pop(last)
