"""Draws a job: its objects, the references between them, and the traffic, all read from the rendered objects."""

from collections.abc import Callable, Iterable

from dsgen.graph.mermaid import as_mermaid
from dsgen.graph.model import Graph, graph_of
from dsgen.graph.svg import as_svg
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read

__all__ = ["FORMS", "Graph", "as_mermaid", "as_svg", "graph_of", "of_texts"]

FORMS: dict[str, Callable[[Graph, str], str]] = {"svg": as_svg, "mermaid": as_mermaid}
"""Format -> the function that writes a graph with a title."""


def of_texts(texts: Iterable[str]) -> Graph:
    """The graph of a job's rendered objects."""
    return graph_of(read(SourceText("", text)).root.data() for text in texts)
