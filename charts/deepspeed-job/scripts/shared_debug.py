# dsgen/scripts/shared_debug.py without its comments.

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import shared_methods as methods
import shared_processes as processes
import shared_settings as settings
from shared_log import log

TRAIN = settings.RUN / "train.sh"
TICK_SECONDS = 0.5
ENTER = "kubectl exec --namespace {namespace} --stdin --tty {pod} --container {container} -- {command}"


def script(argv, environment):

  changed = {name: value for name, value in environment.items() if os.environ.get(name) != value}
  lines = [
    "#!/usr/bin/env bash",
    f"source {shlex.quote(str(settings.RUN / 'env'))}",
    f"cd {shlex.quote(str(Path.cwd()))}",
    *(f"unset {name}" for name in os.environ if name not in environment),
    *(f"export {name}={shlex.quote(value)}" for name, value in changed.items()),
    f"exec {shlex.join(argv)}",
  ]
  return "\n".join(lines) + "\n"


def enter(configured, pod, container, command):
  return ENTER.format(namespace=configured.namespace, pod=pod, container=container, command=command)


def write_script(argv, environment):

  TRAIN.write_text(script(argv, environment), encoding="utf-8")
  return f"lifecycle.debug: the training is not started; `bash {TRAIN}` starts it here: {shlex.join(argv)}"


def print_instructions(configured, start):

  pod = os.environ.get("HOSTNAME", "POD")
  worker = f"{configured.worker_job}-0-..."
  by_hand = (worker, "worker", f"bash {TRAIN}  (on every worker)")
  if start:
    method = methods.of(configured)
    log(write_script(method.command(start), method.environment(start)))
    by_hand = (pod, "launcher", f"bash {TRAIN}")
    log(f"from the launcher to a worker: ssh -t {start.hosts[0]} bash")
  selector = f"dsgen.dev/job={configured.job},dsgen.dev/run={configured.run}"
  log(f"start it by hand: {enter(configured, *by_hand)}")
  log(f"into the launcher: {enter(configured, pod, 'launcher', 'bash')}")
  log(f"into a worker: {enter(configured, worker, 'worker', 'bash')}")
  log(f"names of the pods: kubectl get pods --namespace {configured.namespace} --selector {selector}")


def run_or_idle(
  command, deadline, wait, children
):





  begun = time.monotonic()
  try:
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True) if command else None
  except OSError as error:
    return "debug-failed", f"lifecycle.debug.command: {processes.cannot_execute(command[0], error).strip()}", 127
  children.update({process.pid} if process else ())
  try:
    while process is None or process.poll() is None:
      wait()
      if 0 < deadline < time.monotonic() - begun:
        return "deadline", f"debugging took longer than lifecycle.activeDeadlineSeconds ({deadline:.0f})", None
      time.sleep(TICK_SECONDS)
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    event = "debug-failed" if code else "debug-ended"
    return event, f"lifecycle.debug.command ended with exit code {code}", code
  finally:
    if process:
      end(process)
      children.discard(process.pid)


def end(process):

  with contextlib.suppress(ProcessLookupError):
    os.killpg(process.pid, signal.SIGKILL)
  process.wait()
