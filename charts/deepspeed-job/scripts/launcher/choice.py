"""Chooses the workers that train: the first of the hostfile, and spares instead of missing or unfit ones."""

from __future__ import annotations

from collections.abc import Callable

from launcher import preflight, workers
from launcher.outcome import RunEndedError
from launcher.wait import Wait
from shared import settings
from shared.log import log

SPARE_SECONDS = 60  # to wait for missing workers after enough others are ready


class Choice:
    """The workers that are there, and what the check of the network says of them. The result is `workers.chosen`."""

    def __init__(self, configured: settings.Settings, reached: workers.Workers) -> None:
        self.configured = configured
        self.workers = reached
        self.present = list(reached.names)
        self.verdict = preflight.Verdict({}, {}, 0.0, {})
        self.sizes = [configured.workers]  # with which the next attempt may begin

    def size(self, available: int) -> int:
        """The largest size for so many workers; 0 for too few."""
        return max((size for size in self.sizes if size <= available), default=0)

    def choose(self) -> bool:
        """Choose the workers, slow ones only if needed. False if too few workers can exchange data."""
        bad = self.verdict
        order = sorted(range(len(self.present)), key=lambda index: -bad.slow.get(index, float("inf")))
        fit = [index for index in order if index not in bad.dead]
        size = self.size(len(fit))
        self.workers.chosen = [self.present[index] for index in sorted(fit[: size or None])]
        return size > 0

    def network(self) -> dict[str, int]:
        """The median of all workers, and the lowest rate of those that train, in MiB/s; for the record."""
        lowest = min(self.verdict.best[self.present.index(name)] for name in self.workers.chosen)
        return {"median": round(self.verdict.median), "lowest": round(lowest)}

    def note(self) -> str:
        """A note for the record about unfit workers and their replacements."""
        regular = self.workers.names[: self.configured.workers]
        said = [self.verdict.words(self.present)]
        said += [f"{name} is not reachable" for name in regular if name not in self.present]
        standing_in = [name for name in self.workers.chosen if name not in regular]
        said += [f"in their place: {' '.join(standing_in)}"] if standing_in else []
        size = len(self.workers.chosen)
        said += [f"{size} of {len(regular)} workers train"] if size in self.sizes and size < len(regular) else []
        return "; ".join(filter(None, said))


def settle(choice: Choice, wait: Wait, check_network: Callable[[], preflight.Verdict]) -> None:
    """Choose the workers that train, after the check of the network if it is enabled. Raises RunEndedError."""
    if wait.configured.preflight_network and not wait.configured.debug:
        wait.journal.move("preflight")
        choice.verdict = check_network()
        if choice.verdict.median:
            log(f"network: the median of the workers is {choice.verdict.median:.0f} MiB/s")
    enough = choice.choose()
    wait.journal.note = choice.note()
    if wait.journal.note:
        log(wait.journal.note)
    if not enough:
        raise RunEndedError("preflight-failed", wait.journal.note)
    if choice.verdict.median:
        wait.journal.said["network"] = choice.network()
