"""Loads the module that starts the ranks of a worker, and runs it when the worker says so.

    preload.py MODULE DESCRIPTOR ARGUMENT...

torchrun and deepspeed take seconds to load torch, in which the worker waits for the launcher anyway. The interpreter is
the one of the image's torch, so this file imports nothing of dsgen. DESCRIPTOR is the end of a pipe in which the worker
writes the nonce of its ranks, or which it closes without a word.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # the folder of this file is read-only


def main() -> Any:
    module, descriptor = sys.argv[1], int(sys.argv[2])
    if sys.path[0] == str(Path(__file__).resolve().parent):
        sys.path[0] = str(Path.cwd())  # as for python -m; the modules of this folder are not for the program
    program = importlib.import_module(module)
    said = b""
    while not said.endswith(b"\n"):
        data = os.read(descriptor, 4096)
        if not data:
            return 0
        said += data
    os.close(descriptor)
    os.environ["DSGEN_NONCE"] = said.decode().strip()
    sys.argv[:3] = [str(program.__file__)]
    return program.main()


sys.exit(main())
