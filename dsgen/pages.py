"""The documentation as pages to read in a terminal, which the package carries as they are."""

from pathlib import Path

_SHIPPED = Path(__file__).parent / "docs"
_CHECKOUT = Path(__file__).parents[1] / "docs"


def names() -> list[str]:
    """All pages, sorted."""
    return sorted(path.stem for path in _folder().glob("*.md"))


def text(name: str) -> str:
    """A page, as Markdown."""
    return (_folder() / f"{name}.md").read_text(encoding="utf-8")


def title(name: str) -> str:
    """The heading of a page."""
    return text(name).partition("\n")[0].removeprefix("# ")


def _folder() -> Path:
    """Where they lie: in an installed package beside this module (pyproject.toml), in a checkout in its root."""
    return _SHIPPED if _SHIPPED.is_dir() else _CHECKOUT
