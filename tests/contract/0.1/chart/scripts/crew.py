"""Who trains: the first workers of the hostfile, and spares in the place of those that are missing or not fit."""

from __future__ import annotations

import time
from collections.abc import Callable

import preflight
import settings
import workers

SPARE_SECONDS = 60  # how long those that are missing are waited for once there are enough
LOOK_SECONDS = 5


class Crew:
    """Of all workers of the run those that are there, and of them, as `reached.chosen`, those that train."""

    def __init__(self, configured: settings.Settings, reached: workers.Workers) -> None:
        self.configured = configured
        self.reached = reached
        self.present = list(reached.names)
        self.verdict = preflight.Verdict({}, {}, 0.0)

    def gather(self, go_on: Callable[[], bool]) -> list[str]:
        """Wait for the workers. Those that are missing when `go_on` said False; [] as soon as there are enough.

        A spare does not stand in at once: a worker may only need longer than the others.
        """
        missing, enough_since, look = list(self.reached.names), 0.0, Look(go_on)
        while missing and look.goes_on:
            look = Look(go_on)
            missing = workers.missing(missing, self.reached.port, look)
            enough = len(missing) <= self.configured.spares
            enough_since = (enough_since or time.monotonic()) if enough else 0.0
            if enough and time.monotonic() - enough_since >= SPARE_SECONDS:
                break
        self.present = [name for name in self.reached.names if name not in missing]
        self.reached.chosen = self.present[: self.configured.workers]
        return [] if len(self.present) >= self.configured.workers else missing

    def check(self, wait: Callable[[], None]) -> None:
        """launch.preflight.network among those that are there. `wait` is called all the while."""
        places = [self.reached.names.index(name) for name in self.present]
        self.verdict = preflight.check(self.reached, self.present, places, self.configured.master_port, wait)

    def choose(self) -> bool:
        """Decide who trains. False when too few are left that exchange data; a slow one trains only where it must."""
        bad = self.verdict
        order = sorted(range(len(self.present)), key=lambda index: -bad.slow.get(index, float("inf")))
        fit = sorted([index for index in order if index not in bad.dead][: self.configured.workers])
        self.reached.chosen = [self.present[index] for index in fit]
        return len(fit) == self.configured.workers

    def note(self) -> str:
        """What the record says of workers that were found unfit, and of those that stand in for others."""
        regular = self.reached.names[: self.configured.workers]
        said = [self.verdict.words(self.present)]
        said += [f"{name} is not reachable" for name in regular if name not in self.present]
        standing_in = [name for name in self.reached.chosen if name not in regular]
        said += [f"in their place: {' '.join(standing_in)}"] if standing_in else []
        return "; ".join(filter(None, said))


class Look:
    """A `go_on` for LOOK_SECONDS that remembers whether there is time left at all."""

    def __init__(self, go_on: Callable[[], bool]) -> None:
        self.go_on = go_on
        self.goes_on = True
        self.until = time.monotonic() + LOOK_SECONDS

    def __call__(self) -> bool:
        self.goes_on = self.go_on()
        return self.goes_on and time.monotonic() < self.until
