"""Settings of a run, and paths in its pods.

The settings are mounted as /etc/dsgen/shared/settings.json. The environment variable DSGEN_ROOT is a prefix of all
paths; it is empty in a pod, and tests set it to a folder.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(os.environ.get("DSGEN_ROOT") or "/")
SCRIPTS = ROOT / "etc/dsgen"  # a folder for each package: launcher, shared, status, worker
CONFIG = SCRIPTS / "shared"  # the same volume has the run's ConfigMap: settings, command, hosts
STATUS = ROOT / "etc/dsgen-status"  # the job's record, one file per run
RUN = ROOT / "run/dsgen"  # the volume of this container, in memory; no other container writes to it
TERMINATING = RUN / "terminating"  # made by a worker before it ends its ranks and sessions
MET = RUN / "met"  # made by the supervisor of a session whose processes connected with another worker's
KEYS = RUN / "private/key"  # the Secret with the key pair, which may be empty at first; see shared/start.sh
WEBHOOK = ROOT / "etc/dsgen-webhook"  # the Secret of the webhook: url, and ca.crt for a server with a CA of one's own
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
    worker_job: str
    launcher_job: str
    local_rank: bool
    max_restarts: int
    restart_exit_codes: list[int]
    restart_delay_seconds: int
    start_timeout_seconds: int
    active_deadline_seconds: int
    hang_timeout_seconds: int
    progress_pattern: str
    progress_file: str
    checkpoint_path: str
    checkpoint_timeout_seconds: int
    orphan_timeout_seconds: int
    termination_grace_period_seconds: int
    worker_replacements: int
    keep_workers: str
    status_interval_seconds: int
    status_history: int
    method: str
    expect_world: bool
    spares: int
    preflight_network: bool
    preflight_image: bool
    preflight_modules: list[str]
    preflight_programs: list[str]
    shared_memory: int
    ssh_user: str
    deepspeed_args: list[str]
    mpirun_args: list[str]
    rank_logs: str
    autotuning: str
    bind_cores: bool
    debug: bool
    debug_command: list[str]
    webhook_url: str
    # Only of a run with training.deepspeed.resize:
    resize_checkpoint: str = ""
    resize_config: str = ""
    resize_loads_frozen: bool = False
    # Only of a run with workers.min:
    workers_min: int = 0
    resize_after_seconds: int = 0


def locate_volume(container: str) -> Path:
    """The volume of another container of the pod, mounted read-only. Only shared/exchange.py reads its files."""
    return ROOT / f"run/dsgen-{container}"


def load(path: Path = CONFIG / "settings.json") -> Settings:
    """Read the settings. Raises OSError, ValueError or TypeError if the file is missing or invalid."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Settings(**{re.sub("[A-Z]", lambda m: "_" + m.group().lower(), key): value for key, value in data.items()})
