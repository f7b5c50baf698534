"""What the interpreter of the user's program loads first: it makes the program able to write its stacks.

rank.py puts it into PYTHONPATH under the name sitecustomize.py. The signal is that of shared_stacks.py, which cannot be
imported here: the modules of dsgen are not to be seen by the program.
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

# A sitecustomize.py of the image's own comes after this one.
HERE = str(Path(__file__).parent)
sys.path[:] = [path for path in sys.path if path != HERE]
sys.modules.pop("sitecustomize", None)
with contextlib.suppress(ImportError):
    importlib.import_module("sitecustomize")
