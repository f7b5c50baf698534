"""Commands on the workers over ssh and pdsh."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

from shared.output import Output

POLL_SECONDS = 0.05  # between looks at pdsh, the clock and what may end it
CONNECT_SECONDS = 5
COMMAND_SECONDS = 20
LOGINS_AT_ONCE = 128
LOGINS_A_SECOND = 20  # a low estimate for one launcher
# Begins a command that ends by itself: worker/session.sh starts no supervisor for it, and notes the contact.
SHORT = ": dsgen; "


class Workers:
    """All workers of the run. Helper processes have their own groups, and end with the call that starts them."""

    def __init__(self, names: list[str], port: int, orphan_seconds: float) -> None:
        self.names = names
        self.chosen = names  # those that train, in rank order; a network check may exclude some
        self.port = port
        self.children: set[int] = set()  # process ids that the reaper leaves alone
        self.contact_every = orphan_seconds / 4
        self.contacted_at = time.monotonic()
        self.contact: subprocess.Popen[bytes] | None = None

    def find_missing(self, names: list[str], keep_waiting: Callable[[], bool]) -> list[str]:
        """Those of them whose sshd has not answered until `keep_waiting` is false, see connections.find_missing."""
        from launcher import connections  # loads asyncio, which a launcher without ssh does not need

        return connections.find_missing(names, self.port, keep_waiting)

    def find_refusals(self, names: list[str], wait: Callable[[], object]) -> dict[str, str]:
        """Log in to each of them, to check key, host key and session wrapper; failed workers with their messages.

        `wait` is called repeatedly, and may raise to end the logins.
        """
        if not names:
            return {}
        heard = Output(names, pdsh=True)
        words: dict[str, str] = {}
        seconds = COMMAND_SECONDS + len(names) // LOGINS_A_SECOND
        for line in self.listen(names, f"{SHORT}true", seconds, wait, LOGINS_AT_ONCE).splitlines(keepends=True):
            heard.parse_line(line)
            label, _, said = line.decode(errors="replace").strip().partition(": ")
            words.setdefault(label.partition(".")[0], said)
        ended = heard.ssh_ended.items()
        return {name: words.get(name.partition(".")[0], f"ssh exit code {code}") for name, code in ended}

    def run_everywhere(self, command: str, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Run `command` on all workers, for at most so many seconds or until `until`. pdsh expands a `%` in it."""
        deadline = time.monotonic() + seconds
        with self._run_child(self._make_pdsh_command(command), errors=subprocess.DEVNULL) as process:
            while process.poll() is None and time.monotonic() < deadline and not until():
                time.sleep(POLL_SECONDS)

    def listen(
        self,
        names: list[str],
        command: str,
        seconds: float,
        wait: Callable[[], object],
        at_once: int = 0,
        hear: Callable[[bytes], object] = lambda _: None,
    ) -> bytes:
        """The standard error of `command` on these workers, at most `at_once` at a time, and the messages of pdsh.

        For at most so many seconds; `wait` is called repeatedly, and may raise to end the command; `hear` then gets
        what was read so far.
        """
        deadline, said = time.monotonic() + seconds, b""
        bounds = ["-R", "ssh", "-f", str(at_once or len(names)), "-t", str(CONNECT_SECONDS)]
        argv = ["pdsh", *bounds, "-w", ",".join(names), command]
        with self._run_child(argv, errors=subprocess.PIPE) as process:
            assert process.stderr is not None
            os.set_blocking(process.stderr.fileno(), False)
            while process.poll() is None and time.monotonic() < deadline:
                wait()
                said += process.stderr.read() or b""
                hear(said)
                time.sleep(POLL_SECONDS)
            return said + (process.stderr.read() or b"")

    def find_met_workers(self) -> set[str]:
        """The chosen workers whose sessions connected with others; names without their domain."""
        token = os.urandom(8).hex()
        said = self.listen(self.chosen, ask_meeting(token), COMMAND_SECONDS, lambda: None).decode(errors="replace")
        return {line.partition(":")[0].partition(".")[0] for line in said.splitlines() if line.endswith(f": {token}")}

    def keep_contact(self) -> None:
        """Regularly reset the orphan timeout of waiting workers, in the background."""
        if self.contact and self.contact.poll() is not None:
            self.children.discard(self.contact.pid)
            self.contact = None
        if self.contact is None and time.monotonic() - self.contacted_at >= self.contact_every:
            self.contacted_at = time.monotonic()
            self.contact = self._start(self._make_pdsh_command(f"{SHORT}true"), errors=subprocess.DEVNULL)

    def _make_pdsh_command(self, command: str) -> list[str]:
        bounds = ["-R", "ssh", "-f", "256", "-t", str(CONNECT_SECONDS), "-u", str(COMMAND_SECONDS)]
        return ["pdsh", *bounds, "-w", ",".join(self.names), command]

    def _start(self, argv: list[str], errors: int) -> subprocess.Popen[bytes]:
        null = subprocess.DEVNULL
        process = subprocess.Popen(argv, stdin=null, stdout=null, stderr=errors, start_new_session=True)
        self.children.add(process.pid)
        return process

    @contextlib.contextmanager
    def _run_child(self, argv: list[str], errors: int) -> Iterator[subprocess.Popen[bytes]]:
        with self._start(argv, errors) as process:
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
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


def forget_meeting() -> str:
    """The command that resets the evidence of a worker that its processes connected with others."""
    return f"{SHORT}rm -f $DSGEN_ROOT/run/dsgen/met"


def ask_meeting(token: str) -> str:
    """The command with which a worker prints the token if its processes have connected with others."""
    return f"{SHORT}test ! -e $DSGEN_ROOT/run/dsgen/met || echo {token} >&2"


def signal_ranks(name: str) -> str:
    """The command that sends TERM, KILL or STACKS to the ranks of a worker."""
    return f"{SHORT}python3 -ESs /etc/dsgen/worker/end_ranks.py {name}"
