"""`files` in templates: the text, the names and the digest of files of the package."""

from collections.abc import Mapping

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.tree import Expr
from dsgen.compiler.frontend.types import BLOCK, FILE, NULL, WORD, Type
from dsgen.language.files import digest, matching

NAME = "files"
METHODS = ("get", "glob", "digest")
ONLY = f"the only methods are {', '.join(f'{NAME}.{name}' for name in METHODS)}, of one text"


def call(method: str, given: Expr, files: Mapping[str, str], used: set[str]) -> Expr:
    """`files.get(path)`, `files.glob(pattern)` or `files.digest(pattern)`; a digest is a constant in the outputs.

    Adds the paths of the files to `used`. Raises ValueError, with the reason, if there is no such file.
    """
    text = str(given.value) if isinstance(given, tree.Const) else ""
    if given.type.kind != "file":
        paths = matching(files, text)
        if not paths:
            raise ValueError(f"there is no file {text!r}")
        used.update(paths)
    if method == "digest":
        return tree.Const(digest(files, text), type=WORD)
    if method == "glob":
        return tree.FileNames(text, type=Type("map", key=FILE, item=NULL))
    return tree.FileText(given, type=BLOCK)
