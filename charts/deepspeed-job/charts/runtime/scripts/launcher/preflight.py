"""launch.preflight.network: before a training, workers exchange data in pairs, to find slow and unreachable ones.

Each worker exchanges data with both neighbours in the hostfile. A worker that was slow or failed with both is tested
again with a good one, because a good worker between two bad ones also seems bad.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

SLOW = 0.5  # of the median: below, a worker is slow
FURTHER_ROUNDS = 3  # after the rounds with neighbours
CONNECT_SECONDS, TRANSFER_SECONDS = 20, 30
TICK_SECONDS = 0.1  # between looks at what may end the check
LATE = "timed out"  # the problem that worker/preflight.py reports if no data arrives
MEBIBYTE = 1 << 20

if TYPE_CHECKING:
    from launcher.control import ControlServer

    Pair = tuple[int, int]  # Python 3.8 cannot evaluate it


class NetworkVerdict(NamedTuple):
    """Indices of hosts: the slow ones with MiB/s, the unreachable ones with their problems.

    `median` in MiB/s; `best`: MiB/s of each host in its best pair.
    """

    slow: dict[int, float]
    dead: dict[int, str]
    median: float
    best: dict[int, float]

    def describe_bad_workers(self, names: list[str]) -> str:
        """A message about the bad workers, or ""."""
        said = [f"{names[at]} exchanges no data: {problem}" for at, problem in self.dead.items()]
        said += [f"{names[at]} is slow: {rate:.0f} MiB/s, median {self.median:.0f}" for at, rate in self.slow.items()]
        return "network: " + "; ".join(said) if said else ""


class Rounds:
    """The pairs of each round, and the verdict; hosts are indices into the list."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts
        self.round = 0
        self.tried: set[frozenset[int]] = set()
        self.best = dict.fromkeys(range(hosts), 0.0)  # MiB/s in the best pair of each
        self.problems: dict[int, str] = {}

    def choose_pairs(self) -> list[Pair]:
        """The pairs of the next round; [] after the last one."""
        self.round += 1
        ring = self.pair_neighbours()
        chosen = ring[self.round - 1] if self.round <= len(ring) else self.pair_suspects(self.round - len(ring))
        self.tried.update(frozenset(pair) for pair in chosen)
        return chosen

    def pair_neighbours(self) -> list[list[Pair]]:
        """0-1, 2-3, ... first, then 1-2, 3-4, ...; the last and the first close the ring."""
        last = self.hosts - 1
        rounds = [[(index, index + 1) for index in range(start, last, 2)] for start in (0, 1)]
        closing = [(last, 0)] if last > 1 else []
        return list(filter(None, [rounds[0], rounds[1] + closing] if self.hosts % 2 == 0 else [*rounds, closing]))

    def pair_suspects(self, further: int) -> list[Pair]:
        """Each suspect with a good host or, without one, with another suspect."""
        suspects = self.list_suspects()
        good = [index for index in range(self.hosts) if index not in suspects]
        free = good or suspects
        pairs: list[Pair] = []
        open_ones = [one for one in suspects if not any(frozenset((one, other)) in self.tried for other in good)]
        for suspect in open_ones if further <= FURTHER_ROUNDS else []:
            fits = [other for other in free if other != suspect and frozenset((suspect, other)) not in self.tried]
            if fits and (good or suspect in free):
                pairs.append((suspect, fits[0]))
                free = [other for other in free if other not in (suspect, fits[0])]
        return pairs

    def add_result(self, pair: Pair, rate: float, problems: list[str]) -> None:
        """Note a result. `rate`: MiB/s in the slower direction, 0 without data; `problems`: those of both hosts."""
        for index, problem in zip(pair, problems):  # noqa: B905  # strict= is not in Python 3.8
            self.best[index] = max(self.best[index], rate)
            if problem != LATE or index not in self.problems:  # a timeout is less specific than other problems
                self.problems[index] = problem

    def compute_median(self) -> float:
        import statistics  # few launchers need it

        return statistics.median([rate for rate in self.best.values() if rate] or [0.0])

    def list_suspects(self) -> list[int]:
        limit = SLOW * self.compute_median()
        return [index for index, rate in self.best.items() if rate <= 0 or rate < limit]

    def make_verdict(self) -> NetworkVerdict:
        suspects = self.list_suspects() if self.tried else []
        slow = {index: self.best[index] for index in suspects if self.best[index]}
        dead = {index: self.problems.get(index, "no answer") for index in suspects if not self.best[index]}
        return NetworkVerdict(slow, dead, self.compute_median(), self.best)


def check(
    control: ControlServer, names: list[str], hostfile: list[str], port: int, wait: Callable[[], None]
) -> NetworkVerdict:
    """Let these hosts exchange data; indices of the verdict refer to `names`.

    `hostfile`: the hosts as the workers read them. `wait` is called repeatedly, and may raise to end the check.
    """
    rounds = Rounds(len(names))
    try:
        while pairs := rounds.choose_pairs():
            reports = exchange(control, [(names[a], names[b]) for a, b in pairs], hostfile, port, wait)
            for pair in pairs:
                rounds.add_result(pair, *compute_rate([reports[names[index]] for index in pair]))
    finally:
        control.order_checks({})
    return rounds.make_verdict()


def exchange(
    control: ControlServer, pairs: list[tuple[str, str]], hostfile: list[str], port: int, wait: Callable[[], None]
) -> dict[str, dict[str, Any]]:
    """One round; the report of each worker, {} without one."""
    token = os.urandom(16).hex()
    places = {name: index for index, name in enumerate(hostfile)}
    plans = {mine: f"{places[mine]}:{places[other]}" for pair in pairs for mine, other in (pair, pair[::-1])}
    control.order_checks({name: [port, CONNECT_SECONDS, TRANSFER_SECONDS, token, plan] for name, plan in plans.items()})
    members = {name: control.find_member(name) for name in plans}
    until = time.monotonic() + CONNECT_SECONDS + TRANSFER_SECONDS + CONNECT_SECONDS
    while time.monotonic() < until and any(
        member.checked.get("token") != token and member.connection for member in members.values()
    ):
        wait()
        control.wait(TICK_SECONDS)
    return {name: one.checked if one.checked.get("token") == token else {} for name, one in members.items()}


def compute_rate(reports: list[dict[str, Any]]) -> tuple[float, list[str]]:
    """MiB/s of a pair in its slower direction, and the problems of both if no data arrived.

    A worker that sends for too long reports a timeout; the other one reports the received amount.
    """
    rates = [report["bytes"] / report["seconds"] / MEBIBYTE for report in reports if report.get("bytes")]
    silent = [report for report in reports if not report]
    if rates and not silent:
        return min(rates), ["", ""]
    return 0.0, [str(report.get("problem", LATE if report else "no answer")) for report in reports]
