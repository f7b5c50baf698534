"""The progress of the training according to the reports of its ranks, and the detection of hangs."""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from typing import Any

from launcher.journal import LauncherState
from shared import record, settings
from shared.log import log
from shared.progress import Source

LATEST = 1 << 32  # seconds since 1970; the year in the record has four digits
LOOK_SECONDS = 5
SAY_SECONDS = 60  # between two updates of the record for progress alone
# A rank whose main thread is in one of these functions waits for other ranks.
WAITING = re.compile("torch/distributed/|deepspeed/comm/|mpi4py")


class Progress:
    """The progress of one attempt; one thread writes it, another one reads it."""

    def __init__(self, configured: settings.Settings) -> None:
        self.configured = configured
        self.source: Source | None = None  # for launch.command in the launcher, which has no rank.py
        self.started = False  # hangs are detected only after all ranks have started
        self.active_at = self.stepped_at = self.checkpoint_at = time.monotonic()
        self.steps: dict[int, int] = {}
        self.first: tuple[float, int] | None = None  # time and number of the first observed step
        self.last: dict[str, Any] = {}
        self.saved: int | None = None  # when the newest checkpoint was written, as the ranks say
        self.saved_at = float("-inf")  # when they first said so; not of a checkpoint of an earlier attempt
        self.nan_since: int | None = None
        self.stacks: dict[int, tuple[str, list[str]]] = {}  # rank -> host, innermost frames
        self.said_at = self.looked_at = float("-inf")
        self.note = self.warned = ""

    def start(self) -> None:
        """All ranks have started: from now on, silence is a hang."""
        self.started = True
        self.active_at = self.stepped_at = self.checkpoint_at = time.monotonic()

    def read_command(self, line: bytes) -> None:
        """Read a line of the output of launch.command in the launcher, where no rank reports."""
        self.active_at = time.monotonic()
        if self.source:
            self.source.read_output(line)

    def add_report(self, rank: int, said: dict[str, Any]) -> None:
        """Note a report of a rank: its activity and its progress."""
        now = self.active_at = time.monotonic()
        step = said.get("step")
        if isinstance(step, int) and step != self.steps.get(rank):
            self.stepped_at = now
            self.steps[rank] = step
            self.first = self.first or (now, step)
            self.last.update(step=step, time=record.format_time(time.time()))
        if isinstance(said.get("total"), int):
            self.last["total"] = said["total"]
        if isinstance(said.get("memory"), int):
            self.last["memory"] = max(said["memory"], self.last.get("memory", 0))
        loss = said.get("loss")
        if isinstance(loss, float):
            self.last["loss"] = loss if math.isfinite(loss) else None
            lost_at = self.last.get("step", 0) if self.nan_since is None else self.nan_since
            self.nan_since = None if math.isfinite(loss) else lost_at
        saved = said.get("saved")
        if isinstance(saved, int) and saved != self.saved:
            self.saved_at = self.saved_at if self.saved is None else now
            self.saved = saved
        written = said.get("checkpoint")
        moment = record.format_time(written) if isinstance(written, int) and 0 < written < LATEST else None
        if moment not in (None, self.last.get("checkpoint")):
            self.last["checkpoint"], self.checkpoint_at = moment, now

    def look(self) -> None:
        """Read the files, if no rank reads them."""
        if self.source and time.monotonic() - self.looked_at > LOOK_SECONDS:
            self.looked_at, active_at = time.monotonic(), self.active_at
            self.source.read_files()
            before = self.steps.get(0)
            self.add_report(0, self.source.seen)
            if self.steps.get(0) == before:  # an unchanged file is no activity
                self.active_at = active_at

    def describe_hang(self) -> str:
        """A description of the hang; "" if the training does not hang."""
        limit, now = self.configured.hang_timeout_seconds, time.monotonic()
        if not limit or not self.started:
            return ""
        words = f"for lifecycle.hangTimeoutSeconds ({limit})"
        if now - self.active_at > limit:
            return f"no output of any rank {words}"
        return f"no step after step {self.last['step']} {words}" if self.first and now - self.stepped_at > limit else ""

    def collect_facts(self) -> dict[str, Any]:
        """The progress for the record, with the average time of a step, and the estimated one of the last step."""
        facts = dict(self.last)
        step = facts.get("step", 0)
        if self.first and step > self.first[1]:
            each = (self.stepped_at - self.first[0]) / (step - self.first[1])  # of this attempt, after its first step
            facts["secondsPerStep"] = float(f"{each:.4g}")
            left = max(facts.get("total", 0) - step, 0) * each - (time.monotonic() - self.stepped_at)
            if "total" in facts and time.time() + left < LATEST:
                facts["eta"] = record.format_time(time.time() + left)
        return facts

    def find_warning(self) -> str:
        """A warning about a training that does not hang: the loss, or missing checkpoints."""
        limit, words = self.configured.checkpoint_timeout_seconds, []
        if self.nan_since is not None:
            words.append(f"the loss is no finite number since step {self.nan_since}")
        if limit and self.started and time.monotonic() - self.checkpoint_at > limit:
            words.append(f"no checkpoint for lifecycle.progress.checkpointTimeoutSeconds ({limit})")
        return "; ".join(words)

    def find_suspect(self) -> dict[str, Any]:
        """The rank that the others seem to wait for: host, rank, tail (its stack) and why; {} if it is unclear."""
        stacks = dict(self.stacks)
        steps = {rank: step for rank, step in self.steps.items() if rank in stacks or not stacks}
        behind = [rank for rank in steps if steps[rank] < max(steps.values())]
        busy = [rank for rank, (_, stack) in stacks.items() if stack and not WAITING.search("\n".join(stack))]
        alike = Counter(tuple(stack[:3]) for _, stack in stacks.values())
        rare = [rank for rank, (_, stack) in stacks.items() if 2 * alike[tuple(stack[:3])] < len(stacks)]
        for ranks, why in ((behind, "it is behind"), (busy, "it does not wait for the others"), (rare, "it differs")):
            if ranks and len(ranks) < max(len(stacks), len(steps)):
                rank = min(ranks, key=lambda one: (steps.get(one, 0), one))
                host, stack = stacks.get(rank, ("", []))
                where = f", in {stack[0]}" if stack else ""
                return {"host": host, "rank": rank, "tail": stack, "why": f"{why}{where}"}
        return {}


def as_record_field(progress: Progress) -> dict[str, Any]:
    """The progress as a field of the record."""
    return {"progress": progress.collect_facts()} if progress.last else {}


def report(progress: Progress, journal: LauncherState, world: int | None) -> None:
    """All ranks are running: update the phase, regularly the progress, and the warning in the record."""
    if not progress.started:
        progress.start()
        progress.note = journal.note
    progress.look()
    warning = progress.find_warning()
    if warning != progress.warned:
        progress.warned = warning
        log(warning or "the loss is a finite number again, or there is a checkpoint")
        journal.note = "; ".join(filter(None, (progress.note, warning)))
    due = progress.last and time.monotonic() - progress.said_at >= SAY_SECONDS
    progress.said_at = time.monotonic() if due else progress.said_at
    journal.move("running", worldSize=world, **(as_record_field(progress) if due else {}))


def explain_hang(hang: str, suspect: dict[str, Any]) -> str:
    """The message of a hanging training, with the suspected rank, if any."""
    if not suspect:
        return f"{hang}; no rank stands out"
    on = f" on {suspect['host']}" if suspect["host"] else ""
    return f"{hang}; suspected: rank {suspect['rank']}{on}: {suspect['why']}"
