"""Finds the repository of jobs to which a folder or a file belongs: the nearest dsgen.yaml above it."""

from __future__ import annotations

import os
import stat

FILE = "dsgen.yaml"


def find(folder: str) -> str | None:
    """The nearest folder with a dsgen.yaml: this one, or a parent up to the root of a Git working copy."""
    here = os.path.realpath(folder)
    while not _has_settings(here):
        above = os.path.dirname(here)
        if above == here or os.path.lexists(os.path.join(here, ".git")):
            return None
        here = above
    return here


def places(file: str) -> list[tuple[str, str]]:
    """The places of a file in repositories: the root of each, and the path below it, with `/`.

    For a link, the first place is that of the link, the second that of its target.
    """
    if not os.path.isfile(file):
        return []
    folder, name = os.path.split(file)
    paths = (os.path.join(os.path.realpath(folder or "."), name), os.path.realpath(file))
    found = ((find(os.path.dirname(path)), path) for path in dict.fromkeys(paths))
    return [(root, os.path.relpath(path, root).replace(os.sep, "/")) for root, path in found if root]


def _has_settings(folder: str) -> bool:
    """Whether a folder has a dsgen.yaml; that of another user does not count where all users may create files."""
    settings = os.path.join(folder, FILE)
    if not os.path.lexists(settings):
        return False
    mode = os.stat(folder).st_mode
    is_shared = mode & stat.S_ISVTX and mode & stat.S_IWOTH
    return not is_shared or os.lstat(settings).st_uid == os.geteuid()
