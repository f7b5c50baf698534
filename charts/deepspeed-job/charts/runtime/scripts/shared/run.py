"""Runs a program of dsgen: `run.py PATH ARGUMENT...`.

Its module is imported, so what Python has compiled of it is kept, too (compiled.py).
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main(path: Path, arguments: list[str]) -> None:
    # The folder of the packages behind those of Python, and not the folder of this file before them.
    sys.path[:] = [*sys.path[1:], str(path.parents[1])]
    from shared import compiled

    compiled.use()
    from shared import processes  # compiled, too

    processes.leave(importlib.import_module(f"{path.parent.name}.{path.stem}").main(arguments))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
