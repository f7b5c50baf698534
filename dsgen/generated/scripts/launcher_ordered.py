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


  def __init__(self, orders: Orders, attempt: int, output: Output) -> None:
    self.orders, self.attempt, self.output = orders, attempt, output

  def code(self) -> int | None:

    hosts = self.output.hosts
    for name, member in self.orders.members.items():
      if self.attempt in member.lost or member.is_away():
        self.output.ssh_ended.setdefault(hosts[name], LOST)
      elif member.attempt == self.attempt and member.code is not None:
        self.output.close(hosts[name], member.code)
    ended = {**self.output.ssh_ended, **self.output.closed}
    return None if len(ended) < len(hosts) else next((code for code in ended.values() if code), 0)

  def kill(self) -> None:
    pass

  def finish(self) -> None:
    pass

  def behind(self) -> bool:
    return False

  def signalled(self) -> bool:
    return False


class OrderedAttempt(launcher_attempt.Attempt):


  def __init__(self, wait: Wait, orders: Orders, ranks: int, number: int) -> None:
    super().__init__(wait.configured, wait.workers, wait.journal, wait.external)
    self.orders, self.number, self.world = orders, number, ranks
    self.hosts = list(wait.workers.names)
    self.progress.source = None
    self.heard = self.output = Output(self.hosts, progress=self.progress)

  def launch(self) -> Ranks:
    self.orders.begin(self.number, self.output)
    return Parts(self.orders, self.number, self.output)

  def signal(self, name: str, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
    self.orders.tell(signal=name)
    deadline = time.monotonic() + seconds
    while not until() and time.monotonic() < deadline:
      time.sleep(launcher_attempt.TICK_SECONDS)

  def end_ranks(self, process: Ranks) -> None:

    if not self.external.terminated:
      super().end_ranks(process)

  def gone(self, process: Ranks, cut: str) -> list[str]:
    process.code()
    return [] if cut == "terminated" else self.output.lost()

  def why_cut(self, seconds: float, wrong_seconds: float) -> str:

    event = super().why_cut(seconds, wrong_seconds)
    return "" if event == "succeeded" else event

  def met_world(self) -> int | None:

    return None if self.method.whole else super().met_world()
