"""The mounted scripts do the same as their sources, and tracebacks have the same line numbers."""

import ast
import functools
from pathlib import Path

import pytest

from tools import scripts

TEXTS = functools.cache(scripts.texts)
SOURCES = {path.name: path.read_text() for path in scripts.SOURCES.iterdir() if path.suffix in (".py", ".sh")}


class Untyped(ast.NodeTransformer):
    """Leaves out the types of arguments, results and variables, but not those of the fields of a class."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [one if isinstance(one, ast.AnnAssign) else self.visit(one) for one in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        assert node.value is not None
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def code(text: str) -> str:
    """What Python makes of a text, docstrings and types left out, with the number of every line."""
    tree = Untyped().visit(ast.parse(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            if isinstance(first, ast.Pass) or ast.get_docstring(node) is not None:
                del node.body[0]
    places = [(type(node).__name__, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.expr)]
    return f"{ast.dump(tree)}\n{places}"


@pytest.mark.parametrize("name", sorted(name for name in SOURCES if name.endswith(".py")))
def test_python_is_the_same_code_on_the_same_lines(name: str) -> None:
    mounted = TEXTS()[name]

    assert code(mounted) == code(SOURCES[name])
    assert ast.unparse(Untyped().visit(ast.parse(mounted))) == ast.unparse(ast.parse(mounted)), "no type is left"
    assert '"""' not in mounted
    assert [line for line in mounted.splitlines() if line.lstrip().startswith("#") and line[:2] != "#!"] == [
        scripts.NOTE.format(name=name).rstrip()
    ]


@pytest.mark.parametrize("name", sorted(name for name in SOURCES if name.endswith(".sh")))
def test_of_a_shell_script_only_comments_are_gone(name: str) -> None:
    mounted = TEXTS()[name].splitlines()
    source = SOURCES[name].splitlines()

    assert len(mounted) == len(source)
    assert all(was == now or was.lstrip().startswith("#") for was, now in zip(source, mounted, strict=True))
    assert source[0] == mounted[0]
    assert "<<" not in SOURCES[name], "a here-document may have lines that only look like comments"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('"""Module."""\nX = "#"  # why\n', '{note}X = "#"\n'),
        (
            '\nclass A(Exception):\n    """Only\n    words."""\n\nX = 1\n',
            "{note}class A(Exception):\n  pass\n\n\nX = 1\n",
        ),
        ("\ndef f():\n    '''Words.'''\n    # why\n    return 1\n", "{note}def f():\n\n\n  return 1\n"),
        (
            "\nclass A(NamedTuple):\n    a: int = 1\n\n    def f(self, é: str = ':', *b: int) -> str | None:\n"
            "        self.x: list[int] = []\n        y: int = 1\n",
            "{note}class A(NamedTuple):\n  a: int = 1\n\n  def f(self, é = ':', *b):\n    self.x = []\n    y = 1\n",
        ),
        ('#!/usr/bin/env python3\n"""Module."""\nX = """# no comment\n"""\n', None),
    ],
)
def test_comments_docstrings_and_types_are_taken_out(source: str, expected: str | None) -> None:
    shortened = scripts.mounted("x.py", source)

    if expected is None:
        assert shortened == f'#!/usr/bin/env python3\n{note()}X = """# no comment\n"""\n'
    else:
        assert shortened == expected.format(note=note())


def note() -> str:
    return scripts.NOTE.format(name="x.py")


def test_what_is_shipped_is_what_is_generated() -> None:
    folder = Path(__file__).parent.parent / "dsgen" / "generated" / "scripts"

    assert {path.name: path.read_text() for path in folder.iterdir() if path.suffix != ".pyc" and path.is_file()} == (
        scripts.texts()
    )
