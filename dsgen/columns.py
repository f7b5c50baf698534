"""Rows of text in columns."""

from collections.abc import Iterable, Iterator, Sequence


def align(rows: Iterable[Sequence[str]], gap: str = "  ") -> Iterator[str]:
    """A line for each row; the cells of a column begin at the same place. All rows have the same number of cells."""
    lines = [*rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield gap.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
