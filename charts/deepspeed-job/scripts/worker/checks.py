"""launch.preflight: a worker starts the programs of the checks.

It ends if its image or its pod lacks what the training needs (worker/image_check.py). Without ssh, the launcher orders
the check of the network (worker/preflight.py), and its report is sent to the launcher.
"""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

from shared import exchange, methods, processes, settings
from shared.log import log
from worker.exit import CANNOT_WORK, WorkerExitError

LIMIT_SECONDS = 10  # a volume may not answer
PREFIX = "the check of launch.preflight says"  # `dsgen why` looks for it
PRINTED = settings.RUN / "checked"  # what worker/preflight.py has printed
REPORT = r"^{} dsgen-preflight (\{{.*\}})$"


def check_image(run: settings.Settings) -> None:
    """Raises WorkerExitError with all that is lacking."""
    if run.debug or not (run.preflight_image or run.preflight_modules or run.preflight_programs):
        return
    words = "; ".join(find_lacks(run))
    if words:
        raise WorkerExitError(CANNOT_WORK, f"{PREFIX}: {words}")


def find_lacks(run: settings.Settings) -> list[str]:
    """What worker/image_check.py finds. One that fails says so only in the log."""
    import subprocess  # takes a tenth of the start of a worker, and is needed only here

    interpreter = methods.find_interpreter() or "python3"
    argv = [interpreter, str(settings.SCRIPTS / "worker/image_check.py"), json.dumps(collect_facts(run))]
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_SECONDS, check=True)
        return [str(words) for words in json.loads(done.stdout)]
    except subprocess.TimeoutExpired:
        return [f"it did not end in {LIMIT_SECONDS} s; does nvme_path answer?"]
    except subprocess.CalledProcessError as error:
        log(f"the check of the image failed: {error.stderr.decode(errors='replace').strip()}")
    except OSError as error:
        return [f"{interpreter} (training.pythonCommand): {error.strerror}"]
    return []


def collect_facts(run: settings.Settings) -> dict[str, Any]:
    """The arguments of worker/image_check.py."""
    return {
        "root": str(settings.ROOT),
        "derived": run.preflight_image,
        "modules": run.preflight_modules,
        "programs": run.preflight_programs,
        "slots": run.slots,
        "sharedMemory": run.shared_memory,
        "config": read_deepspeed_config(),
    }


def read_deepspeed_config() -> dict[str, Any]:
    """DeepSpeed's configuration of the values, or of the file in the image; {} without one."""
    words = json.loads((settings.CONFIG / "command.json").read_text(encoding="utf-8"))["arguments"]
    named = [Path(words[at + 1]) for at, word in enumerate(words[:-1]) if word == methods.CONFIG_OPTIONS[0]]
    for path in (settings.CONFIG / "ds_config.json", *named):
        with contextlib.suppress(OSError, ValueError):
            return dict(json.loads(path.read_text(encoding="utf-8")))
    return {}


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
            said = (exchange.read_content(PRINTED) or b"").decode("utf-8", "replace")
            found = re.search(REPORT.format(self.token), said, re.MULTILINE)
            report = json.loads(found[1]) if found else {"index": self.index, "problem": "it has ended"}
            self.report = {"token": self.token, **report}
