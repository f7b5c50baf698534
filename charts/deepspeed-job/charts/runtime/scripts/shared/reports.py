"""The transport of the reports of ranks.

With ssh, reports are lines in the output of the session. Without ssh, the worker reads them from a file in its pod, and
sends them to the launcher over its connection.

Each line begins with a nonce of the reader. With ssh, the launcher passes it to each session in an environment
variable; without ssh, the worker passes its own nonce to the processes that it starts. It is removed from the
environment before the user's program starts. The nonce of the connections is in the record.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any

from shared import methods, settings

LOST = 255  # the exit code of ssh for a lost connection, which can report nothing
NONCE = "DSGEN_NONCE"
FILE = settings.RUN / "reports"
BEAT = "dsgen-rank-beat "  # begins reports of progress, which are not repeated


class Reporter:
    """Sends the reports of one rank or session."""

    def __init__(self, run: settings.Settings) -> None:
        """Remove the nonce from the environment; without a nonce, nothing is sent (a user started the rank by hand)."""
        self.run = run
        self.nonce = os.environ.pop(NONCE, "")

    def send(self, kind: str, facts: dict[str, Any]) -> None:
        """Send one line; errors are ignored, because the reader may have ended."""
        if not self.nonce:
            return
        text = f"{self.nonce} dsgen-{kind} {json.dumps({'host': methods.format_worker_name(self.run), **facts})}\n"
        with contextlib.suppress(OSError):
            if methods.choose_method(self.run).ssh:
                # Standard error: what the program printed last on the other stream may lack its newline.
                os.write(2, text.encode())
                return
            with FILE.open("ab", buffering=0) as file:
                file.write(text.encode())
