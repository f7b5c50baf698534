"""Draws a job: its objects, the references between them, and the traffic, all read from the rendered objects.

`svg` draws a picture; Mermaid, which GitHub and GitLab draw in Markdown, is written here.
"""

import json
from collections.abc import Callable, Iterable

from dsgen.graph.model import PODS, Graph, Node, make_graph
from dsgen.graph.svg import as_svg
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read

__all__ = ["FORMS", "Graph", "as_mermaid", "as_svg", "make_graph", "read_graph"]

SHAPES = {
    "PersistentVolumeClaim": ("[(", ")]"),
    "PersistentVolume": ("[(", ")]"),
    "Service": ("([", "])"),
    "NetworkPolicy": ("{{", "}}"),
}
"""Kind of object -> the brackets around its text; `[` and `]` for other kinds."""


def read_graph(texts: Iterable[str]) -> Graph:
    """The graph of a job's rendered objects."""
    return make_graph(read(SourceText("", text)).root.as_data() for text in texts)


def as_mermaid(graph: Graph, title: str) -> str:
    """A flowchart of Mermaid."""
    ids = {node.key: f"n{number}" for number, node in enumerate(graph.nodes)}
    lines = ["---", f"title: {json.dumps(title)}", "---", "flowchart LR"]
    for node in graph.nodes:
        lines += _format_node(ids[node.key], node)
    for arrow in graph.arrows:
        source = ids[arrow.source] + (f"_{arrow.part}" if arrow.part else "")
        both = "<-->" if arrow.source == arrow.target else "-->"
        lines.append(f'  {source} {both}|"{_quote(arrow.text)}"| {ids[arrow.target]}')
    if others := [ids[node.key] for node in graph.nodes if not node.is_made]:
        lines += ["  classDef other stroke-dasharray: 4", f"  class {','.join(others)} other"]
    return "\n".join(lines) + "\n"


def _format_node(name: str, node: Node) -> list[str]:
    text = "<br/>".join(filter(None, (f"{node.key.kind} {node.key.name}", _quote(node.text))))
    if node.key.kind in PODS:
        parts = [f'    {name}_{part}["{part}"]' for part in node.parts]
        return [f'  subgraph {name}["{text}"]', "    direction TB", *parts, "  end"]
    opening, closing = SHAPES.get(node.key.kind, ("[", "]"))
    return [f'  {name}{opening}"{text}"{closing}']


def _quote(text: str) -> str:
    return text.replace('"', "#quot;")


FORMS: dict[str, Callable[[Graph, str], str]] = {"svg": as_svg, "mermaid": as_mermaid}
"""Format -> the function that writes a graph with a title."""
