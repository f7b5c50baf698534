"""`files` in templates: the files that dsgen ships for the pods, as `.Files` of a chart."""

import functools
import hashlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from dsgen.language.text import to_json

FOLDER = "scripts"
DIGEST_LENGTH = 10
"""Hexadecimal characters: enough that two releases never share one, short enough for the name of an object."""


class Files:
    """The texts below `root/scripts`, by their path below `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @functools.cached_property
    def texts(self) -> Mapping[str, str]:
        """Path -> text, sorted; read when it is first asked for."""
        paths = sorted(path for path in (self._root / FOLDER).iterdir() if path.is_file())
        return {f"{FOLDER}/{path.name}": path.read_text(encoding="utf-8") for path in paths}

    def get(self, path: str) -> str:
        """The text without its one final newline: the template's own line gives it back."""
        return self.texts[path].removesuffix("\n")

    def glob(self, pattern: str) -> dict[str, None]:
        """The paths that match, as the keys of a map; for a loop over its items."""
        return dict.fromkeys(matching(self.texts, pattern))

    def digest(self, pattern: str) -> str:
        """The digest of the files that match. In a chart it is a constant."""
        return digest(self.texts, pattern)


def matching(texts: Mapping[str, str], pattern: str) -> list[str]:
    """The paths that match, sorted."""
    return sorted(path for path in texts if fnmatchcase(path, pattern))


def digest(texts: Mapping[str, str], pattern: str) -> str:
    """A short digest of the names and the content of the files that match."""
    content = to_json({path: texts[path] for path in matching(texts, pattern)})
    return hashlib.sha256(content.encode()).hexdigest()[:DIGEST_LENGTH]
