"""Where a plan goes, and what may be a path below a folder."""

from __future__ import annotations

import re

from dsgen.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

# A path below a folder: no empty part, no `.` or `..`, nothing of Git's own, nothing that means another place on
# Windows, no deeper than any chart.
_PATH = re.compile(r"(?i:(?!(?:\.{1,2}|\.git)(?:/|$))[^/\\:\x00-\x1f]{1,255}(?:/(?!$)|$)){1,8}")
# Windows cannot have such names, whatever follows the first dot, and one of them stops Flux for a whole repository.
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")


@dataclass(frozen=True)
class Place:
    """Where a plan goes: the folder that the user named, which may be a link, and a path below it, which may not."""

    root: Path
    below: str = ""

    @property
    def path(self) -> Path:
        """For messages."""
        return self.root / self.below


def folder_name(name: str) -> str:
    """The name of a job or a namespace as that of a folder."""
    return f"{name}_" if _DEVICES.fullmatch(name) else name


def is_path(path: str) -> bool:
    """Whether a path, with `/`, names something below a folder."""
    return _PATH.fullmatch(path) is not None
