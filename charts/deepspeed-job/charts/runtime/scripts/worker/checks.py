"""launch.preflight: a worker ends if its image or its pod lacks what the training needs (worker/image_check.py)."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from shared import methods, settings
from shared.log import log
from worker.exit import CANNOT_WORK, WorkerExitError

LIMIT_SECONDS = 10  # a volume may not answer
PREFIX = "the check of launch.preflight says"  # `dsgen why` looks for it


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
