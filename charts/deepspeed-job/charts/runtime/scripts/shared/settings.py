"""Settings of a run, and paths in its pods.

The settings are mounted as /etc/dsgen/shared/settings.json. The environment variable DSGEN_ROOT is a prefix of all
paths; it is empty in a pod, and tests set it to a folder.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(os.environ.get("DSGEN_ROOT") or "/")
SCRIPTS = ROOT / "etc/dsgen"  # a folder for each package: launcher, local, shared, slurm, ssh, status, worker
CONFIG = SCRIPTS / "shared"  # the same volume has the run's ConfigMap: settings, command, hosts
STATUS = ROOT / "etc/dsgen-status"  # the job's record, one file per run
RUN = ROOT / "run/dsgen"  # the volume of this container, in memory; no other container writes to it
TERMINATING = RUN / "terminating"  # made by a worker before it ends its ranks and sessions
MET = RUN / "met"  # made by the supervisor of a session whose processes connected with another worker's
KEYS = RUN / "private/key"  # the Secret with the key pair, which may be empty at first; see shared/start.sh
WEBHOOK = ROOT / "etc/dsgen-webhook"  # the Secret of the webhook: url, and ca.crt for a server with a CA of one's own
OF_THE_RUN = (  # what the volume of shared has of the run
    *("command.json", "ds_config.json", "git_known_hosts", "hostfile", "settings.json", "setup.sh", "ssh_config"),
)
EMPTY: Any = []  # never changed
TERMINATION_LOG = ROOT / "dev/termination-log"


class Settings(NamedTuple):
    """settings.json with its keys in snake case; times in seconds."""

    version: int
    job: str
    run: str
    run_name: str
    namespace: str
    workers: int
    slots: int
    ssh_port: int
    master_port: int
    readiness_port: int
    probe_seconds: int
    secret: str
    makes_key: bool
    record: str
    local_rank: bool
    restart_delay_seconds: int
    start_timeout_seconds: int
    orphan_timeout_seconds: int
    termination_grace_period_seconds: int
    worker_replacements: int
    keep_workers: str
    status_interval_seconds: int
    status_history: int
    method: str
    expect_world: bool
    shared_memory: int
    # settings.json lacks those that have their default:
    max_restarts: int = 0
    restart_exit_codes: list[int] = EMPTY
    active_deadline_seconds: int = 0
    hang_timeout_seconds: int = 0
    progress_pattern: str = ""
    progress_file: str = ""
    checkpoint_path: str = ""
    checkpoint_timeout_seconds: int = 0
    spares: int = 0
    preflight_network: bool = False
    preflight_image: bool = False
    preflight_modules: list[str] = EMPTY
    preflight_programs: list[str] = EMPTY
    ssh_user: str = ""
    deepspeed_args: list[str] = EMPTY
    mpirun_args: list[str] = EMPTY
    rank_logs: str = ""
    autotuning: str = "none"
    bind_cores: bool = False
    debug: bool = False
    debug_command: list[str] = EMPTY
    webhook_url: str = ""
    scripts: dict[str, str] = {}  # noqa: RUF012 - folder -> digest of its scripts; never changed
    # Only of a run with training.deepspeed.resize:
    resize_checkpoint: str = ""
    resize_config: str = ""
    resize_loads_frozen: bool = False
    # Only of a run with workers.min:
    workers_min: int = 0
    resize_after_seconds: int = 0

    @property
    def worker_job(self) -> str:
        return f"{self.run_name}-worker"

    @property
    def launcher_job(self) -> str:
        return f"{self.run_name}-launcher"


def locate_volume(container: str) -> Path:
    """The volume of another container of the pod, mounted read-only. Only shared/exchange.py reads its files."""
    return ROOT / f"run/dsgen-{container}"


def load(path: Path = CONFIG / "settings.json") -> Settings:
    """Read the settings. Raises OSError, ValueError or TypeError if the file is missing or invalid."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Settings(**{re.sub("[A-Z]", lambda m: "_" + m.group().lower(), key): value for key, value in data.items()})


def make_program(name: str) -> list[str]:
    """The words that start a program of dsgen, such as worker/rank.py.

    With these options Python does not read the packages of the image, which takes long with many of them, nor
    PYTHONPATH, which is for the user's program: its json.py must not be imported instead of Python's.
    """
    return ["python3", "-ESs", *(str(SCRIPTS / path) for path in ("shared/run.py", name))]


def find_changed_scripts(run: Settings) -> str:
    """Why the scripts that this container mounts are not those of the run; "" if they are.

    A ConfigMap can be deleted and created again. Nodes that use it keep the old one, so a run would have two texts.
    """
    import hashlib  # only the three programs compare

    for folder, digest in run.scripts.items():
        paths = sorted(path for path in (SCRIPTS / folder).glob("*") if path.is_file() and path.name not in OF_THE_RUN)
        content = b"".join(b"scripts/%s/%s\0%s\0" % (folder.encode(), p.name.encode(), p.read_bytes()) for p in paths)
        if paths and not hashlib.sha256(content).hexdigest().startswith(digest):
            return f"the scripts in {SCRIPTS / folder} are not those of this run, but were changed in the cluster"
    return ""
