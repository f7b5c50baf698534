"""Names mean one thing: of classes in a package, of exceptions, and of the folders of tests."""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "dsgen"
IN_PODS = "scripts"
"""They are several programs; in them, some exceptions only end a program (`RunEndedError`, `WorkerExitError`)."""
APART = ("generated", "templates", IN_PODS, "__pycache__")


def classes(paths: list[Path]) -> Iterator[ast.ClassDef]:
    for path in paths:
        yield from (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))


def top_packages() -> list[Path]:
    return sorted(path for path in PACKAGE.iterdir() if path.is_dir() and path.name not in APART)


@pytest.mark.parametrize("package", top_packages(), ids=lambda path: path.name)
def test_no_class_name_stands_twice_in_a_package(package: Path) -> None:
    names = Counter(one.name for one in classes([*package.rglob("*.py")]))

    assert [] == [name for name, count in names.items() if count > 1]


def test_exceptions_are_named_as_errors() -> None:
    paths = [path for path in PACKAGE.rglob("*.py") if IN_PODS not in path.relative_to(PACKAGE).parts]
    known = {name for name in dir(builtins) if name.endswith(("Error", "Exception"))}
    bases = {one.name: [ast.unparse(base).rpartition(".")[2] for base in one.bases] for one in classes(paths)}
    while more := {name for name, above in bases.items() if name not in known and {*above} & known}:
        known |= more
    errors = {name for name in bases if name in known}

    assert len(errors) > 10
    assert set() == {name for name in errors if not name.endswith("Error")}


THROUGH_COMMANDS = {"runs": "cli", "gitops": "cli"}
"""Packages whose tests run the commands that use them."""


@pytest.mark.parametrize("package", top_packages(), ids=lambda path: path.name)
def test_a_package_has_its_tests_in_the_folder_of_its_name(package: Path) -> None:
    folder = Path(__file__).parent / THROUGH_COMMANDS.get(package.name, package.name)

    assert [*folder.glob("test_*.py")]
