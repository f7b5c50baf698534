"""The pictures of the documentation.

Their sources are the smallest example, the figures of docs/benchmark.md, and, for terminals, answers of a real cluster
(tests/data/cluster).
"""

import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from dsgen.cli._cluster import phase_and_causes
from dsgen.cluster import report, views
from dsgen.cluster.causes import Cause
from dsgen.cluster.facts import Facts
from tests import cluster_data

LABEL, BARS, ROW, MARGIN = 330, 430, 30, 16
"""Widths of the labels and of the bars, height of a row, in pixels."""
COLUMN, LINE, LONGEST = 7.2, 17, 130
"""Of a terminal: width of a character, height of a line, in pixels; the longest line, in characters."""
FIGURES = re.compile(r"<!-- figures -->(.*)<!-- end of figures -->", re.DOTALL)


class Figure(NamedTuple):
    """A row of the table: what was measured, and dsgen's CPU time divided by Helm's."""

    what: str
    ratio: float


def job(example: Path) -> str:
    """The objects of a job, and the connections between them."""
    from dsgen import api, graph  # they render with the modules that were just written

    texts = [document.text for document in api.render(api.load(example))]
    return graph.as_svg(graph.of_texts(texts), "The objects of a job, and who talks to whom")


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
    """The ratios as bars on a logarithmic scale; to the left of Helm's line, dsgen needs less."""
    from dsgen.graph.svg import DARK, LIGHT

    shown = figures(page)
    most = max(abs(math.log10(each.ratio)) for each in shown)
    middle, height = LABEL + BARS / 2, (len(shown) + 1) * ROW + 2 * MARGIN
    scale = (BARS / 2 - 40) / most
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABEL + BARS} {height}" width="{LABEL + BARS}" '
        f'height="{height}" role="img">',
        "<title>CPU time of dsgen, divided by that of Helm</title>",
        f"<style>svg {{ {LIGHT} }} @media (prefers-color-scheme: dark) {{ svg {{ {DARK} }} }}",
        "text { font: 12px system-ui, sans-serif; fill: var(--ink); } .faint { fill: var(--faint); }",
        ".line { stroke: var(--edge); } .bar { fill: var(--live); } .more { fill: var(--edge); }</style>",
        f'<rect width="{LABEL + BARS}" height="{height}" style="fill: var(--paper)"/>',
        f'<text x="{MARGIN}" y="{MARGIN + 8}" class="faint">CPU time, dsgen / helm template</text>',
        f'<text x="{middle}" y="{MARGIN + 8}" class="faint" text-anchor="middle">as Helm</text>',
        f'<path class="line" d="M{middle} {MARGIN + 14} V{height - MARGIN / 2}"/>',
    ]
    for number, each in enumerate(shown):
        y, length = MARGIN + ROW * (number + 1), math.log10(each.ratio) * scale
        look, end = ("bar", middle + length - 6) if length < 0 else ("more", middle + length + 6)
        anchor = "end" if length < 0 else "start"
        lines += [
            f'<text x="{MARGIN}" y="{y + 14}">{escape(each.what)}</text>',
            f'<rect class="{look}" x="{min(middle, middle + length):.1f}" y="{y}" width="{abs(length):.1f}" '
            f'height="{ROW - 10}" rx="3"/>',
            f'<text x="{end:.1f}" y="{y + 14}" text-anchor="{anchor}">{each.ratio:g}</text>',
        ]
    return "\n".join([*lines, "</svg>\n"])


def status() -> str:
    """The output of `dsgen status --watch` for a run that trains."""
    facts, made, _ = _seen("running")
    return terminal(f"dsgen status {_name(facts)} --watch", views.status(made, facts))


def why() -> str:
    """The output of `dsgen why` for a run that fits no node."""
    facts, made, causes = _seen("NoNodeBigEnough")
    return terminal(f"dsgen why {_name(facts)}", views.why(made, causes))


def _seen(name: str) -> tuple[Facts, dict[str, Any], list[Cause]]:
    """A recorded run of a real cluster, in the namespace `training`."""
    kept = json.loads((cluster_data.FOLDER / f"{name}.json").read_text())
    facts = cluster_data.Kept(json.loads(json.dumps(kept).replace(kept["namespace"], "training"))).facts()
    shown, causes = phase_and_causes(facts)
    return facts, report.report(facts, shown), causes


def _name(facts: Facts) -> str:
    return f"{facts.namespace}/{facts.job}"


def terminal(command: str, output: str) -> str:
    """A terminal with a command and its output."""
    from dsgen.graph.svg import DARK, LIGHT

    shown = [
        f"$ {command}",
        *(line if len(line) <= LONGEST else f"{line[:LONGEST]}..." for line in output.splitlines()),
    ]
    width = max(len(line) for line in shown) * COLUMN + 2 * MARGIN
    height = len(shown) * LINE + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" role="img">',
        f"<title>{escape(command)}</title>",
        f"<style>svg {{ {LIGHT} }} @media (prefers-color-scheme: dark) {{ svg {{ {DARK} }} }}",
        "text { font: 12px ui-monospace, monospace; fill: var(--ink); } .faint { fill: var(--faint); }",
        "rect { fill: var(--paper); stroke: var(--edge); }</style>",
        f'<rect width="{width:.0f}" height="{height}" rx="6"/>',
    ]
    for number, line in enumerate(shown):
        look = ' class="faint"' if number == 0 else ""
        y = MARGIN + LINE * number + 12
        lines.append(f'<text x="{MARGIN}" y="{y}" xml:space="preserve"{look}>{escape(line)}</text>')
    return "\n".join([*lines, "</svg>\n"])
