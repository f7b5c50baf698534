"""Writes a graph as SVG, for light and dark mode: pods on both sides, and the objects that they share between them.

Each object has its own row, and every arrow is a horizontal line at this row, so no arrow needs routing. Only arrows of
other pods, such as those of TensorBoard below the launcher, are curves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from dsgen.graph.model import PODS, Arrow, Graph, Key, Node

ACCESS = ("ServiceAccount", "Role", "RoleBinding")
"""The kinds that grant access to the API; they are drawn as one box."""
LETTER, LINE, MARGIN, GAP, LANE = 6.7, 17, 16, 14, 30
"""Width of a letter and heights, in pixels."""
BETWEEN = 215
"""The columns between the boxes, with the texts of the arrows."""

COLORS = "--paper: {}; --ink: {}; --faint: {}; --box: {}; --edge: {}; --pod: {}; --live: {};"
LIGHT = COLORS.format("#ffffff", "#1f2328", "#59636e", "#f6f8fa", "#8c959f", "#ddf4ff", "#0969da")
DARK = COLORS.format("#0d1117", "#e6edf3", "#9198a1", "#151b23", "#656c76", "#121d2f", "#58a6ff")
STYLE = f"""
  svg {{ {LIGHT} }}
  @media (prefers-color-scheme: dark) {{ svg {{ {DARK} }} }}
  .paper {{ fill: var(--paper); }}
  text {{ font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--ink); }}
  .kind, .small {{ fill: var(--faint); }}
  .name {{ font-weight: 600; }}
  .box {{ fill: var(--box); stroke: var(--edge); }}
  .pods {{ fill: var(--pod); stroke: var(--live); }}
  .other {{ stroke-dasharray: 4; }}
  .arrow {{ fill: none; stroke: var(--edge); }}
  .live {{ stroke: var(--live); stroke-width: 2; }}
  .head {{ fill: var(--edge); }}
  .live-head {{ fill: var(--live); }}
"""


@dataclass(frozen=True)
class Box:
    """The place and size of a drawn node."""

    node: Node
    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    def row(self, y: float) -> float:
        """The y coordinate nearest to `y` at which an arrow can begin."""
        return min(max(y, self.top + 8), self.top + self.height - 8)


def as_svg(graph: Graph, title: str) -> str:
    """A whole SVG document."""
    boxes, size = _layout(graph)
    drawn = [*_arrows(graph, boxes), *(part for box in boxes.values() for part in _box(box)), *_access(graph, boxes)]
    width, height = (f"{side:g}" for side in size)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style>",
            "<defs>",
            *(_head(name) for name in ("head", "live-head")),
            "</defs>",
            f'<rect class="paper" width="{width}" height="{height}"/>',
            *drawn,
            "</svg>\n",
        ]
    )


# -- layout -----------------------------------------------------------------------------------------------------------


def _layout(graph: Graph) -> tuple[dict[Key, Box], tuple[float, float]]:
    """The boxes by node, and the size of the picture: the launcher is on the left, the workers on the right."""
    pods = [node for node in graph.nodes if node.key.kind in PODS]
    workers = [node for node in pods if "worker" in node.parts]
    left = sorted((node for node in pods if node not in workers), key=lambda node: "launcher" not in node.parts)
    shared = [node for node in graph.nodes if node.key.kind not in (*PODS, *ACCESS)]
    shared.sort(key=lambda node: bool(_neighbours(graph, node.key) & {other.key for other in left[1:]}))
    widths = [_width(nodes) for nodes in (left or shared, shared, workers or shared)]
    x = [MARGIN, MARGIN + widths[0] + BETWEEN, MARGIN + widths[0] + widths[1] + 2 * BETWEEN]
    top = MARGIN + LANE * (1 + len(_lanes(graph)))
    boxes = dict(_stack(shared, x[1], top, widths[1]))
    bottom = max([box.top + box.height for box in boxes.values()] + [top + 8 * LINE])
    for node in workers:
        boxes[node.key] = Box(node, x[2], MARGIN, widths[2], bottom - MARGIN)
    if left:
        boxes[left[0].key] = Box(left[0], x[0], MARGIN, widths[0], bottom - MARGIN)
    below = bottom + GAP * 2
    access = [node for node in graph.nodes if node.key.kind in ACCESS]
    below += (len(access) + 1) * LINE + GAP if access else 0
    boxes |= _stack(left[1:], x[0], below, widths[0])
    lowest = max([box.top + box.height for box in boxes.values()] + [below - GAP])
    return boxes, (x[2] + widths[2] + MARGIN, lowest + MARGIN)


def _neighbours(graph: Graph, key: Key) -> set[Key]:
    return {
        end for arrow in graph.arrows if key in (arrow.source, arrow.target) for end in (arrow.source, arrow.target)
    }


def _width(nodes: list[Node]) -> float:
    letters = max(len(text) for node in nodes for text in (*node.key, node.text, "x" * 28))
    return round(letters * LETTER + 2 * MARGIN)


def _stack(nodes: list[Node], left: float, top: float, width: float) -> Iterator[tuple[Key, Box]]:
    for node in nodes:
        height = LINE * (3 if node.text else 2) + 10 + len(node.parts) * (LINE + 8)
        yield node.key, Box(node, left, top, width, height)
        top += height + GAP


def _lanes(graph: Graph) -> list[Arrow]:
    """Arrows from pods to other pods; they pass above the shared objects."""
    return [
        each for each in graph.arrows if each.source != each.target and {each.source.kind, each.target.kind} <= {*PODS}
    ]


# -- drawing ----------------------------------------------------------------------------------------------------------


def _box(box: Box) -> Iterator[str]:
    node, x = box.node, box.left + MARGIN / 2
    look = "pods" if node.key.kind in PODS else "box" if node.is_made else "box other"
    yield _rect(look, box.left, box.top, box.width, box.height)
    y = box.top + LINE
    yield _text(x, y, node.key.kind, "kind")
    yield _text(x, y + LINE, node.key.name, "name")
    if node.text:
        yield _text(x, y + 2 * LINE, node.text, "small")
    yield from _inside(box, y + 3 * LINE - 8)


def _inside(box: Box, y: float) -> Iterator[str]:
    """The containers of a Job with one pod, or the pods of a Job with several, and the traffic between them."""
    node = box.node
    numbers = (
        [f"pod {n}" for n in range(node.pods)] if node.pods <= 3 else ["pod 0", "pod 1", "...", f"pod {node.pods - 1}"]
    )
    names = numbers if node.pods > 1 else [f"container {part}" for part in node.parts]
    step = LINE + 8 if node.pods <= 1 else 2 * LINE + 16
    for number, name in enumerate(names):
        top = y + number * step
        yield _rect("box", box.left + MARGIN, top, box.width - 2 * MARGIN, LINE + 4)
        yield _text(box.left + MARGIN + 8, top + LINE - 3, name)
        if node.pods > 1 and number:
            middle = box.left + box.width / 2
            ends = 'marker-start="url(#live-head)" marker-end="url(#live-head)"'
            yield f'<path class="arrow live" d="M{middle:g} {top - step + LINE + 8:g} V{top - 4:g}" {ends}/>'
            yield _text(middle + 10, top - 8, "collectives" if number == 1 else "", "small")


def _arrows(graph: Graph, boxes: dict[Key, Box]) -> Iterator[str]:
    lanes = _lanes(graph)
    used: dict[tuple[Key, bool], int] = {}
    for arrow in graph.arrows:
        source, target = boxes.get(arrow.source), boxes.get(arrow.target)
        if source is None or target is None or source is target:
            continue
        if arrow in lanes:
            y: float = MARGIN + LANE * (1 + lanes.index(arrow))
        else:  # the second arrow between an object and the pods on one side is below the first
            shared = target if arrow.source.kind in PODS else source
            side = (shared.node.key, source.left < target.left if shared is target else source.left > target.left)
            used[side] = used.get(side, 0) + 1
            y = shared.top + 15 + (used[side] - 1) * (LINE + 4)
        yield from _arrow(arrow, source, target, y, arrow in lanes)


def _arrow(arrow: Arrow, source: Box, target: Box, y: float, is_lane: bool) -> Iterator[str]:
    forward = source.left < target.left
    start, end = (source.right, target.left) if forward else (source.left, target.right)
    end += -7 if forward else 7
    begin, finish = (y, y) if is_lane else (source.row(y), target.row(y))
    path = f"M{start:g} {begin:g} H{end:g}"
    middle = (start + end) / 2
    if begin != finish:
        path = f"M{start:g} {begin:g} C{middle:g} {begin:g} {middle:g} {finish:g} {end:g} {finish:g}"
    look, head = ("arrow live", "live-head") if arrow.is_traffic else ("arrow", "head")
    yield f'<path class="{look}" d="{path}" marker-end="url(#{head})"/>'
    text = f"{arrow.part}: {arrow.text}" if arrow.part else arrow.text
    yield _text(middle, y - 5, text, "small", middle=True)


def _access(graph: Graph, boxes: dict[Key, Box]) -> Iterator[str]:
    """The objects of ACCESS in one box, below the pods that use them."""
    nodes = [node for node in graph.nodes if node.key.kind in ACCESS]
    users = [boxes[arrow.source] for arrow in graph.arrows if arrow.text == "runs as" and arrow.source in boxes]
    if not nodes or not users:
        return
    box, height = users[0], (len(nodes) + 1) * LINE
    top = box.top + box.height + GAP * 2
    yield f'<path class="arrow" d="M{box.left + 60:g} {box.top + box.height:g} V{top - 7:g}" marker-end="url(#head)"/>'
    yield _text(box.left + 70, top - 10, "runs as", "small")
    yield _rect("box", box.left, top, box.width, height)
    for number, node in enumerate(nodes, 1):
        yield _text(box.left + MARGIN / 2, top + number * LINE, f"{node.key.kind} {node.key.name}")


def _rect(look: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{look}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>'


def _text(x: float, y: float, text: str, look: str = "", *, middle: bool = False) -> str:
    anchor = ' text-anchor="middle"' if middle else ""
    return f'<text x="{x:g}" y="{y:g}" class="{look}"{anchor}>{escape(text)}</text>' if text else ""


def _head(name: str) -> str:
    box = 'viewBox="0 0 8 8" refX="1" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse"'
    return f'<marker id="{name}" {box} orient="auto-start-reverse"><path class="{name}" d="M0 0 L8 4 L0 8 z"/></marker>'
