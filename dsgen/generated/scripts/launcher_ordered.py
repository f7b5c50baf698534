# dsgen/scripts/launcher_ordered.py without its comments.

from __future__ import annotations

import time
from collections.abc import Callable

import launcher_attempt
from launcher_orders import Orders
from launcher_process import Ranks
from launcher_wait import Wait
from shared_output import Output

LOST = 255


class Parts:


  def __init__(self, orders, attempt, output):
    self.orders, self.attempt, self.output = orders, attempt, output

  def code(self):

    hosts = self.output.hosts
    for name, member in self.orders.members.items():
      if self.attempt in member.lost or member.is_away():
        self.output.ssh_ended.setdefault(hosts[name], LOST)
      elif member.attempt == self.attempt and member.code is not None:
        self.output.close(hosts[name], member.code)
    ended = {**self.output.ssh_ended, **self.output.closed}
    return None if len(ended) < len(hosts) else next((code for code in ended.values() if code), 0)

  def kill(self):
    pass

  def finish(self):
    pass

  def behind(self):
    return False

  def signalled(self):
    return False


class OrderedAttempt(launcher_attempt.Attempt):


  def __init__(self, wait, orders, ranks, number):
    super().__init__(wait.configured, wait.workers, wait.journal, wait.external)
    self.orders, self.number, self.world = orders, number, ranks
    self.hosts = list(wait.workers.names)
    self.progress.source = None
    self.heard = self.output = Output(self.hosts, progress=self.progress)

  def launch(self):
    self.orders.begin(self.number, self.output)
    return Parts(self.orders, self.number, self.output)

  def signal(self, name, seconds, until = lambda: False):
    self.orders.tell(signal=name)
    deadline = time.monotonic() + seconds
    while not until() and time.monotonic() < deadline:
      time.sleep(launcher_attempt.TICK_SECONDS)

  def end_ranks(self, process):

    if not self.external.terminated:
      super().end_ranks(process)

  def gone(self, process, cut):
    process.code()
    return [] if cut == "terminated" else self.output.lost()

  def why_cut(self, seconds, wrong_seconds):

    event = super().why_cut(seconds, wrong_seconds)
    return "" if event == "succeeded" else event

  def met_world(self):

    return None if self.method.whole else super().met_world()
