"""The place of a plan, and valid paths below a folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

DEEPEST, LONGEST = 8, 255
"""The parts of a path, not deeper than a chart, and the characters of a part."""
# Windows reserves these names, whatever follows the first dot, and Flux fails on a repository that contains one.
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
# What Git refuses to check out: its own folder, and the short name that Windows may give to it.
_OF_GIT = re.compile(r"\.git|git~[0-9]+")


@dataclass(frozen=True)
class Destination:
    """The place of a plan: the folder that the user named, which may be a link, and a path below it, without links."""

    root: Path
    below: str = ""

    @property
    def path(self) -> Path:
        """For messages."""
        return self.root / self.below


def name_folder(name: str) -> str:
    """The folder name for the name of a job or a namespace."""
    return f"{name}_" if _DEVICES.fullmatch(name) else name


def is_path(path: str) -> bool:
    """Whether a path, with `/`, is inside its folder and names the same place on every system."""
    parts = path.split("/")
    return path.isprintable() and len(parts) <= DEEPEST and all(map(_is_name, parts))


def _is_name(part: str) -> bool:
    """Whether a name is not empty, `.`, `..`, one of Git's, or another place on Windows.

    Windows drops dots and spaces at the end.
    """
    plain = part.lower()
    return (
        0 < len(part) <= LONGEST
        and part[-1] not in ". "
        and not re.search(r"[\\:]", part)
        and not _OF_GIT.fullmatch(plain)
        and not _DEVICES.fullmatch(plain.partition(".")[0].rstrip())
    )
