# dsgen/scripts/rank_watch.py without its comments.

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import shared_processes as processes
import shared_settings as settings
import shared_stacks as stacks
from shared_progress import Source

LONGEST_SECONDS = 10.0
STACK_SECONDS, STACK_BYTES = 2.0, 1 << 20


class Watch:


  def __init__(self, run, rank, say):
    hang = run.hang_timeout_seconds
    self.rank, self.say = rank, say
    self.source = Source(run, files=rank == 0)
    self.wanted = bool(hang or run.progress_pattern or run.progress_file or run.checkpoint_path)
    self.interval = min(LONGEST_SECONDS, hang / 4) if hang else LONGEST_SECONDS
    self.due = time.monotonic()
    self.printed, self.sent = False, dict(self.source.seen)
    self.asked = False
    self.until = 0.0
    self.written = b""

  def forwarded(self, data):

    self.printed = True
    if self.until:
      self.written = (self.written + data)[-STACK_BYTES:]
    if self.wanted:
      self.source.read_output(data)

  def look(self):

    if self.asked:
      self.ask_for_stacks()
    now = time.monotonic()
    if self.until and now >= self.until:
      self.until = 0.0
      frames = stacks.main_thread(self.written.decode("utf-8", "replace"))
      self.say("rank-stack", {"rank": self.rank, "stack": frames})
    if self.wanted and now >= self.due:
      self.due = now + self.interval
      self.source.read_files()
      if self.printed or self.source.seen != self.sent:
        self.printed, self.sent = False, dict(self.source.seen)
        self.say("rank-beat", {"rank": self.rank, **self.sent})
    waits = [moment - now for moment in (self.due if self.wanted else 0, self.until) if moment]
    return max(min(waits), 0) if waits else None

  def finish(self):

    self.due = 0.0
    self.look()

  def on_signal(self, *_):
    self.asked = True

  def ask_for_stacks(self):

    self.asked = False
    self.written, self.until = b"", time.monotonic() + STACK_SECONDS
    below = processes.below(os.getpid())
    if not stacks.ask(below):
      said = stacks.spied(below)
      os.write(1, said)
      self.written = said
