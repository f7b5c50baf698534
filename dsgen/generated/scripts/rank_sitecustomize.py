# dsgen/scripts/rank_sitecustomize.py without its comments.





from __future__ import annotations

import contextlib
import faulthandler
import importlib
import signal
import sys
from pathlib import Path

with contextlib.suppress(ValueError, OSError, RuntimeError):
  faulthandler.register(signal.SIGRTMAX - 3, file=2, all_threads=True)


HERE = str(Path(__file__).parent)
sys.path[:] = [path for path in sys.path if path != HERE]
sys.modules.pop("sitecustomize", None)
with contextlib.suppress(ImportError):
  importlib.import_module("sitecustomize")
