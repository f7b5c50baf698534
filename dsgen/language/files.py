"""`files` in templates: the files that dsgen ships for the pods, as `.Files` of a chart."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = __file__.removesuffix("/language/files.py")


class Files:
    """The texts of files by their path below `root`."""

    def __init__(self, root: Path | str) -> None:
        self._root = root
        self._texts: dict[str, str] = {}

    def get(self, path: str) -> str:
        """The text without its one final newline: the template's own line gives it back."""
        if path not in self._texts:
            with open(f"{self._root}/{path}", encoding="utf-8") as file:  # noqa: PTH123 (pathlib costs time)
                self._texts[path] = file.read().removesuffix("\n")
        return self._texts[path]


SHIPPED = Files(PACKAGE)
"""The files of this package."""
