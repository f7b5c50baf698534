"""Imports point one way: a module of dsgen may import only modules above it in this list."""

import ast
import functools
import re
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "dsgen"

ORDER = (
    *("errors", "roots", "problems", "reading", "language", "generated", "rules", "reports", "schema"),
    *("deepspeed", "estimate", "checks", "values", "editing"),
    *("provenance", "explain", "presets", "pages"),
    *("catalogue", "render", "compiler"),
    *("writer", "repository", "gitops", "runs", "cluster", "search", "api", "graph"),
    *("importers", "cli"),
    "__main__",
)
# Two ways from the same templates; neither knows the other.
APART = ({"render", "compiler"},)
# What only one part of the package, or one module, may import.
RESERVED = {
    "click": "cli",
    "kubernetes": "cluster.client",
    "tree_sitter": "importers.shell",
    "tree_sitter_bash": "importers.shell.syntax",
}
# They run in pods, which have the standard library and no dsgen.
SCRIPTS = "scripts"
# The programs that they are; the name of a script begins with that of its program.
PROGRAMS = ("launcher", "worker", "rank", "status", "keygen", "code", "passwd")
SHARED = "shared"
SCRIPT_LINES = 250


def modules() -> list[Path]:
    """Every Python file of the package, but for the mounted form of the scripts, which tests of their own compare."""
    return sorted(path for path in PACKAGE.rglob("*.py") if "generated/scripts" not in path.as_posix())


def part_of(path: Path) -> str:
    """The name in ORDER that a file belongs to: its module or the folder below dsgen."""
    inside = path.relative_to(PACKAGE)
    return inside.parts[0].removesuffix(".py")


@functools.cache
def imported(path: Path) -> list[str]:
    """The full names of all modules that a file imports, also inside functions."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import it by its full name"
            names += [f"{node.module}.{name.name}" for name in node.names]
    return names


def parts_used(path: Path) -> set[str]:
    """The parts of dsgen that a file imports; the version number belongs to none."""
    names = (name.split(".") for name in imported(path))
    return {name[1] for name in names if name[0] == "dsgen" and name[1:] not in ([], ["__version__"])}


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_what_stands_above_it(path: Path) -> None:
    part = part_of(path)
    if part in (SCRIPTS, "__init__"):
        assert set() == parts_used(path)
        return
    apart = {other for pair in APART if part in pair for other in pair}
    allowed = {*ORDER[: ORDER.index(part)]} - apart | {part}

    assert set() == parts_used(path) - allowed


def dependencies(path: Path) -> set[Path]:
    """The files of dsgen that a file imports."""
    files = set()
    for name in imported(path):
        parts = name.split(".")
        for end in range(len(parts), 1, -1):
            place = PACKAGE.parent.joinpath(*parts[:end])
            file = next((one for one in (place.with_suffix(".py"), place / "__init__.py") if one.exists()), None)
            if file:
                files.add(file)
                break
    return files - {path}


def circles(graph: dict[Path, set[Path]]) -> dict[Path, set[Path]]:
    """What remains of the graph when files that import nothing of the rest are taken away again and again."""
    while ends := {path for path, others in graph.items() if not others & graph.keys()}:
        graph = {path: others for path, others in graph.items() if path not in ends}
    return graph


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {path: dependencies(path) for path in modules() if part_of(path) != SCRIPTS}

    assert sum(map(len, graph.values())) > 100
    assert {} == circles(graph)


def test_a_circle_is_found() -> None:
    a, b, c = Path("a"), Path("b"), Path("c")

    assert {a: {b}, b: {a, c}} == circles({a: {b}, b: {a, c}, c: set()})


def test_every_part_of_the_package_has_its_place() -> None:
    assert {*ORDER, SCRIPTS, "__init__"} >= {part_of(path) for path in modules()}


@pytest.mark.parametrize(("library", "owner"), RESERVED.items())
def test_only_one_part_knows_its_library(library: str, owner: str) -> None:
    paths = [path for path in modules() if any(name.split(".")[0] == library for name in imported(path))]
    users = {".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths}

    assert users
    assert set() == {user for user in users if not f"{user}.".startswith(f"{owner}.")}


def test_scripts_need_nothing_but_python() -> None:
    allowed = set(sys.stdlib_module_names) | {path.stem for path in (PACKAGE / SCRIPTS).glob("*.py")}
    used = {name.split(".")[0] for path in (PACKAGE / SCRIPTS).glob("*.py") for name in imported(path)}

    assert set() == used - allowed


def scripts() -> dict[str, set[str]]:
    """Name of each Python script -> the scripts that it imports."""
    paths = {path.stem: path for path in (PACKAGE / SCRIPTS).glob("*.py")}
    return {stem: {name.split(".")[0] for name in imported(path)} & paths.keys() for stem, path in paths.items()}


def program_of(script: str) -> str:
    """The first word of a script's name."""
    return script.partition("_")[0]


def test_a_script_belongs_to_a_program() -> None:
    stems = {path.stem for path in (PACKAGE / SCRIPTS).iterdir() if path.suffix in (".py", ".sh")}

    assert {program_of(stem) for stem in stems} == {*PROGRAMS, SHARED}
    assert stems >= set(PROGRAMS), "the file that is started has the program's name alone"


@pytest.mark.parametrize(("script", "used"), scripts().items())
def test_a_script_imports_those_of_its_program_and_shared_ones(script: str, used: set[str]) -> None:
    assert {program_of(other) for other in used} <= {program_of(script), SHARED}


def test_no_script_imports_itself_by_way_of_others() -> None:
    graph = {Path(script): {Path(other) for other in used} for script, used in scripts().items()}

    assert sum(map(len, graph.values())) > 100
    assert {} == circles(graph)


@pytest.mark.parametrize("path", sorted((PACKAGE / SCRIPTS).glob("*.*")), ids=lambda path: path.name)
def test_a_script_can_be_read_in_one_go(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= SCRIPT_LINES


def test_only_one_module_prints() -> None:
    prints = re.compile(r"(?<![\w.])print\(|click\.s?echo|sys\.(stdout|stderr)|traceback\.print")
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if part_of(path) != SCRIPTS and prints.search(path.read_text(encoding="utf-8"))
    }

    assert {"cli/_console.py"} == users
