"""The stacks of hanging programs: a Python program writes them to its standard error after a signal.

The program is not changed: worker/sitecustomize.py registers a handler in its interpreter, which also works in C code.
Only processes with the handler get the signal, because it would end others.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import MutableMapping
from pathlib import Path

from shared import methods, settings

SIGNAL = signal.SIGRTMAX - 3  # not SIGUSR1 and SIGUSR2, which programs use themselves
FOLDER = settings.RUN / "python"
PY_SPY_SECONDS = 10
FRAMES = 12  # innermost frames that are reported
THREAD = re.compile(r"^(?:Current thread|Thread) .*$", re.MULTILINE)
# A frame in the output of faulthandler and of py-spy.
FAULTHANDLER = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>.+)$', re.MULTILINE)
PY_SPY = re.compile(r"^    (?P<name>[^(\n]+) \((?P<file>.+):(?P<line>\d+)\)$", re.MULTILINE)


def prepare(environment: MutableMapping[str, str]) -> None:
    """Make Python programs with this environment write their stacks on the signal, and after a crash."""
    FOLDER.mkdir(exist_ok=True)
    with contextlib.suppress(FileExistsError):  # created by another rank
        (FOLDER / "sitecustomize.py").symlink_to(settings.SCRIPTS / "worker/sitecustomize.py")
    given = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = f"{FOLDER}{os.pathsep}{given}" if given else str(FOLDER)
    environment.setdefault("PYTHONFAULTHANDLER", "1")


def is_ready(pid: int) -> bool:
    """Whether the process has a handler for the signal."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
        return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> (SIGNAL - 1) & 1)
    except (OSError, ValueError, IndexError):  # it has ended
        return False


def ask(pids: list[int]) -> int:
    """Make the processes with a handler write their stacks; returns their number."""
    ready = [pid for pid in pids if is_ready(pid)]
    for pid in ready:
        with contextlib.suppress(OSError):
            os.kill(pid, SIGNAL)
    return len(ready)


def run_py_spy(pids: list[int]) -> bytes:
    """The output of py-spy for these processes, if the image has it and it is permitted."""
    import subprocess  # only for a training that hangs

    said = b""
    for pid in pids if methods.find_program("py-spy") else []:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            argv = ["py-spy", "dump", "--pid", str(pid)]
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=PY_SPY_SECONDS)
            said += b"" if done.returncode else done.stdout
    return said


def parse_main_thread(text: str) -> list[str]:
    """The innermost frames of the main thread, the innermost first, each as `function (file:line)`.

    faulthandler writes the main thread last, py-spy first.
    """
    for form, which in ((FAULTHANDLER, -1), (PY_SPY, 0)):
        blocks = [block for block in THREAD.split(text)[1:] if form.search(block)]
        if blocks:
            frames = [match.groupdict() for match in form.finditer(blocks[which].partition("\n\n")[0])]
            return ["{name} ({file}:{line})".format(**frame) for frame in frames[:FRAMES]]
    return []
