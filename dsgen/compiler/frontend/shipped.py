"""`files` in templates: the text, the names and the digest of the files that are shipped with them."""

from collections.abc import Mapping

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.tree import Expr
from dsgen.compiler.frontend.types import BLOCK, FILE, NULL, WORD, Type
from dsgen.language.files import digest, matching

NAME = "files"
METHODS = ("get", "glob", "digest")
ONLY = f"the only methods are {', '.join(f'{NAME}.{name}' for name in METHODS)}, of one text"


def call(method: str, given: Expr, files: Mapping[str, str], used: set[str]) -> Expr:
    """`files.get(path)`, `files.glob(pattern)` or `files.digest(pattern)`; the last one is a constant of the outputs.

    `used` takes in the paths of the files. ValueError, with the reason, for a file that is not there.
    """
    text = str(given.value) if isinstance(given, tree.Const) else ""
    if given.type.kind != "file":
        found = matching(files, text)
        if not found:
            raise ValueError(f"there is no file {text!r}")
        used.update(found)
    if method == "digest":
        return tree.Const(digest(files, text), type=WORD)
    if method == "glob":
        return tree.FileNames(text, type=Type("map", key=FILE, item=NULL))
    return tree.FileText(given, type=BLOCK)
