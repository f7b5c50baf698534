# dsgen/scripts/shared_settings.py without its comments.





from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(os.environ.get("DSGEN_ROOT") or "/")
CONFIG = ROOT / "etc/dsgen"
STATUS = ROOT / "etc/dsgen-status"
RUN = ROOT / "run/dsgen"
KEYS = RUN / "private/key"
TERMINATION_LOG = ROOT / "dev/termination-log"


class Settings(NamedTuple):


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
  secret: str
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
  ssh_user: str
  deepspeed_args: list[str]
  mpirun_args: list[str]
  rank_logs: str
  autotuning: str
  bind_cores: bool
  debug: bool
  debug_command: list[str]
  webhook_url: str
  code_path: str


def written_by(container):

  return ROOT / f"run/dsgen-{container}"


def load(path = CONFIG / "settings.json"):

  data = json.loads(path.read_text(encoding="utf-8"))
  return Settings(**{re.sub("[A-Z]", lambda m: "_" + m.group().lower(), key): value for key, value in data.items()})
