# dsgen/scripts/launcher_with_ssh.py without its comments.

from __future__ import annotations

import time
from collections.abc import Callable

import launcher_preflight as preflight
import launcher_workers as workers
import shared_key as keyfile
import shared_methods as methods
import shared_settings as settings
from launcher_attempt import Attempt
from launcher_outcome import RunEnded
from launcher_wait import Wait
from shared_log import log

TICK_SECONDS = 0.5
SPARE_SECONDS = 60
SLICE_SECONDS = 5


class WithSsh:


  def __init__(self, wait):
    self.wait = wait
    self.configured = wait.configured
    self.workers = wait.workers
    self.journal = wait.journal
    self.selection = Selection(self.configured, self.workers)

  def prepare(self):

    missing = methods.missing_tools(methods.of(self.configured))
    if missing:
      names = ", ".join(missing)
      raise RunEnded("no-tool", f"the image has no {names}: add it to the image or in training.setup")
    self.take_key()

  def take_key(self):

    private, clock = settings.RUN / "id", self.wait.new_clock()
    places = [settings.written_by("keygen") / keyfile.PRIVATE, settings.KEYS / keyfile.PRIVATE]
    while True:
      key = keyfile.first_content(places)
      if key:
        break
      self.journal.move("key", f"Secret {self.configured.secret} holds no {keyfile.PRIVATE} yet")
      self.wait.pause(TICK_SECONDS)
      if clock.tick(True) <= 0:
        raise RunEnded("bad-key", f"Secret {self.configured.secret} held no {keyfile.PRIVATE} in time")
    keyfile.write_private(private, key)
    try:
      known = f"{keyfile.HOST_ALIAS} {keyfile.public_half(private)}\n"
    except keyfile.BadKey as problem:
      raise RunEnded("bad-key", f"Secret {self.configured.secret}: {problem}") from problem
    (settings.RUN / "known_hosts").write_text(known, encoding="ascii")

  def wait_for_workers(self):

    time_left = self.wait.time_left_for_workers
    missing = self.selection.wait_for_workers(time_left, self.wait.check_isolation)

    if missing or (self.wait.totals()["attempts"] and not time_left()):
      raise RunEnded("unreachable", self.wait.too_late(unreached(missing)))
    if self.wait.totals()["attempts"]:
      self.workers.everywhere(workers.signal_ranks("KILL"), workers.COMMAND_SECONDS)
    self.choose()

  def choose(self):

    if self.configured.preflight_network and not self.configured.debug:
      self.journal.move("preflight")
      self.selection.check_network(self.wait.check)
      if self.selection.verdict.median:
        log(f"network: the median of the workers is {self.selection.verdict.median:.0f} MiB/s")
    enough = self.selection.choose()
    self.journal.note = self.selection.note()
    if self.journal.note:
      log(self.journal.note)
    if not enough:
      raise RunEnded("preflight-failed", self.journal.note)

  def start(self):
    return self.attempt().start()

  def attempt(self):
    return Attempt(self.configured, self.workers, self.journal, self.wait.external)

  def ended(self, event):

    return RunEnded(event, self.wait.external.explain(event))

  def announce_end(self, phase):

    if (settings.RUN / "known_hosts").exists():
      self.workers.everywhere(workers.announce_end(phase), workers.COMMAND_SECONDS)


class Selection:





  def __init__(self, configured, reached):
    self.configured = configured
    self.workers = reached
    self.present = list(reached.names)
    self.verdict = preflight.Verdict({}, {}, 0.0)

  def wait_for_workers(
    self, time_left, nobody_answers = lambda: None
  ):





    missing, enough_since, part = dict.fromkeys(self.workers.names, ""), 0.0, TimeSlice(time_left)
    while missing and part.time_left:
      part = TimeSlice(time_left)
      silent = workers.missing(list(missing), self.workers.port, part)
      if len(silent) == len(self.workers.names):
        nobody_answers()
      refused = self.workers.refusals([name for name in missing if name not in silent], time_left)

      said = {} if part.time_left else missing
      missing = {
        name: refused.get(name, said.get(name, "")) for name in missing if name in refused or name in silent
      }
      if refused:
        time.sleep(TICK_SECONDS)
        part()
      enough = len(missing) <= self.configured.spares
      enough_since = (enough_since or time.monotonic()) if enough else 0.0
      if enough and time.monotonic() - enough_since >= SPARE_SECONDS:
        break
    self.present = [name for name in self.workers.names if name not in missing]
    self.workers.chosen = self.present[: self.configured.workers]
    return {} if len(self.present) >= self.configured.workers else missing

  def check_network(self, wait):

    places = [self.workers.names.index(name) for name in self.present]
    self.verdict = preflight.check(self.workers, self.present, places, self.configured.master_port, wait)

  def choose(self):

    bad = self.verdict
    order = sorted(range(len(self.present)), key=lambda index: -bad.slow.get(index, float("inf")))
    fit = sorted([index for index in order if index not in bad.dead][: self.configured.workers])
    self.workers.chosen = [self.present[index] for index in fit]
    return len(fit) == self.configured.workers

  def note(self):

    regular = self.workers.names[: self.configured.workers]
    said = [self.verdict.words(self.present)]
    said += [f"{name} is not reachable" for name in regular if name not in self.present]
    standing_in = [name for name in self.workers.chosen if name not in regular]
    said += [f"in their place: {' '.join(standing_in)}"] if standing_in else []
    return "; ".join(filter(None, said))


def unreached(missing):

  if not missing:
    return "no attempt had all its ranks"
  refused = [f"{name} refused the login: {words}" for name, words in missing.items() if words]
  silent = [name for name, words in missing.items() if not words]
  named = " ".join(silent[:10]) + (f" and {len(silent) - 10} more" if len(silent) > 10 else "")
  return "; ".join([*refused[:3], *([f"not reachable: {named}"] if silent else [])]) + ","


class TimeSlice:


  def __init__(self, time_left):
    self.ask = time_left
    self.time_left = True
    self.until = time.monotonic() + SLICE_SECONDS

  def __call__(self):
    self.time_left = self.ask()
    return self.time_left and time.monotonic() < self.until
