# dsgen/scripts/shared_output.py without its comments.






from __future__ import annotations

import json
import re
import secrets
from typing import Any, Protocol

LABEL = re.compile(rb"^([A-Za-z0-9.-]+): $")
PROTOCOL = re.compile(rb"^ dsgen-(rank-(?:met|end|beat|stack)|rank|session-end) (\{.*\})\s*$", re.DOTALL)

LOST_PEER = re.compile(
  r"(?i)(closed|reset) by peer|broken ?pipe|connection (refused|aborted)|connection ?reset|connectFullMesh"
  r"|remote process exited|peer has (gone|left)|got 0 bytes|ncclRemoteError|transport endpoint is not connected"
)


class Listener(Protocol):


  stacks: dict[int, tuple[str, list[str]]]

  def read_command(self, line): ...

  def learn(self, rank, said): ...



MPI_LOST = re.compile(rb"^ *Remote daemon: \S+ on node ([A-Za-z0-9.-]+)$")
MPI_KILLED = re.compile(rb"noticed that process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+)")
SSH_ENDED = re.compile(rb"^pdsh@[^:]*: ([A-Za-z0-9.-]+): (?:ssh exited with exit code (\d+)|.*)")

TAIL_LINES, TAIL_BYTES = 20, 4096
KEPT_BYTES, LINE_LENGTH = 32768, 300


def new_nonce():
  return secrets.token_hex(16)


class Output:





  def __init__(self, hosts, nonce = "", pdsh = False, progress = None):
    self.progress = progress
    self.hosts = {_short(host): host for host in hosts}
    self.nonce = (nonce or new_nonce()).encode()
    self.pdsh = pdsh
    self.unfinished = False
    self.ranks = set()
    self.world_sizes = set()
    self.met = set()
    self.places = {}
    self.ends = []
    self.failures = []
    self.ending = False
    self.closed = {}
    self.ssh_ended = {}
    self.given_up = set()

  def process_line(self, line):

    continues, self.unfinished = self.unfinished, not line.endswith(b"\n")
    ssh_end = SSH_ENDED.match(line) if self.pdsh and not continues else None
    if ssh_end:
      self.ssh_ended.setdefault(self._host(ssh_end.group(1)), int(ssh_end.group(2) or 255))
    if not self.pdsh and not continues:
      self._hear_mpirun(line)
    before, nonce, after = line.partition(self.nonce)
    if not nonce:
      if self.progress:
        self.progress.read_command(line)
      return line
    protocol = PROTOCOL.match(after)
    said = self._learn(protocol.group(1), protocol.group(2)) if protocol else None
    if said is None:
      return line.replace(self.nonce, b"")
    rest = before + b"\n" if before and not LABEL.match(before) else b""
    return rest + (f"[dsgen] {said}\n".encode("utf-8", "replace") if said else b"")

  def lost(self):

    return [host for host in self.hosts.values() if host in self.ssh_ended and host not in self.closed]

  def unclosed(self):





    left = [host for host in self.hosts.values() if host not in self.closed]
    silent = {self.places[rank] for rank in self.without_end()}
    return [host for host in left if host in (self.given_up or silent)] or left

  def any_failed(self):

    return bool(self.lost()) or any(code != 0 for code in list(self.closed.values()))

  def any_started(self):

    return bool(self.ranks or self.closed or self.ssh_ended)

  def failure(self):






    spoken = {end["host"] for end in self.failures if "rank" in end}
    failures = [end for end in self.failures if "rank" in end or end["host"] not in spoken]
    own = [end for end in failures if end["exitCode"] == 137 or not LOST_PEER.search(_tail(end))]
    return dict(next(iter([*own, *failures]), {}))

  def blame(self):

    failure = self.failure()
    if "rank" not in failure:
      silent = [rank for rank in self.without_end() if self.places[rank] == failure["host"]]
      of = f"; no report of rank {', '.join(map(str, silent))}" if silent else ""
      return f"{failure['host']} ended with exit code {failure['exitCode']}{of}"
    words = f"rank {failure['rank']} on {failure['host']} ended with exit code {failure['exitCode']}"
    before = next((end for end in self.ends if not end["exitCode"]), None)
    if before and LOST_PEER.search(_tail(failure)):
      words += f" after rank {before['rank']} on {before['host']} had ended with exit code 0"
    return words

  def without_end(self):

    return sorted(self.ranks - {end["rank"] for end in self.ends})

  def strangers(self):

    return sorted(self.ranks - self.met)

  def close(self, host, code):

    if host in self.closed:
      return
    self.closed[host] = code
    if code and not self.ending:
      self.failures.append({"host": host, "exitCode": code})

  def _learn(self, kind, text):

    try:
      content = json.loads(text)
      host = self.hosts[_short(content["host"])]
      if kind == b"session-end":
        self.close(host, int(content["exitCode"]))
        return f"{host} ended with {int(content['exitCode'])}"
      if kind == b"rank-met":
        self.met.add(int(content["rank"]))
        return f"rank {int(content['rank'])} on {host} is connected with the others"
      if kind == b"rank-beat":
        if self.progress:
          self.progress.learn(int(content["rank"]), content)
        return ""
      if kind == b"rank-stack":
        return self._rank_stack(host, content)
      return self._rank_end(host, content) if kind == b"rank-end" else self._rank(host, content)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
      return None

  def _hear_mpirun(self, line):
    lost, killed = MPI_LOST.match(line.rstrip()), MPI_KILLED.search(line)
    if lost:
      self.given_up.add(self._host(lost.group(1)))
    if killed and not self.ending:
      rank, name, number = killed.groups()
      end = {"host": self._host(name), "rank": int(rank), "exitCode": 128 + int(number), "tail": []}
      self.failures.append(end)

  def _rank(self, host, content):
    rank, size = int(content["rank"]), int(content["worldSize"])
    self.world_sizes.add(size)
    self.ranks.add(rank)
    self.places[rank] = host
    return f"rank {rank} of {size} started on {host}"

  def _rank_end(self, host, content):
    rank, code = int(content["rank"]), int(content["exitCode"])
    tail = [str(line) for line in content.get("tail", [])]
    end = {"host": host, "rank": rank, "exitCode": code, "tail": tail}
    self.ends.append(end)
    self.failures += [end] if code else []
    return f"rank {rank} on {host} ended with {code}"

  def _rank_stack(self, host, content):
    rank, stack = int(content["rank"]), [str(frame) for frame in content["stack"]]
    if self.progress:
      self.progress.stacks[rank] = (host, stack)
    return f"rank {rank} on {host} is in {' < '.join(stack[:3]) or 'no program that shows its stack'}"

  def _host(self, label):

    name = label.decode("ascii")
    return self.hosts.get(_short(name), name)


class Tail:


  def __init__(self):
    self.kept = b""

  def add(self, data):
    self.kept = (self.kept + data)[-KEPT_BYTES:]

  def lines(self):




    before, last = _lines(self.kept[:-TAIL_BYTES]), _lines(self.kept[-TAIL_BYTES:])
    reports = [line[:LINE_LENGTH] for line in [*before, *last[:-TAIL_LINES]] if LOST_PEER.search(line)][-1:]
    return [*reports, *last[-TAIL_LINES:][len(reports) :]]


def _lines(data):
  lines = data.decode(errors="replace").split("\n")
  return [line.rstrip("\r").rpartition("\r")[2] for line in lines if line.strip()]


def _tail(end):
  return "\n".join(end.get("tail", []))


def _short(host):
  return host.split(".", 1)[0]
