"""The two files that the launcher and the status sidecar share, one each way, in the pod's /run/dsgen.

launcher.json (written by the launcher, or by keygen where that ends the run):
    {"version": 1, "sequence": 7, "phase": "Running", "reason": "", "message": "", "exitCode": null, "worldSize": 2,
     "terminated": false, "attempts": [ATTEMPT, ...]}
    `sequence` grows with every write; `terminated`: SIGTERM ended the launcher; `attempts`: of this pod only
    (record.py has their shape, and that of `launcher`, which is there without ssh).
status.json (written by the sidecar):
    {"version": 1, "lease": "held", "holder": "1", "known": true, "recorded": 7, "ended": null, "earlier": TOTALS,
     "found": RECORD, "workers": {"suspended": false, "ready": 2, "failed": 0, "state": "active", "message": ""}}
    `lease`: "" (none yet), waiting, held, lost; `holder`: the run that has the lease; `known`: the record was read;
    `recorded`: the sequence whose content is in the record; `ended`: {"phase", "reason", "exitCode"} when the run had
    ended before this pod; `earlier`, `found`: sums and record of the pods before this one, for the launcher and for a
    sidecar that is started again; `workers`: null until the worker Job was seen; `ready`: pods that are ready or have
    succeeded; its state is active, failed or complete.

Both are replaced atomically: a reader sees a whole file or none.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

LAUNCHER = "launcher.json"
STATUS = "status.json"
VERSION = 1


def write(path: Path, content: dict[str, Any]) -> None:
    """Replace `path` by `content` as one line of JSON, with the version added."""
    whole = {"version": VERSION}
    whole.update(content)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(whole) + "\n", encoding="utf-8")
    temporary.replace(path)


def read(path: Path) -> dict[str, Any]:
    """The content of `path`; {} when it is absent, no JSON object, or of another version."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict) or content.get("version") != VERSION:
        return {}
    return content


def fail(path: Path, reason: str, message: str) -> None:
    """Say, in the launcher's place and file, that the run has failed before the launcher could start."""
    content = {"sequence": 1, "phase": "Failed", "reason": reason, "message": message, "exitCode": None}
    content.update({"worldSize": None, "terminated": False, "attempts": []})
    write(path, content)
