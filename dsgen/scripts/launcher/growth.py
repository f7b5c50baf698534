"""workers.min: the numbers of workers that can go on after a loss, and when an attempt of fewer ends to have all."""

from __future__ import annotations

import json
import math
import time

from launcher import workers
from launcher.progress import Progress
from shared import settings

LOOK_SECONDS = 10
SETTLE_SECONDS = 20  # after `latest`, a program may write further files of its checkpoint
PER_RANK = ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps")


def sizes(configured: settings.Settings) -> list[int]:
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
        """Whether the attempt is to end now. Every LOOK_SECONDS, this takes half a second."""
        if not self.fewer or not self.progress.started:
            return False
        now = time.monotonic()
        if self.wait_until is None:
            self.wait_until = now + self.configured.resize_after_seconds
        if now >= self.wait_until:
            self.wait_until = now + LOOK_SECONDS
            silent = self.reached.missing(self.idle, lambda: False)
            whole = len(self.reached.names) - len(silent) >= self.configured.workers
            self.whole_since = min(self.whole_since, now) if whole else float("inf")
        saved = self.progress.saved_at
        self.saved_at = min(self.saved_at, saved) if saved > self.whole_since else float("inf")
        return now - self.saved_at > SETTLE_SECONDS
