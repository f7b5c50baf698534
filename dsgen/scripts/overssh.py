"""The launcher's side of workers that serve ssh: it logs in, starts the ranks itself, and says when it is over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import keyfile
import methods
import settings
import training
import workers
from crew import Crew
from outcome import Finish

if TYPE_CHECKING:
    from launcher import Launcher

TICK_SECONDS = 0.5


class OverSsh:
    """What the launcher does with its workers, in the order of the methods."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.configured = launcher.configured
        self.reached = launcher.reached
        self.crew = Crew(self.configured, self.reached)

    def prepare(self) -> None:
        missing = methods.missing_tools(methods.of(self.configured))
        if missing:
            raise Finish("no-tool", f"the image has no {', '.join(missing)}: add it to the image or in training.setup")
        self.take_key()

    def take_key(self) -> None:
        """Copy the private key, and make known_hosts from its public half: it is the host key of all workers, too."""
        private, clock = settings.RUN / "id", self.launcher.new_clock()
        while True:
            key = keyfile.first([settings.written_by("keygen") / keyfile.PRIVATE, settings.KEYS / keyfile.PRIVATE])
            if key:
                break
            self.launcher.journal.move("key", f"Secret {self.configured.secret} holds no {keyfile.PRIVATE} yet")
            self.launcher.pause(TICK_SECONDS)
            if clock.tick(True) <= 0:
                raise Finish("bad-key", f"Secret {self.configured.secret} held no {keyfile.PRIVATE} in time")
        keyfile.leave(private, key)
        try:
            known = f"{keyfile.HOST_ALIAS} {keyfile.public_half(private)}\n"
        except keyfile.BadKey as problem:
            raise Finish("bad-key", f"Secret {self.configured.secret}: {problem}") from problem
        (settings.RUN / "known_hosts").write_text(known, encoding="ascii")

    def visit(self) -> None:
        """See that waiting workers do not take themselves for orphans."""
        self.reached.visit()

    def wait(self) -> None:
        """Until each worker answers and lets the launcher in, or a spare in its place."""
        missing = self.crew.gather(self.launcher.still_waiting)
        if missing:
            named = " ".join(missing[:10]) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
            raise Finish("unreachable", self.launcher.too_late(f"not reachable: {named},"))
        refused = self.reached.login(self.launcher.still_waiting)
        while refused:
            if not self.launcher.still_waiting():
                raise Finish("unreachable", f"{self.reached.chosen[0]} refused the login: {refused}")
            time.sleep(TICK_SECONDS)
            refused = self.reached.login(self.launcher.still_waiting)
        if self.launcher.totals()["attempts"]:
            self.reached.everywhere(workers.signal_ranks("KILL"), workers.COMMAND_SECONDS)
        self.choose()

    def choose(self) -> None:
        """Decide who trains: where it is asked for, after a look at the network."""
        journal = self.launcher.journal
        if self.configured.preflight_network and not self.configured.debug:
            journal.move("preflight")
            self.crew.check(self.launcher.check)
            if self.crew.verdict.median:
                training.log(f"network: the median of the workers is {self.crew.verdict.median:.0f} MiB/s")
        enough = self.crew.choose()
        journal.note = self.crew.note()
        if journal.note:
            training.log(journal.note)
        if not enough:
            raise Finish("preflight-failed", journal.note)

    def start(self) -> methods.Start:
        return self.attempt().start()

    def attempt(self) -> training.Attempt:
        return training.Attempt(self.configured, self.reached, self.launcher.journal, self.launcher.outside)

    def finish(self, event: str) -> Finish:
        """The end of the run that something outside has decided."""
        return Finish(event, self.launcher.outside.explain(event))

    def say_over(self, phase: str) -> None:
        """Tell the workers that the run is over."""
        if (settings.RUN / "known_hosts").exists():
            self.reached.everywhere(workers.say_over(phase), workers.COMMAND_SECONDS)
