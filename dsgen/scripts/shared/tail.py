"""The end of the output of a program, which explains why it failed."""

from __future__ import annotations

import re

TAIL_LINES, TAIL_BYTES = 20, 4096
KEPT_BYTES, LINE_LENGTH = 32768, 300  # of the output that is searched for the report of a lost connection


class Tail:
    """The end of a stream of bytes."""

    def __init__(self) -> None:
        self.kept = b""

    def add(self, data: bytes) -> None:
        self.kept = (self.kept + data)[-KEPT_BYTES:]

    def lines(self) -> list[str]:
        """At most TAIL_LINES lines; of a line with carriage returns, only the last part.

        A line before them that reports a lost connection comes first: torchrun and accelerate end with a long summary.
        """
        before, last = _lines(self.kept[:-TAIL_BYTES]), _lines(self.kept[-TAIL_BYTES:])
        reports = [line[:LINE_LENGTH] for line in [*before, *last[:-TAIL_LINES]] if lost_peer(line)][-1:]
        return [*reports, *last[-TAIL_LINES:][len(reports) :]]


def lost_peer(text: str) -> bool:
    """Whether the text has a message of a program that lost the connection to another rank."""
    return bool(
        re.search(  # compiled when it is needed, which is only after a failure
            r"(?i)(closed|reset) by peer|broken ?pipe|connection (refused|aborted)|connection ?reset|connectFullMesh"
            r"|remote process exited|peer has (gone|left)|got 0 bytes|ncclRemoteError"
            r"|transport endpoint is not connected",
            text,
        )
    )


def _lines(data: bytes) -> list[str]:
    lines = data.decode(errors="replace").split("\n")
    return [line.rstrip("\r").rpartition("\r")[2] for line in lines if line.strip()]
