"""Chooses the workers that train: which, with spares instead of missing or unfit ones, and how many (workers.min)."""

from __future__ import annotations

import json
import math
import time

from launcher import preflight, workers
from launcher.outcome import RunEndedError
from launcher.progress import Progress
from launcher.wait import Wait
from shared import settings
from shared.log import log

SPARE_SECONDS = 60  # to wait for missing workers after enough others are ready
LOOK_SECONDS = 10  # while an attempt has fewer workers
SETTLE_SECONDS = 20  # after `latest`, a program may write further files of its checkpoint
PER_RANK = ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps")


class WorkerChoice:
    """The workers that are there, and what the check of the network says of them. The result is `workers.chosen`."""

    def __init__(self, configured: settings.Settings, reached: workers.Workers) -> None:
        self.configured = configured
        self.workers = reached
        self.present = list(reached.names)
        self.verdict = preflight.NetworkVerdict({}, {}, 0.0, {})
        self.sizes = [configured.workers]  # with which the next attempt may begin

    def choose_size(self, available: int) -> int:
        """The largest size for so many workers; 0 for too few."""
        return max((size for size in self.sizes if size <= available), default=0)

    def choose(self) -> bool:
        """Choose the workers, slow ones only if needed. False if too few workers can exchange data."""
        bad = self.verdict
        order = sorted(range(len(self.present)), key=lambda index: -bad.slow.get(index, float("inf")))
        fit = [index for index in order if index not in bad.dead]
        size = self.choose_size(len(fit))
        self.workers.chosen = [self.present[index] for index in sorted(fit[: size or None])]
        return size > 0

    def compute_network_rates(self) -> dict[str, int]:
        """The median of all workers, and the lowest rate of those that train, in MiB/s; for the record."""
        lowest = min(self.verdict.best[self.present.index(name)] for name in self.workers.chosen)
        return {"median": round(self.verdict.median), "lowest": round(lowest)}

    def explain_choice(self) -> str:
        """A note for the record about unfit workers and their replacements."""
        regular = self.workers.names[: self.configured.workers]
        said = [self.verdict.describe_bad_workers(self.present)]
        said += [f"{name} is not reachable" for name in regular if name not in self.present]
        standing_in = [name for name in self.workers.chosen if name not in regular]
        said += [f"in their place: {' '.join(standing_in)}"] if standing_in else []
        size = len(self.workers.chosen)
        said += [f"{size} of {len(regular)} workers train"] if size in self.sizes and size < len(regular) else []
        return "; ".join(filter(None, said))


def decide_size(choice: WorkerChoice, wait: Wait) -> None:
    """Choose the workers that train, after the check of the network if it is enabled. Raises RunEndedError."""
    configured, control = wait.configured, wait.workers.control
    if configured.preflight_network and not configured.debug:
        wait.journal.move("preflight")
        names, port = wait.workers.names, configured.master_port
        choice.verdict = preflight.check(control, choice.present, names, port, wait.check)
        if choice.verdict.median:
            log(f"network: the median of the workers is {choice.verdict.median:.0f} MiB/s")
    enough = choice.choose()
    wait.journal.note = choice.explain_choice()
    if wait.journal.note:
        log(wait.journal.note)
    if not enough:
        raise RunEndedError("preflight-failed", wait.journal.note)
    if choice.verdict.median:
        wait.journal.said["network"] = choice.compute_network_rates()


def list_sizes(configured: settings.Settings) -> list[int]:
    """All workers, and the smaller numbers from workers.min on among which the global batch can be divided.

    batch.sizes in dsgen/deepspeed computes them in the same way.
    """
    path = settings.ROOT / configured.resize_config.lstrip("/")
    config = json.loads(path.read_text(encoding="utf-8"))
    total, shared, *others = (config.get(key, 1) for key in ("train_batch_size", "sequence_parallel_size", *PER_RANK))
    known = all(isinstance(number, int) and number > 0 for number in (total, shared, *others))
    fewer = range(configured.workers_min, configured.workers) if known else range(0)
    each = math.prod(others) * configured.slots
    fitting = [size for size in fewer if total % (each * size) == 0 and size * configured.slots % shared == 0]
    return [*fitting, configured.workers]


class Growth:
    """Decides when an attempt of fewer workers ends, so that the next one has all of them.

    That is when a checkpoint was written after all workers have answered, lifecycle.resizeAfterSeconds after the start
    or later: the training then repeats few steps, and a worker that comes and goes does not end one attempt after the
    other.
    """

    def __init__(self, configured: settings.Settings, reached: workers.Workers, progress: Progress) -> None:
        self.configured, self.reached, self.progress = configured, reached, progress
        self.fewer = len(reached.chosen) < configured.workers
        self.idle = [name for name in reached.names if name not in reached.chosen]
        self.wait_until: float | None = None
        self.whole_since = self.saved_at = float("inf")  # saved_at: of the first checkpoint since then

    def is_due(self) -> bool:
        """Whether the attempt is to end now."""
        if not self.fewer or not self.progress.started:
            return False
        now = time.monotonic()
        if self.wait_until is None:
            self.wait_until = now + self.configured.resize_after_seconds
        if now >= self.wait_until:
            self.wait_until = now + LOOK_SECONDS
            silent = self.reached.control.find_missing(self.idle, lambda: False)
            whole = len(self.reached.names) - len(silent) >= self.configured.workers
            self.whole_since = min(self.whole_since, now) if whole else float("inf")
        saved = self.progress.saved_at
        self.saved_at = min(self.saved_at, saved) if saved > self.whole_since else float("inf")
        return now - self.saved_at > SETTLE_SECONDS
