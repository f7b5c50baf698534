"""One attempt of the training without ssh: each worker starts and ends its part by order of the launcher."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from launcher import attempt as launcher_attempt
from launcher.control import ControlServer
from launcher.process import Ranks
from launcher.wait import Wait
from shared.output import Output

LOST = 255  # the exit code of ssh for a lost connection


class Parts:
    """The parts of all workers, as one process that ends when all of them have ended."""

    def __init__(self, control: ControlServer, attempt: int, output: Output) -> None:
        self.control, self.attempt, self.output = control, attempt, output

    def code(self) -> int | None:
        """None while a part is running; then the first exit code that is not 0, or 0."""
        hosts = self.output.hosts
        for name in hosts:
            member = self.control.members[name]
            if self.attempt in member.lost or member.is_away():
                self.output.ssh_ended.setdefault(hosts[name], LOST)
            elif member.attempt == self.attempt and member.code is not None:
                self.output.close(hosts[name], member.code)
        ended = {**self.output.ssh_ended, **self.output.closed}
        return None if len(ended) < len(hosts) else next((code for code in ended.values() if code), 0)

    def wait(self, seconds: float) -> None:
        """Wait until a worker has said something, for at most so many seconds."""
        self.control.wait(seconds)

    def kill(self) -> None:
        """Does nothing: the remaining workers have no connection."""

    def finish(self) -> None:
        """Does nothing: reports arrive before the end, on the same connection."""

    def behind(self) -> bool:
        return False

    def signalled(self) -> bool:
        return False

    def alone_seconds(self) -> float:
        return 0.0


class AttemptWithoutSsh(launcher_attempt.Attempt):
    """An attempt whose ranks write to the logs of their workers."""

    def __init__(self, wait: Wait, control: ControlServer, ranks: int, number: int, goes_on: bool = False) -> None:
        super().__init__(wait.configured, wait.workers, wait.journal, wait.external)
        self.control, self.number, self.world = control, number, ranks
        self.goes_on = goes_on  # its ranks were started by another launcher
        self.hosts = list(wait.workers.chosen)
        self.progress.source = None  # rank.py on the workers reads the files
        self.heard = self.output = Output(self.hosts, progress=self.progress)

    def launch(self) -> Ranks:
        self.control.choose(self.hosts)
        self.control.begin(self.number, self.output, self.conversion.configuration)
        return Parts(self.control, self.number, self.output)

    def ask_to_resize(self) -> dict[str, Any]:
        """Order it, and wait for the report of the first worker."""
        if self.goes_on:
            return {"result": "nothing"}
        host = self.hosts[0].partition(".")[0]
        first = self.control.members[host]
        life = first.life
        self.control.tell(resize={"attempt": self.number, "ranks": self.world, "host": host})
        while not (first.is_away() or first.life != life):
            self.conversion.check()
            if first.resize.get("attempt") == self.number:
                self.conversion.hear(first.resize)
                if "result" in first.resize:
                    return first.resize
            time.sleep(launcher_attempt.TICK_SECONDS)
        return {}

    def signal(self, name: str, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        self.control.tell(signal=name)
        deadline = time.monotonic() + seconds
        while not until() and time.monotonic() < deadline:
            time.sleep(launcher_attempt.TICK_SECONDS)

    def end_ranks(self, process: Ranks) -> None:
        """End the ranks, unless the launcher itself is stopped: then the next launcher continues the attempt."""
        if not self.external.terminated:
            super().end_ranks(process)

    def gone(self, process: Ranks, cut: str) -> list[str]:
        process.code()  # updates the states
        return [] if cut == "terminated" else self.output.lost()

    def why_cut(self, seconds: float, wrong_seconds: float) -> str:
        """As for ssh, but a complete worker Job is not a reason: the next wait for the workers reports it."""
        event = super().why_cut(seconds, wrong_seconds)
        return "" if event == "succeeded" else event

    def met_world(self) -> int | None:
        """The world size; None for launch.command, whose world is unknown."""
        return None if self.method.whole else super().met_world()
