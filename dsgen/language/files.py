"""`files` in templates: the scripts that dsgen ships for the pods, like `.Files` in a chart.

Generated code imports this module, so it is cheap to import.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dsgen.language.text import to_json

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "scripts"
SUFFIXES = (".py", ".sh")
DIGEST_LENGTH = 10
"""Hexadecimal characters of a digest: enough to tell releases apart, and short enough for the name of an object."""


class Files:
    """The texts below `root/scripts`, by their path below `root`."""

    def __init__(self, root: Path | str) -> None:
        self._root = root
        self._texts: dict[str, str] = {}
        self._without_end: dict[str, str] = {}

    @property
    def texts(self) -> Mapping[str, str]:
        """Path -> text, sorted; read at the first use."""
        if not self._texts:
            walk = os.walk(os.path.join(self._root, FOLDER))
            for path in sorted(os.path.join(folder, name) for folder, _, names in walk for name in names):
                if path.endswith(SUFFIXES):
                    with open(path, "rb", buffering=0) as file:
                        self._texts[os.path.relpath(path, self._root).replace(os.sep, "/")] = file.read().decode()
        return self._texts

    def get(self, path: str) -> str:
        """The text without its final newline, which the line of the template has."""
        # The same object each time: `indent` finds it without comparing the text.
        if path not in self._without_end:
            self._without_end[path] = self.texts[path].removesuffix("\n")
        return self._without_end[path]

    def glob(self, pattern: str) -> dict[str, None]:
        """The paths that match, as the keys of a map; for a loop over its items."""
        return dict.fromkeys(find_matching(self.texts, pattern))

    def digest(self, pattern: str) -> str:
        """The digest of the files that match; a constant in compiled templates."""
        return compute_digest(self.texts, pattern)


def find_matching(texts: Mapping[str, str], pattern: str) -> list[str]:
    """The paths that match, sorted. As in a chart, `*` matches any text without a slash, and `**` any text."""
    parts = {"*": "[^/]*", "**": ".*"}
    expression = "".join(parts.get(part) or re.escape(part) for part in re.split(r"(\*+)", pattern))
    return sorted(path for path in texts if re.fullmatch(expression, path))


def compute_digest(texts: Mapping[str, str], pattern: str) -> str:
    """A short digest of the names and the content of the files that match."""
    import hashlib  # imported late: only the compiler needs it

    content = to_json({path: texts[path] for path in find_matching(texts, pattern)})
    return hashlib.sha256(content.encode()).hexdigest()[:DIGEST_LENGTH]


PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHIPPED = Files(PACKAGE)
"""The files of this package."""
