"""The settings of a repository: reads dsgen.yaml, and checks it like a values file."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgen.language.functions import read_json
from dsgen.problems import Diagnostic, KeyPath, Position, sort_problems
from dsgen.reading import MAX_BYTES, SETTINGS_FILE, read
from dsgen.reading.nodes import Node, SourceText, Tree
from dsgen.schema import Schema
from dsgen.schema.messages import About
from dsgen.schema.suggestions import did_you_mean, find_closest, list_possible
from dsgen.schema.validate import find_schema_problems
from dsgen.writer import Destination, SourceFolder, is_path, name_folder

NAMESPACE, NAME = PLACEHOLDERS = ("{namespace}", "{name}")
"""Placeholders for the names of a job in the path of its folder."""
SCRIPTS = "dsgen-runtime"
"""Stands for the name of a job in the path of the folder of shared scripts, also if these have another name."""
VALUES = frozenset(("defaults", "values"))
"""Keys whose values are values of a job, which have their own schema."""


@functools.cache
def load_schema() -> Schema:
    """The schema of dsgen.yaml; shared, do not change it."""
    return read_json("repository/settings.json")


def make_editor_schema() -> Schema:
    """The copy for editors; it refers to values.schema.json in the same folder."""
    editors = _refer_to_values(load_schema())
    assert isinstance(editors, dict)
    return editors


def _refer_to_values(part: Any, key: str = "") -> Any:
    if isinstance(part, dict):
        if key in VALUES and part.get("type") == "object":
            return {"$ref": "values.schema.json", "description": part["description"]}
        return {name: _refer_to_values(below, name) for name, below in part.items() if not name.startswith("x-")}
    return [_refer_to_values(below) for below in part] if isinstance(part, list) else part


@dataclass(frozen=True)
class Settings:
    """The content of dsgen.yaml. root: its folder; tree: its values with their places; diagnostics: its problems."""

    root: Path
    source: SourceText
    tree: Tree
    diagnostics: tuple[Diagnostic, ...]

    def read_value(self, *path: str | int) -> Any:
        """The value at a path; for an absent key, its default if it is at the top, otherwise None."""
        if node := self.find_node(*path):
            return node.as_data()
        return load_schema()["properties"].get(path[0], {}).get("default") if len(path) == 1 else None

    def find_node(self, *path: str | int) -> Node | None:
        node, known = self.tree.root.find(path)
        return node if len(known) == len(path) else None

    def position(self, path: KeyPath) -> Position:
        """The place of a value, or of the nearest existing key above it."""
        return self.tree.root.find(path)[0].position


def load(root: Path) -> Settings:
    """The settings of a repository. Raises RefusedError if dsgen.yaml is not a regular file."""
    with SourceFolder(Destination(root)) as folder:
        content = folder.read(SETTINGS_FILE, MAX_BYTES) or b""
    return read_settings(SourceText.from_bytes(str(root / SETTINGS_FILE), content), root)


def read_settings(source: SourceText, root: Path) -> Settings:
    """Parse and check the text of dsgen.yaml."""
    tree = read(source)
    about = About("dsgen.yaml", _suggest_key)
    outside = _remove_values(tree.root)
    problems = [*tree.diagnostics, *find_schema_problems(load_schema(), outside, tree.complete, about)]
    if not problems:
        problems += _find_problems(tree.root)
    return Settings(root, source, tree, tuple(sort_problems(problems)))


def _suggest_key(key: str, _path: KeyPath, part: Schema) -> str:
    known = sorted(part["properties"])
    return did_you_mean(find_closest(key, known)) or list_possible(known, "keys")


def _remove_values(root: Node) -> Node:
    """The tree without the content of `defaults` and `values`, in which null is allowed."""
    below = {
        (*path, key)
        for path, node in root.walk()
        if path and path[-1] in VALUES and isinstance(node.value, dict)
        for key in node.value
    }
    return root.copy_without(below)


def _find_problems(root: Node) -> Iterator[Diagnostic]:
    """Problems that the schema cannot express."""
    for path, node in root.walk():
        if path[:1] in (("output",), ("charts",)):
            yield from _check_folder(str(node.value), path, node.position)
        elif path[:1] == ("checks",) and len(path) == 2:
            from dsgen.reports import RULES  # imported late: few repositories have `checks`

            if path[1] not in RULES:
                hint, at = did_you_mean(find_closest(str(path[1]), [*RULES])), node.key or node.position
                yield Diagnostic("DS906", f"{path[1]} is not the id of a problem", at, path, hint)
        elif path[-2:-1] in (("jobs",), ("files",)) and node.key is None and not is_pattern(str(node.value)):
            message = f"{node.value} is not a path below the folder of {SETTINGS_FILE}"
            yield Diagnostic("DS906", message, node.position, path, "write / between its folders, and no ..")


def _check_folder(text: str, path: KeyPath, at: Position) -> Iterator[Diagnostic]:
    plain = text
    for placeholder in PLACEHOLDERS:
        plain = plain.replace(placeholder, "x")
    if "{" in plain or "}" in plain:
        message = f"{path[0]} has an unknown placeholder in braces"
        yield Diagnostic("DS906", message, at, path, list_possible(PLACEHOLDERS, "placeholders"))
    elif not is_path(plain):
        message = f"{path[0]} is not the path of a folder below the folder of {SETTINGS_FILE}"
        yield Diagnostic("DS906", message, at, path, "use a path such as rendered/{namespace}/{name}")
    elif hidden := next((part for part in plain.split("/") if part.startswith(".")), ""):
        message = f"{path[0]} has the folder {hidden}: Git, CI systems and editors run or read what is in such folders"
        yield Diagnostic("DS906", message, at, path, "use a path such as rendered/{namespace}/{name}")


def fill_job_folder(path: str, namespace: str, name: str) -> str:
    """The folder of a job: a path in which these names replace the placeholders."""
    return path.replace(NAMESPACE, name_folder(namespace)).replace(NAME, name_folder(name))


def is_pattern(text: str) -> bool:
    """Whether a pattern stays below the folder: without `..`, root, drive and backslash."""
    return not (text.startswith("/") or "\\" in text or ":" in text or ".." in text.split("/") or "\0" in text)
