"""Keeps what Python has compiled of these scripts in the volume of the container.

They are mounted without a __pycache__, so each process would compile them again, which takes longer than all else that
rank.py or session.py does. The programs of a worker call `use` before they import other modules of dsgen.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

ROOT = Path(os.environ.get("DSGEN_ROOT") or "/")
SCRIPTS, FOLDER = str(Path(__file__).parents[1]), ROOT / "run/dsgen/compiled"


class Loader(SourceFileLoader):
    """Loads modules of dsgen. Other modules stay where they are compiled already."""

    def get_code(self, fullname: str) -> CodeType | None:
        before, sys.pycache_prefix = sys.pycache_prefix, str(FOLDER)
        try:
            return super().get_code(fullname)
        finally:
            sys.pycache_prefix = before


def make_finder(path: str) -> FileFinder:
    """The finder of modules in a folder of dsgen."""
    if not path.startswith(SCRIPTS):
        raise ImportError(path)
    return FileFinder(path, (Loader, [".py"]))


def use() -> None:
    """Load modules of dsgen from there, from now on."""
    try:
        FOLDER.mkdir(mode=0o755, exist_ok=True)
        status = FOLDER.lstat()
    except OSError:
        return
    # Only root or this user may have written there. With ssh.user, ranks are of another user than sshd.
    if status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o022:
        return
    sys.path_hooks.insert(0, make_finder)
    for path in [path for path in sys.path_importer_cache if path.startswith(SCRIPTS)]:
        del sys.path_importer_cache[path]
