"""`files` in templates: the files that dsgen ships for the pods, as `.Files` of a chart.

Generated code imports this module, so it is cheap to import.
"""

from __future__ import annotations

import os

from dsgen.language.text import to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "scripts"
DIGEST_LENGTH = 10
"""Hexadecimal characters: enough that two releases never share one, short enough for the name of an object."""


class Files:
    """The texts below `root/scripts`, by their path below `root`."""

    def __init__(self, root: Path | str) -> None:
        self._root = root
        self._texts: dict[str, str] = {}

    @property
    def texts(self) -> Mapping[str, str]:
        """Path -> text, sorted; read when it is first asked for."""
        if not self._texts:
            folder = os.path.join(self._root, FOLDER)
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, encoding="utf-8") as file:
                        self._texts[f"{FOLDER}/{name}"] = file.read()
        return self._texts

    def get(self, path: str) -> str:
        """The text without its one final newline: the template's own line gives it back."""
        return self.texts[path].removesuffix("\n")

    def glob(self, pattern: str) -> dict[str, None]:
        """The paths that match, as the keys of a map; for a loop over its items."""
        return dict.fromkeys(matching(self.texts, pattern))

    def digest(self, pattern: str) -> str:
        """The digest of the files that match. What is compiled has it as a constant."""
        return digest(self.texts, pattern)


def matching(texts: Mapping[str, str], pattern: str) -> list[str]:
    """The paths that match, sorted. One `*` of the pattern stands for any text."""
    start, star, end = pattern.partition("*")
    if not star:
        return [pattern] if pattern in texts else []
    return sorted(path for path in texts if path.startswith(start) and path.removeprefix(start).endswith(end))


def digest(texts: Mapping[str, str], pattern: str) -> str:
    """A short digest of the names and the content of the files that match."""
    import hashlib  # not at the head: only the compiler asks for it

    content = to_json({path: texts[path] for path in matching(texts, pattern)})
    return hashlib.sha256(content.encode()).hexdigest()[:DIGEST_LENGTH]


SHIPPED_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "generated")
SHIPPED = Files(SHIPPED_FOLDER)
"""The files of this package."""
