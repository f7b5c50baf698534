# dsgen/scripts/shared_stacks.py without its comments.





from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import MutableMapping
from pathlib import Path

import shared_settings as settings

SIGNAL = signal.SIGRTMAX - 3
FOLDER = settings.RUN / "python"
PY_SPY_SECONDS = 10
FRAMES = 12
THREAD = re.compile(r"^(?:Current thread|Thread) .*$", re.MULTILINE)

FAULTHANDLER = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>.+)$', re.MULTILINE)
PY_SPY = re.compile(r"^    (?P<name>[^(\n]+) \((?P<file>.+):(?P<line>\d+)\)$", re.MULTILINE)


def prepare(environment):

  FOLDER.mkdir(exist_ok=True)
  with contextlib.suppress(FileExistsError):
    (FOLDER / "sitecustomize.py").symlink_to(settings.CONFIG / "rank_sitecustomize.py")
  given = environment.get("PYTHONPATH")
  environment["PYTHONPATH"] = f"{FOLDER}{os.pathsep}{given}" if given else str(FOLDER)
  environment.setdefault("PYTHONFAULTHANDLER", "1")


def is_ready(pid):

  try:
    status = Path(f"/proc/{pid}/status").read_text(errors="replace")
    return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> (SIGNAL - 1) & 1)
  except (OSError, ValueError, IndexError):
    return False


def ask(pids):

  ready = [pid for pid in pids if is_ready(pid)]
  for pid in ready:
    with contextlib.suppress(OSError):
      os.kill(pid, SIGNAL)
  return len(ready)


def spied(pids):

  said = b""
  for pid in pids if shutil.which("py-spy") else []:
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
      argv = ["py-spy", "dump", "--pid", str(pid)]
      done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=PY_SPY_SECONDS)
      said += b"" if done.returncode else done.stdout
  return said


def main_thread(text):




  for form, which in ((FAULTHANDLER, -1), (PY_SPY, 0)):
    blocks = [block for block in THREAD.split(text)[1:] if form.search(block)]
    if blocks:
      frames = [match.groupdict() for match in form.finditer(blocks[which].partition("\n\n")[0])]
      return ["{name} ({file}:{line})".format(**frame) for frame in frames[:FRAMES]]
  return []
