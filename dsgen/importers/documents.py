"""Reads the YAML documents of a source with dsgen's own reader, so that every value has its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.texts import OF_OPERATION, SourceMap, Text, is_private, spend
from dsgen.problems import Diagnostic, KeyPath, Position
from dsgen.reading import read
from dsgen.reading.nodes import Node, SourceText

SEPARATOR = re.compile(r"^---(\s|$)")
TEMPLATE = re.compile(r"\{\{|<%|\{%-? ")
RENDER_FIRST = "render it first and pass the result: helm template ... | dsgen import -"
DUPLICATE = "DS004"
IGNORED = frozenset(("DS005", "DS012", "DS013", "DS014", "DS050"))
"""Problems of the reader that concern Helm, and not what the document means."""

OTHER_SLOTS = "its hosts have different numbers of slots"
MOST_DOCUMENTS = 1000
"""The most documents in one file."""


@dataclass
class SourceDocument:
    """One YAML document.

    root: its tree; path: where it stands in the file, such as `spec.components[0].template` in an AppWrapper; lines:
    the lines of the whole file; problems: keys that the reader could not use, such as duplicate ones.
    """

    root: Node
    lines: Sequence[str]
    path: KeyPath = ()
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def position(self) -> Position:
        """Where it begins."""
        return self.root.position

    @property
    def kind(self) -> str:
        """The kind of a Kubernetes object, else ""."""
        return _read_text(self.root, "kind")

    @property
    def group(self) -> str:
        """The API group of a Kubernetes object, without the version; else ""."""
        version = _read_text(self.root, "apiVersion")
        return version.rpartition("/")[0]

    @property
    def name(self) -> str:
        """metadata.name, else ""."""
        metadata = self.root.find_child("metadata")
        return _read_text(metadata, "name") if metadata else ""

    def read_text(self, node: Node, source_map: SourceMap) -> Text:
        """A scalar as a text whose characters have their places."""
        text = node.value if isinstance(node.value, str) else node.text or format_scalar(node.value)
        block = tuple(_find_block_lines(node, self.lines)) if "\n" in text else ()
        is_quoted = not node.text and "\n" not in text and isinstance(node.value, str)
        return source_map.add_scalar(text, node.position, block, is_quoted)


def read_documents(source: SourceText) -> list[SourceDocument]:
    """The documents of a file, without empty ones. Raises ImportRefusedError for a template or what is not YAML."""
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    lines = text.split("\n")
    found: list[SourceDocument] = []
    starts = [0, *(number for number, line in enumerate(lines) if number and SEPARATOR.match(line))]
    parts = [*zip(starts, [*starts[1:], len(lines)], strict=True)]
    if len(parts) > MOST_DOCUMENTS:
        raise ImportRefusedError(
            f"the file has more than {MOST_DOCUMENTS} documents", Position(source.name, 1, 1), "split it"
        )
    for first, last in parts:
        # The lines of other documents are left empty, so that places stay right.
        part = "\n" * first + "\n".join(lines[first:last]) + "\n"
        if all(not line.strip() or line.lstrip().startswith(("#", "---")) for line in lines[first:last]):
            continue
        spend(len(part))
        tree = read(SourceText(source.name, part))
        spend(OF_OPERATION * sum(1 for _ in tree.root.walk()))
        problems = [diagnostic for diagnostic in tree.diagnostics if diagnostic.id not in IGNORED]
        _refuse_unreadable(problems, part)
        _refuse_template(tree.root)
        found.append(SourceDocument(tree.root, lines, problems=problems))
    return found


def read_items(document: SourceDocument, *keys: str) -> Iterator[SourceDocument]:
    """The documents in a list of a document: `items` of a List, `spec.components` of an AppWrapper."""
    node = document.root.find(keys)[0]
    below = ("template",) if keys[-1] == "components" else ()
    for number, item in enumerate(node.value if isinstance(node.value, list) else ()):
        inner = item.find_child("template") if below else item
        if inner is not None and isinstance(inner.value, dict):
            path = (*document.path, *keys, number, *below)
            yield SourceDocument(inner, document.lines, path)


def walk_scalars(node: Node, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Node]]:
    """All scalars below a node, each with its path."""
    for place, one in node.walk(path):
        if not isinstance(one.value, dict | list):
            yield place, one


def _refuse_unreadable(problems: Sequence[Diagnostic], text: str) -> None:
    for problem in problems:
        if problem.id == DUPLICATE or problem.severity != "error":
            continue
        at = problem.position or Position("", 0, 0)
        if TEMPLATE.search(text):
            raise ImportRefusedError("this is a template, which dsgen does not interpret", at, RENDER_FIRST)
        raise ImportRefusedError(problem.message, at, problem.hint)


def _refuse_template(root: Node) -> None:
    """A template mark in a plain scalar is one; in a quoted text or a script it belongs to the job."""
    for _, node in root.walk():
        is_marked = node.text and TEMPLATE.search(node.text)
        if is_marked or any(TEMPLATE.match(key) for key in (node.value if isinstance(node.value, dict) else ())):
            raise ImportRefusedError("this is a template, which dsgen does not interpret", node.position, RENDER_FIRST)


def _find_block_lines(node: Node, lines: Sequence[str]) -> Iterator[Position]:
    """The places of the lines of a literal block scalar; nothing for a folded or a quoted one."""
    at = node.position
    header = lines[at.line - 1][at.column - 1 :] if at.line <= len(lines) else ""
    if not header.startswith("|"):
        return
    below = lines[at.line :]
    indentation = next((len(line) - len(line.lstrip()) for line in below if line.strip()), 0)
    for number in range(len(below)):
        yield Position(at.file, at.line + 1 + number, indentation + 1)


def format_scalar(value: object) -> str:
    """A scalar as a text; "" for null, a map and a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None or isinstance(value, dict | list) else str(value)


def read_slots(text: str) -> list[int]:
    """The slots of each host of a hostfile."""
    return [int(slots) for slots in re.findall(r"(?m)^[ \t]*[\w.-]+[ \t]+slots=(\d{1,4})", text)]


def _read_text(node: Node, key: str) -> str:
    child = node.find_child(key)
    return child.value if child and isinstance(child.value, str) else ""


def refuse_private(text: str, name: str) -> None:
    """Refuse a source with the characters that stand for unknown parts."""
    for number, line in enumerate(text.split("\n"), 1):
        for column, char in enumerate(line, 1):
            if is_private(char) or char == "\0":
                raise ImportRefusedError("the file has a character that no text has", Position(name, number, column))
