"""Loaded first by the interpreter of the user's program: enables the program to write its stacks on a signal.

rank.py puts it into PYTHONPATH under the name sitecustomize.py. The signal is that of worker/stacks.py, which is not
imported here, because the program must not find the modules of dsgen.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import signal
import sys
from pathlib import Path

with contextlib.suppress(ValueError, OSError, RuntimeError):  # standard error may be closed
    faulthandler.register(signal.SIGRTMAX - 3, file=2, all_threads=True)

# Then load the sitecustomize.py of the image, if it has one.
HERE = str(Path(__file__).parent)
sys.path[:] = [path for path in sys.path if path != HERE]
sys.modules.pop("sitecustomize", None)
with contextlib.suppress(ImportError):
    importlib.import_module("sitecustomize")
