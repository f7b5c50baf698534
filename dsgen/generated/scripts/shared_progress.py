# dsgen/scripts/shared_progress.py without its comments.

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import shared_settings as settings
from shared_log import log

LINE_BYTES = 1 << 16
NUMBERS = {"step": int, "total": int, "loss": float}
LARGEST = (1 << 53) - 1


class Source:


  def __init__(self, run, files):

    self.pattern = None
    try:
      self.pattern = re.compile(run.progress_pattern) if run.progress_pattern else None
    except re.error as error:
      log(f"lifecycle.progress.pattern is not a regular expression of Python: {error}")
    self.file = run.progress_file if files else ""
    self.checkpoint = run.checkpoint_path if files else ""
    self.seen = {}
    self.part = b""

  def read_output(self, data):

    if self.pattern:
      *lines, self.part = re.split(rb"[\r\n]", self.part[-LINE_BYTES:] + data)
      self.learn_lines(lines)

  def read_files(self):

    text = tail(self.file) if self.file else b""
    for part in (text, *text.splitlines()[-1:]):
      try:
        said = json.loads(part)
      except (ValueError, RecursionError):
        continue
      if isinstance(said, dict):
        self.learn(said)
        break
    else:
      self.learn_lines(text.splitlines() if self.pattern else [])
    try:
      self.seen["checkpoint"] = int(Path(self.checkpoint).stat().st_mtime) if self.checkpoint else 0
    except OSError:
      self.seen["checkpoint"] = 0

  def learn_lines(self, lines):

    for line in reversed(lines):
      match = self.pattern.search(line.decode("utf-8", "replace")) if self.pattern else None
      if match:
        self.learn(match.groupdict())
        return

  def learn(self, said):

    for name, kind in NUMBERS.items():
      try:
        value = kind(str(said[name]).replace(",", "").replace("_", ""))
      except (KeyError, ValueError):
        continue
      if kind is float or 0 <= value <= LARGEST:
        self.seen[name] = value


def tail(path):

  try:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
  except OSError:
    return b""
  try:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
      return b""
    return os.pread(descriptor, LINE_BYTES, max(status.st_size - LINE_BYTES, 0))
  except OSError:
    return b""
  finally:
    os.close(descriptor)
