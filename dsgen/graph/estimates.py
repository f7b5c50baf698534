"""A picture of an estimate for light and dark mode: what an accelerator holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from dsgen.estimate import report
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.formulas import GIB, Item
from dsgen.estimate.quantities import format_digits, format_size
from dsgen.estimate.setup import Setup
from dsgen.graph.theme import SANS, SERIES, begin_svg, look

WIDTH, MARGIN, LABEL, BAR, ROW = 760, 16, 60, 34, 22
"""Of the picture, of its margin and of the labels of the bars; the height of a bar and of a row, in pixels."""
COLOURS = (
    ("optimizer", "optimizer"),
    ("temporaries", "optimizer"),
    ("gradient", "gradients"),
    ("buckets of gradients", "buffers"),
    ("gathered", "buffers"),
    ("bucket", "buffers"),
    ("activations", "activations"),
    ("logits", "logits"),
    ("context", "rest"),
    ("fragmentation", "rest"),
)
"""How the name of an item begins -> its colour; of several, the longest; others are weights."""
STEPS = 6
"""The most marks of the axis."""
assert {name for _, name in COLOURS} | {"weights"} == {*SERIES}


def draw_memory(setup: Setup, estimate: Estimate) -> str:
    """Stacked bars of the lower and the upper bounds, as SVG; without numbers, it says what is missing."""
    held, title = estimate.per_accelerator, report.format_heading(setup, estimate)
    if held is None:
        return _draw_unknown(title, [f"{one.key}: {one.gives}" for one in estimate.missing])
    step = estimate.in_step or held
    bars = [("least", [(one, one.low) for one in step.items]), ("most", [(one, one.high) for one in step.items])]
    if estimate.in_step:
        bars.append(("start", [(one, one.high) for one in held.items]))
    items = [one for one in step.items if one.high > 0]
    items += [one for one in held.items if one.high > 0 and one.name not in {item.name for item in items}]
    most = max(held.high, estimate.capacity or 0.0)
    top = MARGIN + 2 * ROW
    bottom = top + len(bars) * (BAR + 10)
    legend = bottom + 2 * ROW + 10
    lines = [
        *_draw_head(legend + ROW * (len(items) + 1) + MARGIN, title),
        *(
            line
            for number, (name, parts) in enumerate(bars)
            for line in _draw_bar(name, parts, top + number * (BAR + 10), most)
        ),
        *_draw_axis(top, bottom, most, estimate.capacity),
        *_draw_legend(items, legend, report.describe_fit(estimate), estimate, held.low, held.high),
    ]
    return "\n".join([*lines, "</svg>\n"])


def _draw_head(height: float, title: str) -> Iterator[str]:
    yield from begin_svg(WIDTH, height, f"Memory of an accelerator: {escape(title)}", SANS)
    yield f'<rect {look("paper")} width="{WIDTH}" height="{height:g}"/>'
    yield f'<text {look("name")} x="{MARGIN}" y="{MARGIN + 10}">{escape(title)}</text>'


def _draw_unknown(title: str, missing: Sequence[str]) -> str:
    texts = ["The memory of an accelerator is not known. What is missing:", *missing]
    lines = [*_draw_head(MARGIN * 2 + ROW * (len(texts) + 1), title)]
    for number, text in enumerate(texts, 1):
        lines.append(f'<text {look("ink")} x="{MARGIN}" y="{MARGIN + 10 + ROW * number}">{escape(text)}</text>')
    return "\n".join([*lines, "</svg>\n"])


def choose_look(item: Item) -> str:
    fitting = [(len(begin), name) for begin, name in COLOURS if item.name.startswith(begin)]
    return max(fitting)[1] if fitting else "weights"


def _compute_unit(most: float) -> float:
    return (WIDTH - LABEL - 4 * MARGIN) / most


def _draw_bar(name: str, parts: Sequence[tuple[Item, float]], y: float, most: float) -> Iterator[str]:
    x = float(MARGIN + LABEL)
    yield f'<text {look("ink")} x="{MARGIN}" y="{y + BAR / 2 + 5:g}">{name}</text>'
    for item, number in parts:
        width = number * _compute_unit(most)
        if width >= 0.1:  # less is not seen
            words = f"{escape(item.name)}: {format_size(number)}"
            place = f'x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="{BAR}"'
            yield f"<rect {look(choose_look(item))} {place}><title>{words}</title></rect>"
        x += width


def _draw_axis(top: float, bottom: float, most: float, capacity: float | None) -> Iterator[str]:
    left = MARGIN + LABEL
    step = _choose_step(most / GIB)
    for mark in range(int(most / GIB / step) + 1):
        x = left + mark * step * GIB * _compute_unit(most)
        text = f"{format_digits(mark * step)} GiB" if mark else "0"
        yield f'<path {look("arrow")} d="M{x:.1f} {bottom} v5"/>'
        yield f'<text {look("faint")} x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{text}</text>'
    if capacity:
        x = left + capacity * _compute_unit(most)
        anchor = "end" if x > WIDTH / 2 else "start"
        yield f'<path {look("live")} stroke-dasharray="5 3" d="M{x:.1f} {top - 6} V{bottom}"/>'
        text = f"the accelerator has {format_size(capacity)}"
        yield f'<text {look("ink")} x="{x:.1f}" y="{top - 11}" text-anchor="{anchor}">{text}</text>'


def _choose_step(most: float) -> float:
    """The distance of the marks of an axis: 1, 2 or 5 times a power of ten."""
    power = 1e-6
    while True:
        for factor in (1, 2, 5):
            if most / (factor * power) <= STEPS:
                return factor * power
        power *= 10


def _draw_legend(
    items: Sequence[Item], y: float, verdict: str, estimate: Estimate, low: float, high: float
) -> Iterator[str]:
    columns = (WIDTH - 330, WIDTH - 220)
    for number, item in enumerate(items):
        line = y + ROW * number
        yield f'<rect {look(choose_look(item))} x="{MARGIN}" y="{line - 10:g}" width="12" height="12"/>'
        yield f'<text {look("ink")} x="{MARGIN + 20}" y="{line:g}">{escape(item.name)}</text>'
        for x, bound in zip(columns, (item.low, item.high), strict=True):
            yield f'<text {look("ink")} x="{x}" y="{line:g}" text-anchor="end">{format_size(bound)}</text>'
    line = y + ROW * len(items)
    yield f'<text {look("name")} x="{MARGIN + 20}" y="{line:g}">together</text>'
    most = format_size(high) if estimate.is_complete else report.UNKNOWN
    for x, text in zip(columns, (format_size(low), most), strict=True):
        yield f'<text {look("name")} x="{x}" y="{line:g}" text-anchor="end">{text}</text>'
    yield f'<text {look("name")} x="{WIDTH - 200}" y="{line:g}">{escape(verdict)}</text>'
