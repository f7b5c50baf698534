# dsgen/scripts/launcher_preflight.py without its comments.





from __future__ import annotations

import json
import re
import secrets
import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import launcher_workers as workers

SLOW = 0.5
FURTHER_ROUNDS = 3
CONNECT_SECONDS, TRANSFER_SECONDS = 20, 30
REPORT = r"^[A-Za-z0-9.-]+: {} dsgen-preflight (\{{.*\}})$"
LATE = "timed out"
MEBIBYTE = 1 << 20

if TYPE_CHECKING:
  Pair = tuple[int, int]


class Verdict(NamedTuple):


  slow: dict[int, float]
  dead: dict[int, str]
  median: float

  def words(self, names):

    said = [f"{names[at]} exchanges no data: {problem}" for at, problem in self.dead.items()]
    said += [f"{names[at]} is slow: {rate:.0f} MiB/s, median {self.median:.0f}" for at, rate in self.slow.items()]
    return "network: " + "; ".join(said) if said else ""


class Rounds:


  def __init__(self, hosts):
    self.hosts = hosts
    self.round = 0
    self.tried = set()
    self.best = dict.fromkeys(range(hosts), 0.0)
    self.problems = {}

  def pairs(self):

    self.round += 1
    ring = self.neighbours()
    chosen = ring[self.round - 1] if self.round <= len(ring) else self.suspects_and_others(self.round - len(ring))
    self.tried.update(frozenset(pair) for pair in chosen)
    return chosen

  def neighbours(self):

    last = self.hosts - 1
    rounds = [[(index, index + 1) for index in range(start, last, 2)] for start in (0, 1)]
    closing = [(last, 0)] if last > 1 else []
    return list(filter(None, [rounds[0], rounds[1] + closing] if self.hosts % 2 == 0 else [*rounds, closing]))

  def suspects_and_others(self, further):

    suspects = self.suspects()
    good = [index for index in range(self.hosts) if index not in suspects]
    free = good or suspects
    pairs = []
    open_ones = [one for one in suspects if not any(frozenset((one, other)) in self.tried for other in good)]
    for suspect in open_ones if further <= FURTHER_ROUNDS else []:
      fits = [other for other in free if other != suspect and frozenset((suspect, other)) not in self.tried]
      if fits and (good or suspect in free):
        pairs.append((suspect, fits[0]))
        free = [other for other in free if other not in (suspect, fits[0])]
    return pairs

  def learn(self, pair, rate, problems):

    for index, problem in zip(pair, problems):
      self.best[index] = max(self.best[index], rate)
      if problem != LATE or index not in self.problems:
        self.problems[index] = problem

  def median(self):
    return statistics.median([rate for rate in self.best.values() if rate] or [0.0])

  def suspects(self):
    limit = SLOW * self.median()
    return [index for index, rate in self.best.items() if rate <= 0 or rate < limit]

  def verdict(self):
    suspects = self.suspects() if self.tried else []
    slow = {index: self.best[index] for index in suspects if self.best[index]}
    dead = {index: self.problems.get(index, "no answer") for index in suspects if not self.best[index]}
    return Verdict(slow, dead, self.median())


def check(
  reached, names, places, port, wait
):





  rounds = Rounds(len(names))
  while True:
    pairs = rounds.pairs()
    if not pairs:
      return rounds.verdict()
    reports = exchange(reached, names, places, pairs, port, wait)
    for pair in pairs:
      rounds.learn(pair, *judge([reports.get(places[index], {}) for index in pair]))


def exchange(
  reached,
  names,
  places,
  pairs,
  port,
  wait,
):

  hosts = [index for pair in pairs for index in pair]
  token = secrets.token_hex(16)
  plan = ",".join(f"{places[a]}:{places[b]},{places[b]}:{places[a]}" for a, b in pairs)
  connect = CONNECT_SECONDS + len(hosts) // workers.LOGINS_A_SECOND

  script = '"$DSGEN_ROOT/etc/dsgen/worker_preflight.py"'
  command = f"python3 -ESs {script} %n {port} {connect} {TRANSFER_SECONDS} {token} {plan}"
  said = reached.listen([names[index] for index in hosts], command, 2 * connect + TRANSFER_SECONDS, wait)
  lines = re.finditer(REPORT.format(token), said.decode(errors="replace"), re.MULTILINE)
  reports = [json.loads(match.group(1)) for match in lines]
  return {report["index"]: report for report in reports}


def judge(reports):




  rates = [report["bytes"] / report["seconds"] / MEBIBYTE for report in reports if report.get("bytes")]
  silent = [report for report in reports if not report]
  if rates and not silent:
    return min(rates), ["", ""]
  return 0.0, [str(report.get("problem", LATE if report else "no answer over ssh")) for report in reports]
