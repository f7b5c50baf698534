"""Writes a graph as SVG, for light and dark mode: pods on both sides, and the objects that they share between them.

Each object has its own row, and every arrow is a horizontal line at this row, so no arrow needs routing. Only arrows of
other pods, such as those of TensorBoard below the launcher, turn: each in its own lane beside the shared objects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from dsgen.graph.model import PODS, Arrow, Graph, Key, Node
from dsgen.graph.theme import begin_svg, look

ACCESS = ("ServiceAccount", "Role", "RoleBinding")
"""The kinds that grant access to the API; they are drawn as one box."""
LETTER, LINE, MARGIN, GAP, LANE, TURN = 6.7, 17, 16, 14, 30, 12
"""Width of a letter, heights, and width of the lane of an arrow that turns, in pixels."""
LEAST_BETWEEN, MOST_LETTERS = 150, 48
"""The columns between the boxes, with the texts of the arrows: their least width, and the longest text."""
FONT = 'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="11"'


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

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def choose_row(self, y: float) -> float:
        """The y coordinate nearest to `y` at which an arrow can begin."""
        return min(max(y, self.top + 8), self.bottom - 8)


@dataclass(frozen=True)
class Columns:
    """The nodes on the left (the launcher first), between and on the right, and the arrows that turn."""

    left: list[Node]
    shared: list[Node]
    right: list[Node]
    turning: list[Arrow]


def as_svg(graph: Graph, title: str) -> str:
    """A whole SVG document."""
    columns = _arrange_columns(graph)
    boxes, (width, height) = _lay_out(graph, columns)
    lines = [
        *begin_svg(width, height, escape(title), FONT),
        "<defs>",
        *(_draw_arrow_head(name) for name in ("head", "live-head")),
        "</defs>",
        f'<rect {look("paper")} width="{width:g}" height="{height:g}"/>',
        *_draw_arrows(graph, boxes, columns.turning),
        *(part for box in boxes.values() for part in _draw_box(box)),
        *_draw_access(graph, boxes),
    ]
    return "\n".join([*lines, "</svg>\n"])


# -- layout -----------------------------------------------------------------------------------------------------------


def _arrange_columns(graph: Graph) -> Columns:
    pods = [node for node in graph.nodes if node.key.kind in PODS]
    workers = [node for node in pods if "worker" in node.parts]
    left = sorted((node for node in pods if node not in workers), key=lambda node: "launcher" not in node.parts)
    below = {node.key for node in left[1:]}
    shared = [node for node in graph.nodes if node.key.kind not in (*PODS, *ACCESS)]
    keys, claims = [node.key for node in shared], _find_claims(graph)
    shared.sort(key=lambda node: (keys.index(claims.get(node.key, node.key)), node.key in claims))
    shared.sort(key=lambda node: bool(_find_neighbours(graph, node.key) & below))
    place = {node.key: number for number, node in enumerate(shared)}
    turning = [each for each in graph.arrows if {each.source, each.target} & below and _find_shared(each, place)]
    return Columns(left, shared, workers, sorted(turning, key=lambda each: place[_find_shared(each, place)[0]]))


def _find_claims(graph: Graph) -> dict[Key, Key]:
    """The claim of each PersistentVolume; the volume is drawn below it."""
    return {each.target: each.source for each in graph.arrows if each.target.kind == "PersistentVolume"}


def _find_shared(arrow: Arrow, shared: dict[Key, int]) -> list[Key]:
    """The end of an arrow that is a shared object, if there is one."""
    return [key for key in (arrow.source, arrow.target) if key in shared]


def _lay_out(graph: Graph, columns: Columns) -> tuple[dict[Key, Box], tuple[float, float]]:
    """The boxes by node, and the size of the picture: the launcher is on the left, the workers on the right."""
    left, shared, workers = columns.left, columns.shared, columns.right
    access = [node for node in graph.nodes if node.key.kind in ACCESS]
    widths = [_compute_width(nodes) for nodes in (left or shared, shared, workers or shared)]
    widths[0] = max([widths[0], *(round(len(" ".join(node.key)) * LETTER + MARGIN) for node in access)])
    between = [_compute_width_between(graph, nodes) for nodes in (left, workers)]
    between[0] += (len(columns.turning) + 1) * TURN if columns.turning else 0
    x = [MARGIN, MARGIN + widths[0] + between[0], MARGIN + widths[0] + widths[1] + sum(between)]
    top = MARGIN + LANE * (1 + len(_list_lanes(graph)))
    boxes = dict(_stack(shared, x[1], top, widths[1], apart=_find_claims(graph)))
    bottom = max([box.bottom for box in boxes.values()] + [top + 8 * LINE])
    for node in workers:
        boxes[node.key] = Box(node, x[2], MARGIN, widths[2], bottom - MARGIN)
    if left:
        boxes[left[0].key] = Box(left[0], x[0], MARGIN, widths[0], bottom - MARGIN)
    below = bottom + GAP * 2
    below += (len(access) + 1) * LINE + GAP if access else 0
    rows = {key: len([arrow for arrow in columns.turning if key in arrow[:2]]) for key in (n.key for n in left[1:])}
    boxes |= _stack(left[1:], x[0], below, widths[0], rows)
    lowest = max([box.bottom for box in boxes.values()] + [below - GAP])
    return boxes, (x[2] + widths[2] + MARGIN, lowest + MARGIN)


def _find_neighbours(graph: Graph, key: Key) -> set[Key]:
    return {
        end for arrow in graph.arrows if key in (arrow.source, arrow.target) for end in (arrow.source, arrow.target)
    }


def _compute_width(nodes: list[Node]) -> float:
    letters = max(len(text) for node in nodes for text in (*node.key, node.text, "x" * 28))
    return round(letters * LETTER + 2 * MARGIN)


def _compute_width_between(graph: Graph, nodes: list[Node]) -> float:
    """The width of the column beside these nodes: that of the longest text on one of its arrows."""
    keys, lanes = {node.key for node in nodes}, _list_lanes(graph)
    texts = [_shorten_text(each) for each in graph.arrows if {each.source, each.target} & keys and each not in lanes]
    return max(LEAST_BETWEEN, round(max(map(len, texts), default=0) * LETTER + 2 * MARGIN))


def _shorten_text(arrow: Arrow) -> str:
    """The text of an arrow; of a long path, the end."""
    text = f"{arrow.part}: {arrow.text}" if arrow.part else arrow.text
    words, slash, path = text.partition("/")
    if len(text) <= MOST_LETTERS or not slash:
        return text
    end = path[len(words) + len(".../") - MOST_LETTERS - 1 :]
    return f"{words}.../{end.partition('/')[2] or end[1:]}"


def _stack(
    nodes: list[Node],
    left: float,
    top: float,
    width: float,
    rows: Mapping[Key, int] | None = None,
    apart: Collection[Key] = (),
) -> Iterator[tuple[Key, Box]]:
    """Boxes below each other. rows: the arrows for which a box needs room; apart: boxes with an arrow from above."""
    for node in nodes:
        top += GAP if node.key in apart else 0
        height = LINE * (3 if node.text else 2) + 10 + len(node.parts) * (LINE + 8)
        height = max(height, (rows or {}).get(node.key, 0) * (LINE + 4) + GAP)
        yield node.key, Box(node, left, top, width, height)
        top += height + GAP


def _list_lanes(graph: Graph) -> list[Arrow]:
    """Arrows from pods to other pods; they pass above the shared objects."""
    return [
        each for each in graph.arrows if each.source != each.target and {each.source.kind, each.target.kind} <= {*PODS}
    ]


# -- drawing ----------------------------------------------------------------------------------------------------------


def _draw_box(box: Box) -> Iterator[str]:
    node, x = box.node, box.left + MARGIN / 2
    kind = "pods" if node.key.kind in PODS else "box" if node.is_made else "other"
    yield _draw_rect(kind, box.left, box.top, box.width, box.height)
    y = box.top + LINE
    yield _draw_text(x, y, node.key.kind, "faint")
    yield _draw_text(x, y + LINE, node.key.name, "name")
    if node.text:
        yield _draw_text(x, y + 2 * LINE, node.text, "faint")
    yield from _draw_inside(box, y + 3 * LINE - 8)


def _draw_inside(box: Box, y: float) -> Iterator[str]:
    """The containers of a Job with one pod, or the pods of a Job with several, and the traffic between them."""
    node = box.node
    numbers = (
        [f"pod {n}" for n in range(node.pods)] if node.pods <= 3 else ["pod 0", "pod 1", "...", f"pod {node.pods - 1}"]
    )
    names = numbers if node.pods > 1 else [f"container {part}" for part in node.parts]
    step = LINE + 8 if node.pods <= 1 else 2 * LINE + 16
    for number, name in enumerate(names):
        top = y + number * step
        yield _draw_rect("box", box.left + MARGIN, top, box.width - 2 * MARGIN, LINE + 4)
        yield _draw_text(box.left + MARGIN + 8, top + LINE - 3, name)
        if node.pods > 1 and number:
            middle = box.left + box.width / 2
            ends = 'marker-start="url(#live-head)" marker-end="url(#live-head)"'
            yield f'<path {look("live")} d="M{middle:g} {top - step + LINE + 8:g} V{top - 4:g}" {ends}/>'
            yield _draw_text(middle + 10, top - 8, "collectives" if number == 1 else "", "faint")


def _draw_arrows(graph: Graph, boxes: dict[Key, Box], turning: list[Arrow]) -> Iterator[str]:
    lanes, claims = _list_lanes(graph), _find_claims(graph)
    used: dict[tuple[Key, bool], int] = {}
    for arrow in graph.arrows:
        source, target = boxes.get(arrow.source), boxes.get(arrow.target)
        if source is None or target is None or source is target:
            continue
        if arrow.target in claims:
            yield _draw_path(arrow, f"M{source.left + 60:g} {source.bottom:g} V{target.top - 7:g}")
            yield _draw_text(source.left + 70, target.top - 10, arrow.text, "faint")
            continue
        if arrow in lanes:
            yield from _draw_arrow(arrow, source, target, MARGIN + LANE * (1 + lanes.index(arrow)))
            continue
        # The second arrow between an object and the pods on one side is below the first.
        shared = target if arrow.source.kind in PODS else source
        side = (shared.node.key, source.left < target.left if shared is target else source.left > target.left)
        used[side] = used.get(side, 0) + 1
        y = shared.choose_row(shared.top + 15 + (used[side] - 1) * (LINE + 4))
        if arrow in turning:
            yield from _draw_turn(arrow, source, target, y, turning)
        else:
            # The texts of the left column are beside the lanes of the arrows that turn.
            lane = (len(turning) + 1) * TURN if turning and min(source.left, target.left) < shared.left else 0
            yield from _draw_arrow(arrow, source, target, y, lane)


def _draw_arrow(arrow: Arrow, source: Box, target: Box, y: float, lane: float = 0) -> Iterator[str]:
    """A horizontal line. lane: what is left free of text, at its right end."""
    forward = source.left < target.left
    start, end = (source.right, target.left) if forward else (source.left, target.right)
    end += -7 if forward else 7
    yield _draw_path(arrow, f"M{start:g} {y:g} H{end:g}")
    yield _draw_text((start + end - lane) / 2, y - 5, _shorten_text(arrow), "faint", middle=True)


def _draw_turn(arrow: Arrow, source: Box, target: Box, y: float, turning: list[Arrow]) -> Iterator[str]:
    """A line from a box below the launcher to its own lane, up, and to the object. None of these lines cross."""
    pod, shared = (source, target) if arrow.source.kind in PODS else (target, source)
    number = turning.index(arrow)
    row = pod.choose_row(pod.top + LINE + number * (LINE + 4))
    x = shared.left - (len(turning) - number + 1) * TURN
    if pod is source:
        yield _draw_path(arrow, f"M{pod.right:g} {row:g} H{x:g} V{y:g} H{shared.left - 7:g}")
    else:
        yield _draw_path(arrow, f"M{shared.left:g} {y:g} H{x:g} V{row:g} H{pod.right + 7:g}")
    yield _draw_text(pod.right + MARGIN, row - 5, _shorten_text(arrow), "faint")


def _draw_path(arrow: Arrow, path: str) -> str:
    kind, end = ("live", "live-head") if arrow.is_traffic else ("arrow", "head")
    return f'<path {look(kind)} d="{path}" marker-end="url(#{end})"/>'


def _draw_access(graph: Graph, boxes: dict[Key, Box]) -> Iterator[str]:
    """The objects of ACCESS in one box, below the pods that use them."""
    nodes = [node for node in graph.nodes if node.key.kind in ACCESS]
    users = [boxes[arrow.source] for arrow in graph.arrows if arrow.text == "runs as" and arrow.source in boxes]
    if not nodes or not users:
        return
    box, height = users[0], (len(nodes) + 1) * LINE
    top = box.bottom + GAP * 2
    path = f"M{box.left + 60:g} {box.bottom:g} V{top - 7:g}"
    yield f'<path {look("arrow")} d="{path}" marker-end="url(#head)"/>'
    yield _draw_text(box.left + 70, top - 10, "runs as", "faint")
    yield _draw_rect("box", box.left, top, box.width, height)
    for number, node in enumerate(nodes, 1):
        yield _draw_text(box.left + MARGIN / 2, top + number * LINE, f"{node.key.kind} {node.key.name}")


def _draw_rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect {look(kind)} x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>'


def _draw_text(x: float, y: float, text: str, kind: str = "ink", *, middle: bool = False) -> str:
    anchor = ' text-anchor="middle"' if middle else ""
    return f'<text {look(kind)} x="{x:g}" y="{y:g}"{anchor}>{escape(text)}</text>' if text else ""


def _draw_arrow_head(name: str) -> str:
    box = 'viewBox="0 0 8 8" refX="1" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse"'
    path = f'<path {look(name)} d="M0 0 L8 4 L0 8 z"/>'
    return f'<marker id="{name}" {box} orient="auto-start-reverse">{path}</marker>'
