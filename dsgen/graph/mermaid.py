"""Writes a graph as Mermaid, which GitHub and GitLab draw in Markdown."""

import json

from dsgen.graph.model import PODS, Graph, Node

SHAPES = {
    "PersistentVolumeClaim": ("[(", ")]"),
    "PersistentVolume": ("[(", ")]"),
    "Service": ("([", "])"),
    "NetworkPolicy": ("{{", "}}"),
}
"""Kind of object -> the brackets around its text; `[` and `]` for other kinds."""


def as_mermaid(graph: Graph, title: str) -> str:
    """A flowchart."""
    ids = {node.key: f"n{number}" for number, node in enumerate(graph.nodes)}
    lines = ["---", f"title: {json.dumps(title)}", "---", "flowchart LR"]
    for node in graph.nodes:
        lines += _node(ids[node.key], node)
    for arrow in graph.arrows:
        source = ids[arrow.source] + (f"_{arrow.part}" if arrow.part else "")
        both = "<-->" if arrow.source == arrow.target else "-->"
        lines.append(f'  {source} {both}|"{_quote(arrow.text)}"| {ids[arrow.target]}')
    if others := [ids[node.key] for node in graph.nodes if not node.is_made]:
        lines += ["  classDef other stroke-dasharray: 4", f"  class {','.join(others)} other"]
    return "\n".join(lines) + "\n"


def _node(name: str, node: Node) -> list[str]:
    text = "<br/>".join(filter(None, (f"{node.key.kind} {node.key.name}", _quote(node.text))))
    if node.key.kind in PODS:
        parts = [f'    {name}_{part}["{part}"]' for part in node.parts]
        return [f'  subgraph {name}["{text}"]', "    direction TB", *parts, "  end"]
    opening, closing = SHAPES.get(node.key.kind, ("[", "]"))
    return [f'  {name}{opening}"{text}"{closing}']


def _quote(text: str) -> str:
    return text.replace('"', "#quot;")
