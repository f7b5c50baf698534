"""The growth of the time to meet with the number of workers, as a picture for docs/benchmark.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from dsgen.graph.theme import SANS, begin_svg, look

Seconds = Mapping[tuple[str, int], float]
"""Of a way and a number of workers."""

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 360, 56, 44, 24, 170
COLOURS = {
    "worker-command": "weights",
    "torchrun": "optimizer",
    "openmpi": "gradients",
    "openmpi, next run": "buffers",
    "pdsh": "activations",
    "JobSet": "weights",
    "MPIJob": "gradients",
    "TrainJob": "optimizer",
}
"""A way of dsgen and the operator that it is compared with have the same colour."""
OPERATORS = {"JobSet", "MPIJob", "TrainJob"}


def write(path: Path, seconds: Seconds) -> None:
    """Write the picture of the seconds until all ranks have met."""
    path.write_text("\n".join([*_lines(seconds), "</svg>"]) + "\n", encoding="utf-8")


def _lines(seconds: Seconds) -> Iterator[str]:
    sizes = sorted({workers for _, workers in seconds})
    most = max(seconds.values()) * 1.05

    def x(workers: int) -> float:
        return LEFT + workers / sizes[-1] * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / most * (HEIGHT - BOTTOM - TOP)

    yield from begin_svg(
        WIDTH, HEIGHT, "Seconds from kubectl apply until all ranks have met, by the number of workers", SANS
    )
    yield f'<rect {look("paper")} width="{WIDTH}" height="{HEIGHT}"/>'
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200) if most / step <= 8)
    for value in range(0, int(most) + 1, step):
        yield f'<path {look("arrow")} stroke-opacity="0.4" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text {look("faint")} x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value} s</text>'
    for workers in sizes:
        yield f'<text {look("faint")} x="{x(workers):.1f}" y="{HEIGHT - 26}" text-anchor="middle">{workers}</text>'
    yield f'<text {look("faint")} x="{x(sizes[-1]) / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">workers</text>'
    for index, way in enumerate(dict.fromkeys(way for way, _ in seconds)):
        dashes = ' stroke-dasharray="5 3"' if way in OPERATORS else ""
        line = f"{look(f'line-{COLOURS[way]}')}{dashes}"
        points = " ".join(
            f"{x(workers):.1f},{y(seconds[way, workers]):.1f}" for workers in sizes if (way, workers) in seconds
        )
        place = TOP + 14 + 18 * index
        yield f'<path {line} d="M{points.replace(" ", " L")}"/>'
        yield f'<path {line} d="M{WIDTH - RIGHT + 14} {place - 4}h22"/>'
        yield f'<text {look("ink")} x="{WIDTH - RIGHT + 44}" y="{place}">{way}</text>'
