"""The place of a plan, and valid paths below a folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# A path below a folder: without empty parts, `.`, `..`, `.git` and names that mean another place on Windows, and not
# deeper than a chart.
_PATH = re.compile(r"(?i:(?!(?:\.{1,2}|\.git)(?:/|$))[^/\\:\x00-\x1f]{1,255}(?:/(?!$)|$)){1,8}")
# Windows reserves these names, whatever follows the first dot, and Flux fails on a repository that contains one.
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")


@dataclass(frozen=True)
class Place:
    """The place of a plan: the folder that the user named, which may be a link, and a path below it, without links."""

    root: Path
    below: str = ""

    @property
    def path(self) -> Path:
        """For messages."""
        return self.root / self.below


def folder_name(name: str) -> str:
    """The folder name for the name of a job or a namespace."""
    return f"{name}_" if _DEVICES.fullmatch(name) else name


def is_path(path: str) -> bool:
    """Whether a path, with `/`, is inside its folder."""
    return _PATH.fullmatch(path) is not None
