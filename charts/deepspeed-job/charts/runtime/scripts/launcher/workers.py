"""The workers of the run, and the launcher's logins to them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable

from launcher.control import ControlServer
from shared import processes
from shared.output import Output

POLL_SECONDS = 0.05  # between looks at pdsh, the clock and what may end it
CONNECT_SECONDS = 5
COMMAND_SECONDS = 20
HEARD_BYTES = 1 << 24  # of what workers print; the rest is read and dropped
LOGINS_AT_ONCE = 128
LOGINS_A_SECOND = 20  # a low estimate for one launcher
LOGIN = ": dsgen; true"  # ends by itself: ssh/session.sh starts no supervisor for it


class Workers:
    """All workers of the run. Helper processes have their own groups, and end with the call that starts them."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.chosen = names  # those that train, in rank order; a network check may exclude some
        self.control = ControlServer(names)
        self.children: set[int] = set()  # process ids that the reaper leaves alone

    def find_refusals(self, names: list[str], wait: Callable[[], object]) -> dict[str, str]:
        """Log in to each of them, to check key, host key and session wrapper; failed workers with their messages.

        `wait` is called repeatedly, and may raise to end the logins.
        """
        if not names:
            return {}
        heard = Output(names, pdsh=True)
        words: dict[str, str] = {}
        seconds = COMMAND_SECONDS + len(names) // LOGINS_A_SECOND
        for line in self._log_in(names, seconds, wait).splitlines(keepends=True):
            heard.parse_line(line)
            label, _, said = line.decode(errors="replace").strip().partition(": ")
            words.setdefault(label.partition(".")[0], said)
        ended = heard.ssh_ended.items()
        return {name: words.get(name.partition(".")[0], f"ssh exit code {code}") for name, code in ended}

    def _log_in(self, names: list[str], seconds: float, wait: Callable[[], object]) -> bytes:
        """The standard error of a login to these workers, and the messages of pdsh."""
        deadline, said, null = time.monotonic() + seconds, b"", subprocess.DEVNULL
        limits = ["-f", str(LOGINS_AT_ONCE), "-t", str(CONNECT_SECONDS)]
        argv = ["pdsh", "-R", "ssh", *limits, "-w", ",".join(names), LOGIN]
        with subprocess.Popen(argv, stdin=null, stdout=null, stderr=subprocess.PIPE, start_new_session=True) as process:
            assert process.stderr is not None
            self.children.add(process.pid)
            os.set_blocking(process.stderr.fileno(), False)
            try:
                while process.poll() is None and time.monotonic() < deadline:
                    wait()
                    said += (process.stderr.read(HEARD_BYTES) or b"")[: HEARD_BYTES - len(said)]
                    time.sleep(POLL_SECONDS)
                return said + (process.stderr.read(HEARD_BYTES) or b"")[: HEARD_BYTES - len(said)]
            finally:
                processes.kill_group(process.pid)
                process.wait()
                self.children.discard(process.pid)

    def reap(self) -> None:
        """Reap orphans that process 1 has inherited, but not the launcher's own children, for which others wait."""
        while True:
            try:
                child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if child is None or child.si_pid in self.children:
                return
            os.waitpid(child.si_pid, 0)
