"""The pages of the documentation, which are part of the package, for `dsgen help`."""

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
    """The folder of the pages: beside this module in an installed package (pyproject.toml), else in the checkout."""
    return _SHIPPED if _SHIPPED.is_dir() else _CHECKOUT
