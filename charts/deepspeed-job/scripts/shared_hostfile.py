# dsgen/scripts/shared_hostfile.py without its comments.

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


KNOWN = {"-i": "include", "--include": "include", "-e": "exclude", "--exclude": "exclude"}
KNOWN["--launcher_args"] = "launcher_args"


class Options(NamedTuple):


  include: str
  exclude: str
  launcher_args: str
  rest: list[str]


def hosts(hostfile):

  return [line.split()[0] for line in hostfile.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(path, names, slots):

  path.write_text("".join([f"{name} slots={slots}\n" for name in names]), encoding="utf-8")
  return str(path)


def options(arguments):

  known = dict.fromkeys(KNOWN.values(), "")
  rest, words = [], iter(arguments)
  for word in words:
    option, equals, value = word.partition("=")
    if option in KNOWN:
      known[KNOWN[option]] = value if equals else next(words, "")
    else:
      rest.append(word)
  return Options(rest=rest, **known)


def active(names, slots, given):




  whole = set(range(slots))
  named = {}
  for word in filter(None, (given.include or given.exclude).split("@")):
    host, _, numbers = word.partition(":")
    named.setdefault(host, set()).update(int(number) for number in numbers.split(",") if number)
  meant = {name: (named[name] or whole) if name in named else set() for name in names}
  used = meant if given.include else {name: whole - numbers for name, numbers in meant.items()}
  return {name: len(numbers) for name, numbers in used.items() if numbers}
