"""Finds folders that dsgen wrote for jobs that are no longer in the repository."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from dsgen.errors import DsgenError
from dsgen.repository import globs
from dsgen.repository.jobs import Repository
from dsgen.writer import INDEX, Destination, Folder, read_index

OWNERS = {"output": "job ", "charts": "chart "}
"""Setting -> the prefix of the owners of its folders."""


def orphans(repository: Repository, key: str, wanted: Collection[str]) -> Iterator[tuple[Destination, str]]:
    """The folders below the fixed part of a setting that are not in `wanted`, each with its owner.

    key: "output" or "charts". Folders whose index is invalid are skipped.
    """
    above = globs.split_fixed(str(repository.setting(key)))
    for index in globs.find_files(str(repository.root), "/".join((*above, "**", INDEX)), into_written=True):
        place = Destination(repository.root, index.rpartition("/")[0])
        if place.below and place.below not in wanted:
            owner = _owner(place)
            if owner.startswith(OWNERS[key]):
                yield place, owner


def _owner(place: Destination) -> str:
    try:
        with Folder(place) as folder:
            index = read_index(folder)
    except DsgenError:
        return ""
    return index.owner if index else ""
