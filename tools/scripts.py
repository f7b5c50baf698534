"""The scripts of dsgen/scripts as pods mount them: without comments, docstrings and types, with the same line numbers.

A rendered run contains its scripts, and the size of Kubernetes objects is limited; a quarter of the source is comments.
Because of the same line numbers, a traceback in a pod can be compared with the source.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "dsgen" / "scripts"
# An f-string is one token before Python 3.12, and several from then on.
TEXTS = {getattr(tokenize, name) for name in ("STRING", "FSTRING_MIDDLE", "FSTRING_END") if hasattr(tokenize, name)}
NOTE = "# dsgen/scripts/{name} without its comments.\n"


def texts() -> dict[str, str]:
    """Name -> mounted text of every script."""
    files = [path for path in sorted(SOURCES.iterdir()) if path.suffix in (".py", ".sh")]
    return {path.name: mounted(path.name, path.read_text(encoding="utf-8")) for path in files}


def mounted(name: str, source: str) -> str:
    """The script without its comments; the first emptied line says where the comments are."""
    lines = (python_lines if name.endswith(".py") else shell_lines)(source)
    lines[lines.index("\n")] = NOTE.format(name=name)
    return "".join(lines).rstrip("\n") + "\n"


def python_lines(source: str) -> list[str]:
    """Python without comments, docstrings and types, except for a first line like `#!/usr/bin/env python3`."""
    lines = [list(line) for line in source.splitlines(keepends=True)]
    tree = ast.parse(source)
    for node, sign in _types(tree):
        _cut(lines, source, node, sign)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            _blank(lines, body[0], replacement="" if body[1:] or isinstance(node, ast.Module) else "pass")
    texts: set[int] = set()  # lines that begin inside a text
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (row, column), (last, end) = token.start, token.end
        if token.type in TEXTS:
            texts.update(range(row + 1, last + 1))
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            lines[row - 1][column:end] = " " * (end - column)
    stripped = ["".join(line).rstrip() + "\n" for line in lines]
    return [line if row in texts else _narrow(line) for row, line in enumerate(stripped, 1)]


def _types(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """The types of arguments, results and variables, each with the sign before it.

    Those in the body of a class are the fields of a NamedTuple.
    """
    fields = {id(one) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.returns:
            yield node.returns, "->"
        is_variable = isinstance(node, ast.AnnAssign) and node.value and id(node) not in fields
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation and (is_variable or isinstance(node, ast.arg)):
            yield node.annotation, ":"


def shell_lines(source: str) -> list[str]:
    """Bash without lines that are comments. No script has a here-document or a text with such a line."""
    kept = source.splitlines(keepends=True)
    return [line if line.startswith("#!") or not line.lstrip().startswith("#") else "\n" for line in kept]


def _narrow(line: str) -> str:
    """The line with half of its indentation: a seventh of the text is spaces."""
    text = line.lstrip(" ")
    return " " * ((len(line) - len(text)) // 2) + text


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _cut(lines: list[list[str]], source: str, node: ast.expr, sign: str) -> None:
    """Empty the characters of a type, on one line, and the sign before it; the line keeps its length."""
    assert node.lineno == node.end_lineno
    row = node.lineno - 1
    text = source.splitlines()[row].encode()  # offsets are those of UTF-8
    end = len(text[: node.end_col_offset].decode())
    start = len(text[: node.col_offset].decode().rpartition(sign)[0].rstrip())
    lines[row][start:end] = [""] * (end - start)


def _blank(lines: list[list[str]], node: ast.stmt, replacement: str) -> None:
    assert node.end_lineno is not None
    indent = " " * node.col_offset
    lines[node.lineno - 1 : node.end_lineno] = [list("\n") for _ in range(node.lineno, node.end_lineno + 1)]
    lines[node.lineno - 1] = list(f"{indent}{replacement}\n")
