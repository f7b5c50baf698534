"""The process of local/preload.py: it has loaded what starts the ranks before the launcher orders their start."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from shared import methods, processes, settings
from shared.log import log

PROGRAM = str(settings.SCRIPTS / "local/preload.py")


class Preloading:
    """At most one process, which waits until `take` or `drop`."""

    def __init__(self) -> None:
        self.pid, self.pipe = -1, -1
        self.argv: list[str] = []  # the command that it stands for

    def begin(self, module: str, argv: list[str]) -> None:
        """Start it, with the environment of this process. Does nothing if the interpreter of `argv` is not known."""
        python, arguments = (argv[0], argv[3:]) if argv[1:2] == ["-m"] else (find_interpreter(argv[0]), argv[1:])
        if not python:
            return
        descriptor, self.pipe = os.pipe()
        os.set_inheritable(descriptor, True)
        self.pid, self.argv = processes.spawn([python, PROGRAM, module, str(descriptor), *arguments]), argv
        os.close(descriptor)

    def take(self, argv: list[str], nonce: bytes) -> int:
        """Let it run as this command, and return its process id; -1 if it stands for another one, or has ended."""
        if self.argv != argv or self.pid < 0:
            self.drop()
            return -1
        pid, self.pid = self.pid, -1
        try:
            os.write(self.pipe, nonce + b"\n")
        except BrokenPipeError:
            return -1
        finally:
            os.close(self.pipe)
        return pid

    def drop(self) -> None:
        """End it, if it still waits."""
        if self.pid > 0:
            processes.send([self.pid], signal.SIGKILL)
            os.close(self.pipe)
            self.pid = -1

    def note_ended(self, ended: dict[int, int]) -> None:
        """These processes have ended. What this one could not load is said again when the command itself starts."""
        if self.pid in ended:
            log(f"{PROGRAM} ended with {ended[self.pid]} before the start of the training")
            os.close(self.pipe)
            self.pid = -1


def find_interpreter(program: str) -> str:
    """The Python that the first line of a program names; "" if it is no such program."""
    path = methods.find_program(program)
    if not path:
        return ""
    with Path(path).open("rb") as file:
        words = file.readline(512).split()
    names_python = len(words) == 1 and words[0].startswith(b"#!/") and b"python" in words[0]
    return words[0][2:].decode() if names_python else ""
