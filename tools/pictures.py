"""The pictures of the documentation.

Their sources are the figures of docs/benchmark.md and, for terminals, answers of a real cluster (tests/data/cluster).
"""

import json
import math
import re
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from dsgen.cluster.diagnosis import Cause, diagnose
from dsgen.cluster.format_text import format_causes, format_status
from dsgen.cluster.models import RunState
from dsgen.cluster.report import make_report
from dsgen.graph.theme import SANS, begin_svg, look
from tests.cluster import recorded

LABEL, BARS, ROW, MARGIN = 270, 490, 30, 16
"""Widths of the labels and of the bars, height of a row, in pixels."""
COLUMN, LINE, LONGEST = 7.2, 17, 130
"""Of a terminal: width of a character, height of a line, in pixels; the longest line, in characters."""
MONO = 'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="12"'
FIGURES = re.compile(r"<!-- figures -->(.*)<!-- end of figures -->", re.DOTALL)


WORDS = {
    "one file, 4 workers": "Render one job with 4 workers",
    "one file, 1,000 workers": "Render one job with 1,000 workers",
    "one file, 10,000 workers": "Render one job with 10,000 workers",
    "a file with two mistakes": "Report two mistakes in one file",
    "1,000 files, one dsgen, 1,000 times Helm": "Render 1,000 jobs with one command",
}
"""What the picture says for a row of the table; it has only the rows that compare dsgen with Helm on one processor."""
STEPS = 4
"""Parts of the axis up to the CPU time of Helm."""


class Figure(NamedTuple):
    """A row of the table: what was measured, and dsgen's CPU time divided by Helm's."""

    what: str
    ratio: float


def figures(page: str) -> list[Figure]:
    """The rows of the table in docs/benchmark.md that have a ratio of CPU time."""
    table = FIGURES.search(page)
    assert table, "docs/benchmark.md has no figures"
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines() if "|" in line]
    column = rows[0].index("CPU time")
    return [
        Figure(row[0].replace("`", ""), float(row[column].split()[0])) for row in rows[2:] if row[column][:1].isdigit()
    ]


def benchmark(page: str) -> str:
    """The CPU time of dsgen as bars from 0; Helm's is 100 %."""
    shown = [Figure(WORDS[each.what], each.ratio) for each in figures(page) if each.what in WORDS]
    most, top = max(1, *(each.ratio for each in shown)), MARGIN + ROW
    bottom, unit = top + len(shown) * ROW, (BARS - 60) / most
    width, height = LABEL + BARS, bottom + 2 * ROW
    lines = [
        *begin_svg(width, height, "CPU time of dsgen, in percent of that of helm template", SANS),
        f'<rect {look("paper")} width="{width}" height="{height}"/>',
        f'<text {look("name")} x="{MARGIN}" y="{MARGIN + 8}">CPU time; shorter is faster</text>',
    ]
    for step in range(math.ceil(most * STEPS) + 1):
        x = LABEL + step / STEPS * unit
        is_helm = step == STEPS
        lines += [
            f'<path {look("live" if is_helm else "arrow")} d="M{x:.1f} {top - 6} V{bottom}"/>',
            f'<text {look("ink" if is_helm else "faint")} x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">'
            f"{100 * step // STEPS} %</text>",
        ]
    lines += [
        f'<text {look("ink")} x="{LABEL + unit:.1f}" y="{top - 12}" text-anchor="middle">helm template</text>',
        f'<text {look("faint")} x="{LABEL + unit / 2:.1f}" y="{bottom + 36}" text-anchor="middle">'
        "CPU time in percent of helm template with the same values</text>",
    ]
    for number, each in enumerate(shown):
        y, length = top + ROW * number, each.ratio * unit
        lines += [
            f'<text {look("ink")} x="{MARGIN}" y="{y + 14}">{escape(each.what)}</text>',
            f'<rect {look("bar")} x="{LABEL}" y="{y}" width="{length:.1f}" height="{ROW - 10}"/>',
            f'<text {look("ink")} x="{LABEL + length + 6:.1f}" y="{y + 14}">{_percent(each.ratio)} %</text>',
        ]
    return "\n".join([*lines, "</svg>\n"])


def _percent(ratio: float) -> str:
    """Two digits, as many as the measurement is worth."""
    return f"{100 * ratio:.2g}" if ratio < 1 else f"{100 * ratio:.0f}"


def status() -> str:
    """The output of `dsgen status --watch` for a run that trains."""
    state, made, _ = _seen("running")
    return terminal(f"dsgen status {_name(state)} --watch", format_status(made, state))


def why() -> str:
    """The output of `dsgen why` for a run that fits no node."""
    state, made, causes = _seen("NoNodeBigEnough")
    return terminal(f"dsgen why {_name(state)}", format_causes(made, causes))


def _seen(name: str) -> tuple[RunState, dict[str, Any], list[Cause]]:
    """A recorded run of a real cluster, in the namespace `training`."""
    kept = json.loads((recorded.FOLDER / f"{name}.json").read_text())
    state = recorded.Kept(json.loads(json.dumps(kept).replace(kept["namespace"], "training"))).state()
    shown, causes = diagnose(state)
    return state, make_report(state, shown), causes


def _name(state: RunState) -> str:
    return f"{state.namespace}/{state.job}"


def terminal(command: str, output: str) -> str:
    """A terminal with a command and its output."""
    shown = [
        f"$ {command}",
        *(line if len(line) <= LONGEST else f"{line[:LONGEST]}..." for line in output.splitlines()),
    ]
    width = round(max(len(line) for line in shown) * COLUMN + 2 * MARGIN)
    height = len(shown) * LINE + 2 * MARGIN
    lines = [
        *begin_svg(width, height, escape(command), MONO),
        f'<rect {look("frame")} x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>',
    ]
    for number, line in enumerate(shown):
        kind = "ink" if number else "faint"
        y = MARGIN + LINE * number + 12
        lines.append(f'<text {look(kind)} x="{MARGIN}" y="{y}" xml:space="preserve">{escape(line)}</text>')
    return "\n".join([*lines, "</svg>\n"])
