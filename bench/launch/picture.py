"""The growth of the time to meet with the number of workers, as a picture for docs/launch.md."""

from __future__ import annotations

from pathlib import Path

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 360, 56, 44, 16, 150
COLOURS = ("#2f6fde", "#c2410c", "#0f8a5f", "#8b5cf6", "#64748b", "#b45309", "#db2777", "#0e7490")
TEXT = "#7a828c"  # readable on white and on dark pages


def write(path: Path, seconds: dict[tuple[str, int], float]) -> None:
    """`seconds` by way and number of workers."""
    sizes = sorted({workers for _, workers in seconds})
    most = max(seconds.values()) * 1.1

    def x(workers: int) -> float:
        return LEFT + sizes.index(workers) * (WIDTH - LEFT - RIGHT) / max(len(sizes) - 1, 1)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / most * (HEIGHT - BOTTOM - TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        "<title>Seconds from kubectl apply until all ranks have met, by the number of workers</title>",
    ]
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200) if most / step <= 8)
    for value in range(0, int(most) + 1, step):
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="{TEXT}" stroke-opacity="0.25"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end" fill="{TEXT}">{value} s</text>')
    for workers in sizes:
        words = f"{workers} workers"
        parts.append(f'<text x="{x(workers):.1f}" y="{HEIGHT - 16}" text-anchor="middle" fill="{TEXT}">{words}</text>')
    ways = list(dict.fromkeys(way for way, _ in seconds))
    for index, way in enumerate(ways):
        colour = COLOURS[index % len(COLOURS)]
        points = [(x(workers), y(seconds[way, workers])) for workers in sizes if (way, workers) in seconds]
        line = " ".join(f"{left:.1f},{height:.1f}" for left, height in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{left:.1f}" cy="{height:.1f}" r="3" fill="{colour}"/>' for left, height in points]
        place = TOP + 14 + 18 * index
        parts.append(f'<path d="M{WIDTH - RIGHT + 14} {place - 4}h16" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 36}" y="{place}" fill="{TEXT}">{way}</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n", encoding="utf-8")
