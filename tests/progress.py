"""Shows the progress of tests that take minutes."""

import sys


def show(line: str) -> None:
    """One line that is written over, for people at a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
