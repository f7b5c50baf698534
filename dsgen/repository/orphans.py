"""Folders that dsgen wrote for jobs which the repository does not have any more."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from dsgen.errors import DsgenError
from dsgen.repository import globs
from dsgen.repository.jobs import Repository
from dsgen.writer import INDEX, Folder, Place, read_index

OWNERS = {"output": "job ", "charts": "chart "}
"""How the owners of the folders begin that a setting names."""


def orphans(repository: Repository, key: str, wanted: Collection[str]) -> Iterator[tuple[Place, str]]:
    """The folders below the first part of a setting that are not wanted, with what each is about.

    key: "output" or "charts". An index that cannot be read is told where the folder is compared.
    """
    above = globs.fixed(str(repository.setting(key)))
    for index in globs.files(str(repository.root), "/".join((*above, "**", INDEX)), into_written=True):
        place = Place(repository.root, index.rpartition("/")[0])
        if place.below and place.below not in wanted:
            owner = _owner(place)
            if owner.startswith(OWNERS[key]):
                yield place, owner


def _owner(place: Place) -> str:
    try:
        with Folder(place) as folder:
            found = read_index(folder)
    except DsgenError:
        return ""
    return found.owner if found else ""
