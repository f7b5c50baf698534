"""A worker's part in launch.preflight.network without ssh: the launcher orders it, and its report is sent to it."""

from __future__ import annotations

import json
import re
from typing import Any

from shared import exchange, processes, settings

PRINTED = settings.RUN / "checked"  # what worker/preflight.py has printed
REPORT = r"^{} dsgen-preflight (\{{.*\}})$"


class NetworkCheck:
    """The last check. `report`: {} until it has ended, then what worker/preflight.py has printed, with the token."""

    def __init__(self, index: int) -> None:
        self.index = index  # of this worker in the hostfile
        self.pid, self.token = -1, ""
        self.report: dict[str, Any] = {}

    def is_new(self, words: list[str]) -> bool:
        """Whether the check with these arguments has not begun."""
        return self.token != words[4]

    def begin(self, words: list[str]) -> None:
        self.token, self.report = words[4], {}
        with PRINTED.open("wb") as output:
            argv = ["python3", "-ESs", str(settings.SCRIPTS / "worker/preflight.py"), *words]
            self.pid = processes.spawn(argv, output=output.fileno())

    def note_ended(self, ended: dict[int, int]) -> None:
        """These processes have ended, maybe the check among them."""
        if self.pid in ended:
            self.pid = -1
            said = (exchange.content(PRINTED) or b"").decode("utf-8", "replace")
            found = re.search(REPORT.format(self.token), said, re.MULTILINE)
            report = json.loads(found[1]) if found else {"index": self.index, "problem": "it has ended"}
            self.report = {"token": self.token, **report}
