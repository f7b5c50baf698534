"""Reports of a running rank: its activity, its progress, and the stacks of its program."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from shared import processes, settings
from shared.progress import Source
from worker import stacks

LONGEST_SECONDS = 10.0  # between reports
STACK_SECONDS, STACK_BYTES = 2.0, 1 << 20  # limits for the stacks that programs write


class RankWatch:
    """Sends reports while the program of a rank is active, because the launcher takes silence for a hang."""

    def __init__(self, run: settings.Settings, rank: int, send: Callable[[str, dict[str, Any]], None]) -> None:
        hang = run.hang_timeout_seconds
        self.rank, self.send = rank, send
        self.source = Source(run, files=rank == 0)
        self.wanted = bool(hang or run.progress_pattern or run.progress_file or run.checkpoint_path or run.workers_min)
        self.interval = min(LONGEST_SECONDS, hang / 4) if hang else LONGEST_SECONDS
        self.due = time.monotonic()
        self.printed, self.sent = False, dict(self.source.seen)
        self.asked = False  # whether stacks were requested
        self.until = 0.0  # the end of the time for stacks
        self.written = b""

    def note_output(self, data: bytes) -> None:
        """Note output of the program."""
        self.printed = True
        if self.until:
            self.written = (self.written + data)[-STACK_BYTES:]
        if self.wanted:
            self.source.read_output(data)

    def look(self) -> float | None:
        """Send the reports that are due; seconds until the next call, None for never."""
        if self.asked:
            self.ask_for_stacks()
        now = time.monotonic()
        if self.until and now >= self.until:
            self.until = 0.0
            frames = stacks.parse_main_thread(self.written.decode("utf-8", "replace"))
            self.send("rank-stack", {"rank": self.rank, "stack": frames})
        if self.wanted and now >= self.due:
            self.due = now + self.interval
            self.source.read_files()
            if self.printed or self.source.seen != self.sent:
                self.printed, self.sent = False, dict(self.source.seen)
                self.send("rank-beat", {"rank": self.rank, **self.sent})
        waits = [moment - now for moment in (self.due if self.wanted else 0, self.until) if moment]
        return max(min(waits), 0) if waits else None

    def finish(self) -> None:
        """Report the last progress after the end of the program."""
        self.due = 0.0
        self.look()

    def note_signal(self, *_: object) -> None:
        self.asked = True

    def ask_for_stacks(self) -> None:
        """Make the programs of this rank write their stacks to their output, which is read here."""
        self.asked = False
        self.written, self.until = b"", time.monotonic() + STACK_SECONDS
        below = processes.list_descendants(os.getpid())
        if not stacks.ask(below):
            said = stacks.run_py_spy(below)
            os.write(1, said)
            self.written = said
