"""Imports point one way: a module of dsgen may import only modules above it in this list."""

import ast
import functools
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "dsgen"

ORDER = (
    *("errors", "problems", "reading", "language", "generated", "reports", "schema"),
    *("deepspeed", "estimate", "checks", "values", "forecasts", "editing"),
    "shipped",
    *("catalogue", "render", "compiler"),
    *("writer", "repository", "gitops", "runs", "cluster", "explain", "api", "graph"),
    *("importers", "cli"),
    "__main__",
)
# Two ways from the same templates; neither knows the other.
APART = ({"render", "compiler"},)
# What only one part of the package, or one module, may import.
RESERVED = {
    "click": "cli",
    "jsonschema": "schema",
    "kubernetes": "cluster.client",
    "ruamel": "editing",
    "tree_sitter": "importers.shell",
    "tree_sitter_bash": "importers.shell.syntax",
}
# They run in pods, which have the standard library and no dsgen.
SCRIPTS = "scripts"
# A folder for each container that runs them, whose main.py is its program.
PROGRAMS = ("launcher", "status", "worker")
SHARED = "shared"
OF_METHODS = ("local", "slurm", "ssh")


def modules() -> list[Path]:
    """Every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))


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
    """The parts of dsgen that a file imports; the version number and two modules of the scripts belong to none."""
    names = (re.sub(r"dsgen\.scripts\.(slurm|shared\.hostfile)", "", name).split(".") for name in imported(path))
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


def test_every_part_of_the_package_has_its_place() -> None:
    assert {*ORDER, SCRIPTS, "__init__"} >= {part_of(path) for path in modules()}


@pytest.mark.parametrize(("library", "owner"), RESERVED.items())
def test_only_one_part_knows_its_library(library: str, owner: str) -> None:
    paths = [path for path in modules() if any(name.split(".")[0] == library for name in imported(path))]
    users = {".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths}

    assert users
    assert set() == {user for user in users if not any(f"{user}.".startswith(f"{one}.") for one in owner.split())}


def scripts() -> dict[str, Path]:
    """The name by which each Python script is imported -> its file."""
    return {f"{path.parent.name}.{path.stem}": path for path in (PACKAGE / SCRIPTS).glob("*/*.py")}


def scripts_used(path: Path) -> set[str]:
    """The scripts that a script imports."""
    modules = {".".join(name.split(".")[:2]) for name in imported(path)}
    return modules & scripts().keys()


def test_scripts_need_nothing_but_python() -> None:
    allowed = set(sys.stdlib_module_names) | {*PROGRAMS, SHARED, *OF_METHODS}
    used = {name.split(".")[0] for path in scripts().values() for name in imported(path)}

    assert set() == used - allowed


def test_no_script_hides_a_module_of_python() -> None:
    """The folder of a program is in front of those of Python."""
    assert set() == {path.stem for path in scripts().values()} & set(sys.stdlib_module_names)


def test_a_script_belongs_to_a_program() -> None:
    folders = {path.parent for path in (PACKAGE / SCRIPTS).rglob("*") if path.suffix in (".py", ".sh")}

    assert folders == {PACKAGE / SCRIPTS / name for name in (*PROGRAMS, SHARED, *OF_METHODS)}
    assert {f"{program}.main" for program in PROGRAMS} <= scripts().keys()


@pytest.mark.parametrize("name", scripts())
def test_a_script_imports_those_of_one_program_and_shared_ones(name: str) -> None:
    """Only the program itself imports those of a method, which not every job has."""
    folder, _, module = name.partition(".")
    also = PROGRAMS if folder in OF_METHODS else OF_METHODS if module == "main" else ()
    reached = {name}
    while more := {other for one in reached for other in scripts_used(scripts()[one])} - reached:
        reached |= more

    assert {other.partition(".")[0] for other in scripts_used(scripts()[name])} <= {folder, SHARED, *also}
    assert len({one.partition(".")[0] for one in reached} & {*PROGRAMS}) <= 1


def test_no_script_imports_itself_by_way_of_others() -> None:
    graph = {Path(name): {Path(other) for other in scripts_used(path)} for name, path in scripts().items()}

    assert sum(map(len, graph.values())) > 100
    assert {} == circles(graph)


def test_no_class_stands_in_two_scripts() -> None:
    trees = [ast.parse(path.read_text()) for path in scripts().values()]
    found = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))

    assert [] == [name for name, number in found.items() if number > 1]


def test_only_one_module_prints() -> None:
    prints = re.compile(r"(?<![\w.])print\(|click\.s?echo|sys\.(stdout|stderr)|traceback\.print")
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if part_of(path) != SCRIPTS and prints.search(path.read_text(encoding="utf-8"))
    }

    assert {"cli/_console.py"} == users
