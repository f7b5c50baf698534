"""Writes files to a folder, and records there what it wrote.

A `Plan` is the complete content of a folder. `compare` returns the changes and the reasons to refuse them, and `write`
makes the changes. The content of the folder is not trusted, because it may come from a pull request: no link in it is
followed.
"""

from dsgen.writer.comparison import compare, find_untouched, read_texts
from dsgen.writer.folder import Destination, Folder, RefusedError, SourceFolder, is_path, name_folder
from dsgen.writer.index import INDEX, as_canonical_json, compute_checksum, read_index
from dsgen.writer.plan import Changes, Claims, Mode, Plan, remove_suspension
from dsgen.writer.staging import create, rewrite, write

__all__ = [
    "INDEX",
    "Changes",
    "Claims",
    "Destination",
    "Folder",
    "Mode",
    "Plan",
    "RefusedError",
    "SourceFolder",
    "as_canonical_json",
    "compare",
    "compute_checksum",
    "create",
    "find_untouched",
    "is_path",
    "name_folder",
    "read_index",
    "read_texts",
    "remove_suspension",
    "rewrite",
    "write",
]
