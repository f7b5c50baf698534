"""The steps of the launcher with ssh: it connects to the workers, and starts the ranks over ssh."""

from __future__ import annotations

import time
from collections.abc import Callable

from launcher.attempt import OBEY_SECONDS, Attempt
from launcher.choice import SPARE_SECONDS, WorkerChoice, decide_size, list_sizes
from launcher.outcome import RunEndedError
from launcher.wait import Wait
from shared import control, exchange, methods, settings
from shared.log import log
from shared.output import Output
from ssh import key as keyfile

KEY_SECONDS = 0.1  # between looks for the key
REFUSED_SECONDS = 0.5  # until the next login to a worker that has refused one: it may get its key at any moment
SLICE_SECONDS = 5
CUT_OFF_SECONDS = 60  # after which a worker that lost its network has ended its processes


class WithSsh:
    """The steps of the launcher, in the order of the methods."""

    def __init__(self, wait: Wait) -> None:
        self.wait = wait
        self.configured = wait.configured
        self.workers = wait.workers
        self.journal = wait.journal
        self.selection = SshWorkerChoice(self.configured, self.workers)

    def prepare(self) -> None:
        """Check the tools of the image, take the key, and begin to connect to the workers."""
        missing = methods.explain_missing_tools(methods.choose_method(self.configured))
        if missing:
            raise RunEndedError("no-tool", missing)
        self.take_key()
        secret = control.make_secret((settings.RUN / "id").read_bytes(), self.configured)
        self.workers.control.dial(self.configured.readiness_port, secret)

    def take_key(self) -> None:
        """Copy the private key, and write known_hosts with its public key, which is the host key of all workers."""
        private, clock = settings.RUN / "id", self.wait.make_clock()
        maker = settings.locate_volume("status")
        places = [maker / keyfile.PRIVATE, settings.KEYS / keyfile.PRIVATE]
        while True:
            key = keyfile.read_first_content(places)
            if key:
                break
            failure = exchange.read_lines(maker / keyfile.NOT_MADE)
            if failure is not None:
                raise RunEndedError("no-key-made", " ".join(failure))
            self.journal.move("key", f"Secret {self.configured.secret} holds no {keyfile.PRIVATE} yet")
            self.wait.pause(KEY_SECONDS)
            if clock.tick(True) <= 0:
                raise RunEndedError("bad-key", f"Secret {self.configured.secret} held no {keyfile.PRIVATE} in time")
        keyfile.write_private(private, key)
        try:
            known = f"{keyfile.HOST_ALIAS} {keyfile.derive_public_half(private)}\n"
        except keyfile.InvalidKeyError as problem:
            raise RunEndedError("bad-key", f"Secret {self.configured.secret}: {problem}") from problem
        (settings.RUN / "known_hosts").write_text(known, encoding="ascii")

    def wait_for_workers(self) -> None:
        """Wait until each worker, or a spare instead, accepts the launcher's login; after a loss also for fewer.

        Where the first attempt needs all workers, its start is the login: another one to each would take as long.
        """
        time_left = self.wait.has_time_for_workers
        configured, totals = self.configured, self.wait.compute_totals()
        again = totals["attempts"] > 0
        chooses = configured.spares or configured.workers_min or configured.preflight_network
        self.selection.logs_in = bool(again or chooses or configured.debug)
        if configured.workers_min and totals["seconds"]:
            self.selection.sizes = list_sizes(configured)
        # Attempts that end before all ranks have met use the same limit: otherwise they might fail forever.
        too_late = again and not time_left()
        missing = self.selection.wait_for_workers(time_left, self.wait.check_isolation)
        if missing or too_late:
            raise RunEndedError(
                "unreachable", self.wait.explain_too_late(describe_unreached(missing, configured.readiness_port))
            )
        if again:  # the last attempt may have left ranks on workers that had no connection at its end
            self.workers.control.choose(self.workers.names)
            self.workers.control.begin(totals["attempts"], Output([]))
            self.workers.control.signal("KILL", OBEY_SECONDS)
        decide_size(self.selection, self.wait)

    def make_start(self) -> methods.Start:
        return self.make_attempt().make_start()

    def make_attempt(self) -> Attempt:
        return Attempt(self.wait)

    def make_run_end(self, event: str) -> RunEndedError:
        """The end of the run by an external event."""
        return RunEndedError(event, self.wait.external.explain(event))

    def announce_end(self, phase: str) -> None:
        """Announce the end to the connected workers; the others read the record."""
        self.workers.control.tell(over=phase)
        missed = len(self.workers.names) - len(self.workers.control.list_connected())
        if missed:
            port = self.configured.readiness_port
            log(f"{missed} of {len(self.workers.names)} workers do not answer at port {port}: they read the record")


class SshWorkerChoice(WorkerChoice):
    """The workers that accept the launcher's login, or whose sshd listens if `logs_in` is false."""

    logs_in = True

    def wait_for_workers(
        self, time_left: Callable[[], bool], nobody_answers: Callable[[], None] = lambda: None
    ) -> dict[str, str]:
        """Wait for the workers. Returns {} when there are enough, or the missing workers after the time limit.

        The value of a missing worker is its message if it refuses the login, else "". Spares are used only after a
        while, because a worker may be slower than others; so are fewer workers than all, unless those that are missing
        were missing before, or the time limit is reached. `nobody_answers` is called regularly while no worker answers.
        """
        before, began = set(self.workers.names) - set(self.present), time.monotonic()
        missing, enough_since = dict.fromkeys(self.workers.names, ""), 0.0
        timely, until = True, 0.0  # until: the end of this look

        def goes_on() -> bool:
            nonlocal timely
            timely = time_left()
            return timely and time.monotonic() < until

        while missing and timely:
            until = time.monotonic() + SLICE_SECONDS
            silent = self.workers.control.find_missing(list(missing), goes_on)
            if len(silent) == len(self.workers.names):
                nobody_answers()
            answering = [name for name in missing if name not in silent]
            refused = self.workers.find_refusals(answering, time_left) if self.logs_in else {}
            # If the time ran out during the login, the results of the login before are used.
            said: dict[str, str] = {} if timely else missing
            missing = {
                name: refused.get(name) or said.get(name) or self.workers.control.find_member(name).refused
                for name in missing
                if name in refused or name in silent
            }
            if refused:
                time.sleep(REFUSED_SECONDS)
                goes_on()
            size = self.choose_size(len(self.workers.names) - len(missing))
            enough_since = (enough_since or time.monotonic()) if size else 0.0
            patience = 0 if before >= set(missing) else self.configured.resize_after_seconds
            patience = SPARE_SECONDS if size == self.configured.workers else patience
            decided = size > 0 and time.monotonic() - enough_since >= patience
            if decided:
                break
        self.present = [name for name in self.workers.names if name not in missing]
        self.workers.chosen = self.present[: self.configured.workers]
        at_limit = size > 0 and time.monotonic() - began >= CUT_OFF_SECONDS
        return {} if decided or at_limit or size == self.configured.workers else missing


def describe_unreached(missing: dict[str, str], port: int) -> str:
    """A description of the workers that cannot be reached at this port, and of those that refuse the login."""
    if not missing:
        return "no attempt had all its ranks"
    refused = [f"{name} refused the login: {words}" for name, words in missing.items() if words]
    silent = [name for name, words in missing.items() if not words]
    named = " ".join(silent[:10]) + (f" and {len(silent) - 10} more" if len(silent) > 10 else "")
    return "; ".join([*refused[:3], *([f"not reachable: {named} (port {port})"] if silent else [])]) + ","
