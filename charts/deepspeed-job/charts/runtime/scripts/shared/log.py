"""Lines of logs: writes those of dsgen, removes passwords and keys, and keeps the last ones of a program."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import Any

TAIL_LINES, TAIL_BYTES = 20, 4096
KEPT_BYTES, LINE_LENGTH = 32768, 300  # of the output that is searched for the report of a lost connection


# What may be secret. code.sh has the same patterns for sed. Each takes time in proportion to the length of the text.
# They are compiled when they are needed: a process that logs no address needs none of them.
SECRETS = (
    # User and password, or a token as the user; an ssh user name is not a secret.
    r"(?i)(?<!ssh)(://)[^\s/?#]*@",
    # Also a password that contains a slash.
    r"(?i)(://)[^\s/?#:@]*:(?![0-9]*(?:[/?#\s]|$))[^\s@]{0,256}@",
    # The query of the last address in a word.
    r"(://[^\s?\"'<>:]*(?::(?!//)[^\s?\"'<>:]*)*\?)[^\s\"'<>]+",
    r"(?i)((?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks|api\.telegram\.org"
    r"|\.webhook\.office\.com|hooks\.zapier\.com/hooks|maker\.ifttt\.com/trigger)/)[^\s\"'<>]+",
)


def log(text: str) -> None:
    """Write a line of dsgen to the container's log, in UTF-8, whatever the locale of the image."""
    sys.stdout.flush()
    sys.stdout.buffer.write(f"[dsgen] {redact(text)}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def write_last_words(path: Path, text: str) -> None:
    """Write the container's termination message, which the status of its pod shows."""
    with contextlib.suppress(OSError):
        path.write_text(redact(text)[:4000], encoding="utf-8", errors="replace")


def redact(text: str) -> str:
    """The text without parts of URLs that may be secrets."""
    for pattern in SECRETS if "/" in text else ():
        text = re.sub(pattern, lambda match: f"{match[1]}***{'@' if match[0].endswith('@') else ''}", text)
    return text


def redact_everywhere(content: Any) -> Any:
    """Redact all texts in lists and maps."""
    if isinstance(content, str):
        return redact(content)
    if isinstance(content, list):
        return [redact_everywhere(item) for item in content]
    if isinstance(content, dict):
        return {key: redact_everywhere(value) for key, value in content.items()}
    return content


class Tail:
    """The end of a stream of bytes."""

    def __init__(self) -> None:
        self.kept = b""

    def add(self, data: bytes) -> None:
        self.kept = (self.kept + data)[-KEPT_BYTES:]

    def list_lines(self) -> list[str]:
        """At most TAIL_LINES lines; of a line with carriage returns, only the last part.

        A line before them that reports a lost connection comes first: torchrun and accelerate end with a long summary.
        """
        before, last = _split_lines(self.kept[:-TAIL_BYTES]), _split_lines(self.kept[-TAIL_BYTES:])
        reports = [line[:LINE_LENGTH] for line in [*before, *last[:-TAIL_LINES]] if reports_lost_peer(line)][-1:]
        return [*reports, *last[-TAIL_LINES:][len(reports) :]]


def reports_lost_peer(text: str) -> bool:
    """Whether the text has a message of a program that lost the connection to another rank."""
    return bool(
        re.search(  # compiled when it is needed, which is only after a failure
            r"(?i)(closed|reset) by peer|broken ?pipe|connection (refused|aborted)|connection ?reset|connectFullMesh"
            r"|remote process exited|peer has (gone|left)|got 0 bytes|ncclRemoteError"
            r"|transport endpoint is not connected",
            text,
        )
    )


def _split_lines(data: bytes) -> list[str]:
    lines = data.decode(errors="replace").split("\n")
    return [line.rstrip("\r").rpartition("\r")[2] for line in lines if line.strip()]
