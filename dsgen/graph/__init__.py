"""Draws a job: its objects, the references between them, and the traffic, all read from the rendered objects."""

import json
import re
from collections.abc import Iterable

from dsgen.graph.model import PODS, Graph, Node, make_graph
from dsgen.reading import read
from dsgen.reading.nodes import SourceText

__all__ = ["Graph", "as_mermaid", "make_graph", "read_graph"]

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
    """A flowchart of Mermaid, which GitHub and GitLab draw in Markdown. Traffic has thick arrows."""
    ids = {node.key: f"n{number}" for number, node in enumerate(graph.nodes)}
    lines = ["---", f"title: {json.dumps(title)}", "---", "flowchart LR"]
    for node in graph.nodes:
        lines += _format_node(ids[node.key], node)
    for arrow in graph.arrows:
        source = ids[arrow.source] + (f"_{arrow.part}" if arrow.part else "")
        line = ("<" if arrow.source == arrow.target else "") + ("==>" if arrow.is_traffic else "-->")
        lines.append(f'  {source} {line}|"{_quote(arrow.text)}"| {ids[arrow.target]}')
    if others := [ids[node.key] for node in graph.nodes if not node.is_made]:
        lines += ["  classDef other stroke-dasharray: 4", f"  class {','.join(others)} other"]
    return "\n".join(lines) + "\n"


def _format_node(name: str, node: Node) -> list[str]:
    text = "<br/>".join(_quote(one) for one in (f"{node.key.kind} {node.key.name}", node.text) if one)
    if node.key.kind in PODS:
        parts = [f'    {name}_{part}["{_quote(part)}"]' for part in node.parts]
        return [f'  subgraph {name}["{text}"]', "    direction TB", *parts, "  end"]
    opening, closing = SHAPES.get(node.key.kind, ("[", "]"))
    return [f'  {name}{opening}"{text}"{closing}']


def _quote(text: str) -> str:
    """A text of which Mermaid reads nothing as HTML, as Markdown, as an entity or as a directive."""
    return re.sub('["#<>&`%]', lambda match: f"#{ord(match[0])};", text)
