# dsgen/scripts/shared_log.py without its comments.

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import Any


SECRETS = (

  re.compile(r"(?i)(?<!ssh)(://)[^\s/?#]*@"),

  re.compile(r"(?i)(://)[^\s/?#:@]*:(?![0-9]*(?:[/?#\s]|$))[^\s@]{0,256}@"),

  re.compile(r"(://[^\s?\"'<>:]*(?::(?!//)[^\s?\"'<>:]*)*\?)[^\s\"'<>]+"),
  re.compile(
    r"(?i)((?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks|api\.telegram\.org"
    r"|\.webhook\.office\.com|hooks\.zapier\.com/hooks|maker\.ifttt\.com/trigger)/)[^\s\"'<>]+"
  ),
)


def log(text):

  sys.stdout.flush()
  sys.stdout.buffer.write(f"[dsgen] {redacted(text)}\n".encode("utf-8", "replace"))
  sys.stdout.buffer.flush()


def last_words(path, text):

  with contextlib.suppress(OSError):
    path.write_text(redacted(text)[:4000], encoding="utf-8", errors="replace")


def redacted(text):

  for pattern in SECRETS:
    text = pattern.sub(lambda match: f"{match[1]}***{'@' if match[0].endswith('@') else ''}", text)
  return text


def redacted_everywhere(content):

  if isinstance(content, str):
    return redacted(content)
  if isinstance(content, list):
    return [redacted_everywhere(item) for item in content]
  if isinstance(content, dict):
    return {key: redacted_everywhere(value) for key, value in content.items()}
  return content
