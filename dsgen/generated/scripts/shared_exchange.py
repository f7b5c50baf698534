# dsgen/scripts/shared_exchange.py without its comments.

























from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import shared_record as record
from shared_transitions import TRANSITIONS

LAUNCHER = "launcher.json"
STATUS = "status.json"
VERSION = 1
LIMIT_BYTES = 1 << 20
MESSAGE_CHARACTERS, LINE_CHARACTERS, NAME_CHARACTERS = 4096, 4096, 253
TAIL_LINES = 20
MOST_ATTEMPTS = 5000
LARGEST = (1 << 53) - 1
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def content(path, limit = LIMIT_BYTES, start = 0):




  try:

    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
  except OSError:
    return None
  data = b""
  try:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size - start > limit:
      return None
    os.lseek(descriptor, start, os.SEEK_SET)
    while len(data) <= limit:
      more = os.read(descriptor, limit + 1 - len(data))
      if not more:
        return data
      data += more
  except OSError:
    return None
  finally:
    os.close(descriptor)
  return None


def write(path, said):

  replace(path, json.dumps({"version": VERSION, **said}).encode() + b"\n")


def replace(path, data, mode = 0o644):

  temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
  descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
  with os.fdopen(descriptor, "wb") as file:
    file.write(data)
  if path.is_dir() and not path.is_symlink():
    shutil.rmtree(path, ignore_errors=True)
  temporary.replace(path)


def read(path):

  said = record.parse((content(path) or b"").decode("utf-8", "replace"))
  return said if said.get("version") == VERSION else {}


def launcher(folder):

  try:
    return _fields(read(folder / LAUNCHER), LAUNCHER_FIELDS)
  except (TypeError, ValueError):
    return {}


def words(path):

  data = content(path)
  if data is None:
    return None
  return [line(text) for text in data.decode("utf-8", "replace").splitlines()[: TAIL_LINES + 1]]





def text(value, limit):

  if not isinstance(value, str):
    raise TypeError(value)
  return UNPRINTABLE.sub(" ", value[:limit])


def line(value):
  return text(value, LINE_CHARACTERS)


def number(value):
  if isinstance(value, bool) or not isinstance(value, int):
    raise TypeError(value)
  if abs(value) > LARGEST:
    raise ValueError(value)
  return value


def decimal(value):
  if isinstance(value, bool) or not isinstance(value, (int, float)):
    raise TypeError(value)
  if not abs(value) < float("inf"):
    raise ValueError(value)
  return value


def flag(value):
  if not isinstance(value, bool):
    raise TypeError(value)
  return value


def moment(value):

  if record.seconds(text(value, NAME_CHARACTERS)) is None:
    raise ValueError(value)
  return str(value)


def one_of(known):
  def check(value):
    if text(value, NAME_CHARACTERS) not in known:
      raise ValueError(value)
    return str(value)

  return check


def optional(check):
  return lambda value: None if value is None else check(value)


def last(most, check):


  def each(value):
    if not isinstance(value, list):
      raise TypeError(value)
    return [check(one) for one in value[-most:]]

  return each


def _fields(said, checks):

  if not isinstance(said, dict):
    raise TypeError(said)
  return {key: check(said[key]) for key, check in checks.items() if key in said}


PHASES = {row.phase for row in TRANSITIONS.values()}
REASONS = {row.reason for row in TRANSITIONS.values()} | {"Succeeded"}
ATTEMPT_FIELDS = {
  "startTime": optional(moment),
  "endTime": optional(moment),
  "reason": one_of(REASONS),
  "exitCode": optional(number),
  "host": lambda value: text(value, NAME_CHARACTERS),
  "rank": number,
  "tail": last(TAIL_LINES, line),
  "counted": flag,
}
PROGRESS_FIELDS = {
  "step": number,
  "total": number,
  "loss": optional(decimal),
  "time": moment,
  "eta": moment,
  "checkpoint": moment,
}
LAUNCHER_FIELDS = {
  "sequence": number,
  "phase": one_of(PHASES),
  "reason": one_of(REASONS),
  "message": lambda value: text(value, MESSAGE_CHARACTERS),
  "exitCode": optional(number),
  "worldSize": optional(number),
  "launcher": lambda value: text(value, NAME_CHARACTERS),
  "start": one_of({"record"}),
  "terminated": flag,
  "progress": lambda value: _fields(value, PROGRESS_FIELDS),
  "attempts": last(MOST_ATTEMPTS, lambda value: _fields(value, ATTEMPT_FIELDS)),
}
