"""A sweep as a picture: memory of an accelerator and time of a step of each combination, for light and dark mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from xml.sax.saxutils import escape

from dsgen.estimate.changes import Point
from dsgen.estimate.quantities import between, seconds, size
from dsgen.graph.theme import SANS, head, look

MARGIN, LETTER, ROW, BARS, TOP = 16, 7.2, 30, 250, 78
"""Margin, width of a letter, height of a row, width of the bars of a panel, height above the rows, in pixels."""
WORDS = 150
"""Width of the words after a bar, in pixels."""
Range = tuple[float, float]


def as_svg(names: Sequence[str], attempts: Sequence[tuple[Sequence[str], Point | None]]) -> str:
    """A whole SVG document. attempts: the values of each combination, and its estimate unless it is not valid."""
    labels = [", ".join(f"{name} {word}" for name, word in zip(names, words, strict=True)) for words, _ in attempts]
    label = max(map(len, labels)) * LETTER + MARGIN
    points = [point for _, point in attempts]
    panels = (MARGIN + label, MARGIN + label + BARS + WORDS)
    width, bottom = panels[1] + BARS + 2 * WORDS, TOP + ROW * len(points)
    held, times = [_memory(point) for point in points], [_time(point) for point in points]
    capacities = {point.estimate.capacity for point in points if point and point.estimate.capacity}
    lines = [
        *head(width, bottom + MARGIN, "Memory and time of a sweep", SANS),
        f'<rect {look("paper")} width="{width:g}" height="{bottom + MARGIN:g}"/>',
        *_title("Memory of an accelerator", panels[0]),
        *_title("Time of a step", panels[1]),
        *(part for row, text in enumerate(labels) for part in _label(text, points[row], row)),
        *_bars(panels[0], held, size, max(capacities, default=0.0), points),
        *_bars(panels[1], times, seconds, 0.0, points),
        *_cheapest(panels[1] + BARS + WORDS, points),
        *(part for one in sorted(capacities) for part in _capacity(panels[0], one, held, capacities, bottom)),
    ]
    return "\n".join([*lines, "</svg>\n"])


def _memory(point: Point | None) -> Range:
    held = point.estimate.per_accelerator if point else None
    return (held.low, held.high) if held else (0.0, 0.0)


def _time(point: Point | None) -> Range:
    step = point.estimate.step if point else None
    return (step.low, step.high) if step else (0.0, 0.0)


def _title(text: str, x: float) -> Iterator[str]:
    yield f'<text {look("name")} x="{x:g}" y="{MARGIN + 10}">{text}</text>'
    yield f'<text {look("faint")} x="{x:g}" y="{MARGIN + 28}">from the least to the most</text>'


def _label(text: str, point: Point | None, row: int) -> Iterator[str]:
    kind = "name" if point and point.is_cheapest else "ink"
    yield f'<text {look(kind)} x="{MARGIN}" y="{TOP + ROW * row + 14}">{escape(text)}</text>'


def _bars(
    x: float, ranges: Sequence[Range], write: Callable[[float], str], least: float, points: Sequence[Point | None]
) -> Iterator[str]:
    """The bars of a panel. least: a number that the panel must have room for."""
    most = max(least, *(high for _, high in ranges)) or 1.0
    yield f'<path {look("arrow")} d="M{x:g} {TOP - 8} V{TOP + ROW * len(points)}"/>'
    for row, ((low, high), point) in enumerate(zip(ranges, points, strict=True)):
        y, words = TOP + ROW * row, "not valid" if point is None else "unknown"
        if point is not None and high:
            start, width = x + BARS * low / most, max(2.0, BARS * (high - low) / most)
            kind, words = "bar" if point.is_cheapest else "range", between(write(low), write(high))
            yield f'<rect {look(kind)} x="{start:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 12}"/>'
        yield f'<text {look("ink")} x="{x + BARS + 10:g}" y="{y + 14}">{words}</text>'


def _cheapest(x: float, points: Sequence[Point | None]) -> Iterator[str]:
    for row, point in enumerate(points):
        if point and point.is_cheapest:
            yield f'<text {look("name")} x="{x:g}" y="{TOP + ROW * row + 14}">the cheapest that fits</text>'


def _capacity(x: float, capacity: float, ranges: Sequence[Range], all_: set[float], bottom: float) -> Iterator[str]:
    most = max(*all_, *(high for _, high in ranges))
    place = x + BARS * capacity / most
    yield f'<path {look("live")} stroke-dasharray="5 3" d="M{place:.1f} {TOP - 8} V{bottom}"/>'
    yield f'<text {look("faint")} x="{place:.1f}" y="{TOP - 13}" text-anchor="middle">{size(capacity)}</text>'
