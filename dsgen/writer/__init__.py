"""Writes what was made into a folder, and remembers there what it wrote.

A `Plan` is everything that one folder shall hold. `compare` says what would change and what stands in the way, `write`
does it. The folder may come from others, in a pull request for example: nothing in it leads to a place outside it.
"""

from dsgen.writer.comparison import compare, texts, untouched
from dsgen.writer.folder import Folder, Refused, SourceFolder
from dsgen.writer.index import INDEX, canonical, checksum, read_index
from dsgen.writer.paths import Place, folder_name, is_path
from dsgen.writer.plan import Changes, Claims, Mode, Plan, frozen_text
from dsgen.writer.staging import create, rewrite, write

__all__ = [
    "INDEX",
    "Changes",
    "Claims",
    "Folder",
    "Mode",
    "Place",
    "Plan",
    "Refused",
    "SourceFolder",
    "canonical",
    "checksum",
    "compare",
    "create",
    "folder_name",
    "frozen_text",
    "is_path",
    "read_index",
    "rewrite",
    "texts",
    "untouched",
    "write",
]
