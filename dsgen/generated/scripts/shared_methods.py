# dsgen/scripts/shared_methods.py without its comments.

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from typing import NamedTuple

import shared_hostfile as hostfile
import shared_settings as settings
from shared_settings import Settings

HOSTFILE = "/job/hostfile"
RANK_PROGRAM = str(settings.CONFIG / "rank.py")
PORTS = 8
PDSH_FANOUT = 1024

FORWARDED = ("MLFLOW", "MV2", "UCX", "NCCL")

ALWAYS = ("--force_multi", "--no_python", "--no_local_rank")
CONFIG_OPTIONS = ("--deepspeed_config", "--deepspeed")
OPENMPI = {
  "OMPI_ALLOW_RUN_AS_ROOT": "1",
  "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
  "OMPI_MCA_orte_keep_fqdn_hostnames": "true",

  "OMPI_MCA_plm_rsh_no_tree_spawn": "true",
  "OMPI_MCA_orte_leave_session_attached": "true",
}



PLACED = (("--map-by", "slot"), ("--bind-to", "none"))


class Start(NamedTuple):





  configured: Settings
  hosts: list[str]
  node: int = -1
  hostfile: str = HOSTFILE
  attempt: int = 1

  @property
  def port(self):
    return self.configured.master_port + (self.attempt - 1) % PORTS

  @property
  def master(self):
    return ["--master_addr", self.hosts[0], "--master_port", str(self.port)]


def pdsh(start):

  given = hostfile.options(start.configured.deepspeed_args)
  wide = f"-f {len(start.hosts)}" if len(start.hosts) > PDSH_FANOUT else ""
  valued = {"--include": given.include, "--exclude": given.exclude}
  valued["--launcher_args"] = f"{wide} {given.launcher_args}".strip()

  joined = [f"{option}={value}" for option, value in valued.items() if value]
  own = ["deepspeed", "--hostfile", start.hostfile, "--force_multi", *start.master]
  return [*own, *joined, *given.rest, "--no_python", "--no_local_rank", RANK_PROGRAM]


def autotune(start):

  *before, program = pdsh(start)
  words = _command()["arguments"]
  pairs = [words[at : at + 2] for at, word in enumerate(words) if word in CONFIG_OPTIONS]
  named = next((pair for pair in pairs if pair[1:] and ".json" in pair[1]), [])
  return [*before, "--autotuning", start.configured.autotuning, program, *named]


def openmpi(start):

  world = str(len(start.hosts) * start.configured.slots)
  master = (f"MASTER_ADDR={start.hosts[0]}", f"MASTER_PORT={start.configured.master_port}")
  exports = [word for variable in master for word in ("-x", variable)]
  given = start.configured.mpirun_args
  placed = [word for pair in PLACED if pair[0] not in _names(given) for word in pair]
  return ["mpirun", "-n", world, "--hostfile", start.hostfile, *placed, *given, *exports, RANK_PROGRAM]


def _names(arguments):

  return {"--" + word.lstrip("-").partition("=")[0] for word in arguments if word.startswith("-")}


def torchrun(start):

  run = start.configured
  program = [_interpreter(), "-m", "torch.distributed.run"] if _interpreter() else ["torchrun"]
  size = ["--nnodes", str(run.workers), "--nproc_per_node", str(run.slots), "--max_restarts", "0"]
  place = ["--node_rank", str(start.node), *start.master]
  return [*program, *size, *place, "--no_python", RANK_PROGRAM]


def deepspeed_no_ssh(start):

  own = ["deepspeed", "--hostfile", str(settings.CONFIG / "hostfile"), "--no_ssh", "--node_rank", str(start.node)]
  given = start.configured.deepspeed_args
  return [*own, *start.master, *given, "--no_python", "--no_local_rank", RANK_PROGRAM]


def worker_command(_):

  return [RANK_PROGRAM]


def launcher_command(_):

  return list(_command()["program"])


def _interpreter():

  first, *rest = _command()["program"]
  if rest[:1] == ["-u"]:
    return first
  return "" if shutil.which("torchrun") else "python3"


def _command():
  return dict(json.loads((settings.CONFIG / "command.json").read_text(encoding="utf-8")))





def own_environment(_):

  return dict(os.environ)


def launcher_command_environment(start):

  return {**os.environ, "DSGEN_HOSTFILE": start.hostfile}


def pdsh_environment(_):

  links = settings.RUN / "bin"
  links.mkdir(exist_ok=True)
  if not (links / "pdsh").is_symlink():
    (links / "pdsh").symlink_to(settings.CONFIG / "launcher_pdsh.sh")
  kept = {name: value for name, value in os.environ.items() if not name.startswith(FORWARDED)}
  path = f"{links}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
  return {**kept, "PATH": path, "DSGEN_PDSH": shutil.which("pdsh") or "pdsh"}


def autotune_environment(start):

  whole = pdsh_environment(start)
  wrapper = settings.RUN / "bin/deepspeed"
  wrapper.write_text(f'#!/bin/bash\nexec {shutil.which("deepspeed")} {" ".join(ALWAYS)} "$@"\n')
  wrapper.chmod(0o755)
  return whole


def openmpi_environment(start):

  return {**OPENMPI, "OMPI_MCA_plm_rsh_num_concurrent": str(max(len(start.hosts), 128)), **os.environ}


def torchrun_environment(start):

  share = max(len(os.sched_getaffinity(0)) // start.configured.slots, 1)
  return {**({"OMP_NUM_THREADS": str(share)} if start.configured.bind_cores else {}), **os.environ}


def worker_environment(start):

  run = start.configured
  master = {"MASTER_ADDR": start.hosts[0], "MASTER_PORT": str(start.port)}
  size = {"NNODES": str(run.workers), "NODE_RANK": str(start.node), "NPROC_PER_NODE": str(run.slots), **master}
  return {**os.environ, **size, **{f"PET_{name}": value for name, value in size.items()}}


class Method(NamedTuple):









  ssh: bool
  tools: tuple[str, ...]
  command: Callable[[Start], list[str]]
  environment: Callable[[Start], dict[str, str]] = own_environment
  ranks: bool = True
  pdsh: bool = False
  whole: bool = False
  local_rank: bool = False


SSH = ("ssh", "ssh-keygen", "pdsh")
METHODS = {
  "pdsh": Method(True, ("deepspeed", *SSH), pdsh, pdsh_environment, pdsh=True, local_rank=True),
  "openmpi": Method(True, ("mpirun", *SSH), openmpi, openmpi_environment),
  "launcher-command": Method(True, SSH, launcher_command, launcher_command_environment, ranks=False, whole=True),
  "torchrun": Method(False, (), torchrun, torchrun_environment),
  "deepspeed-no-ssh": Method(False, ("deepspeed",), deepspeed_no_ssh, local_rank=True),
  "worker-command": Method(False, (), worker_command, worker_environment, whole=True),
}


def of(configured):

  method = METHODS[configured.method]
  if configured.autotuning == "none":
    return method
  return method._replace(command=autotune, environment=autotune_environment, ranks=False)


def meets_in_sessions(configured):

  method = of(configured)
  return method.ssh and method.whole and configured.expect_world and configured.workers > 1


def missing_tools(method):
  return [tool for tool in method.tools if shutil.which(tool) is None]


def host(configured):

  return f"{configured.run_name}-worker-{os.environ.get('JOB_COMPLETION_INDEX', '0')}"
