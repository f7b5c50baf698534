"""`files` in templates: the text, the names and the digest of the files that are shipped with them."""

from typing import TYPE_CHECKING

from jinja2 import nodes

from dsgen.compiler import tree
from dsgen.compiler.tree import Expr
from dsgen.compiler.types import BLOCK, FILE, NULL, WORD, Type
from dsgen.language.files import digest, matching

if TYPE_CHECKING:
    from dsgen.compiler.expressions import Expressions

NAME = "files"
METHODS = ("get", "glob", "digest")


def call(expressions: "Expressions", node: nodes.Call, method: nodes.Getattr) -> Expr:
    """`files.get(path)`, `files.glob(pattern)` or `files.digest(pattern)`; the last one is a constant of the chart."""
    is_files = isinstance(method.node, nodes.Name) and method.node.name == NAME and method.attr in METHODS
    if not is_files or len(node.args) != 1:
        names = ", ".join(f"{NAME}.{name}" for name in METHODS)
        raise expressions.error(node, f"the only methods are {names}, of one text")
    given = expressions.value(node.args[0])
    text = str(given.value) if isinstance(given, tree.Const) else ""
    if method.attr != "digest" and NAME not in expressions.roots:
        raise expressions.error(node, "files are read in templates, not in helpers")
    if given.type.kind != "file":
        _use(expressions, node, text)
    if method.attr == "digest":
        return tree.Const(digest(expressions.helpers.files, text), type=WORD)
    if method.attr == "glob":
        return tree.FileNames(text, type=Type("map", key=FILE, item=NULL))
    return tree.FileText(given, type=BLOCK)


def _use(expressions: "Expressions", node: nodes.Node, pattern: str) -> None:
    """Notes the files that match; there must be one."""
    found = matching(expressions.helpers.files, pattern)
    if not found:
        raise expressions.error(node, f"there is no file {pattern!r}")
    expressions.helpers.used_files.update(found)
