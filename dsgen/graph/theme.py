"""The colours of pictures: each element has those for light mode as attributes, and a style sheet those for dark mode.

Programs without style sheets or media queries, such as librsvg, and services that remove them, show the light picture.
CSS variables are not used, because librsvg draws them black.
"""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """A colour in light and in dark mode."""

    light: str
    dark: str


PAPER, INK, FAINT = Colour("#ffffff", "#0d1117"), Colour("#1f2328", "#e6edf3"), Colour("#59636e", "#9198a1")
EDGE, LIVE = Colour("#8c959f", "#656c76"), Colour("#0969da", "#58a6ff")
SERIES = {
    "weights": Colour("#0969da", "#58a6ff"),
    "optimizer": Colour("#8250df", "#a371f7"),
    "gradients": Colour("#1a7f37", "#3fb950"),
    "buffers": Colour("#1b7c83", "#39c5cf"),
    "activations": Colour("#bc4c00", "#f0883e"),
    "logits": Colour("#cf222e", "#ff7b72"),
    "rest": Colour("#8c959f", "#6e7681"),
}
"""The colours of the parts of a whole, in light and in dark mode."""
SANS = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="13"'
"""The font of diagrams."""
LOOKS: dict[str, dict[str, Colour | str]] = {
    "paper": {"fill": PAPER},
    "ink": {"fill": INK},
    "name": {"fill": INK, "font-weight": "600"},
    "faint": {"fill": FAINT},
    "frame": {"fill": PAPER, "stroke": EDGE},
    "arrow": {"fill": "none", "stroke": EDGE},
    "live": {"fill": "none", "stroke": LIVE, "stroke-width": "2"},
    "bar": {"fill": LIVE},
    **{name: {"fill": colour} for name, colour in SERIES.items()},
    **{f"line-{name}": {"fill": "none", "stroke": colour, "stroke-width": "2"} for name, colour in SERIES.items()},
}
"""The looks of elements, by class."""


def look(name: str) -> str:
    """The class of an element with its attributes in light mode."""
    parts = {key: each.light if isinstance(each, Colour) else each for key, each in LOOKS[name].items()}
    return " ".join([f'class="{name}"', *(f'{key}="{text}"' for key, text in parts.items())])


def begin_svg(width: float, height: float, title: str, font: str) -> list[str]:
    """The beginning of a document: size, title, style sheet, and paper. font: attributes of all texts."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" {font}>',
        f"<title>{title}</title>",
        f"<style>@media (prefers-color-scheme: dark) {{ {_format_dark_rules()} }}</style>",
    ]


def _format_dark_rules() -> str:
    rules = {
        name: "; ".join(f"{key}: {each.dark}" for key, each in parts.items() if isinstance(each, Colour))
        for name, parts in LOOKS.items()
    }
    return " ".join(f".{name} {{ {text} }}" for name, text in rules.items() if text)
