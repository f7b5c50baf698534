"""lifecycle.debug: the pods run, but the training is not started; a user or a command examines the environment."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from shared import methods, processes, settings
from shared.log import log

TRAIN = settings.RUN / "train.sh"
TICK_SECONDS = 0.5  # between looks at what has no common event: the command, the clock and the files of the sidecar
ENTER = "kubectl exec --namespace {} --stdin --tty {} --container {} -- {}"


def write_script(argv: list[str], environment: dict[str, str]) -> str:
    """Write a Bash script that does what dsgen would do in this pod: same variables, same directory, same command.

    Returns a message about it.
    """
    changed = {name: value for name, value in environment.items() if os.environ.get(name) != value}
    lines = [
        "#!/usr/bin/env bash",
        f"source {shlex.quote(str(settings.RUN / 'env'))}",
        f"cd {shlex.quote(str(Path.cwd()))}",
        *(f"unset {name}" for name in os.environ if name not in environment),
        *(f"export {name}={shlex.quote(value)}" for name, value in changed.items()),
        f"exec {shlex.join(argv)}",
    ]
    TRAIN.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return f"lifecycle.debug: the training is not started; `bash {TRAIN}` starts it here: {shlex.join(argv)}"


def print_instructions(configured: settings.Settings, start: methods.Start | None) -> None:
    """Print instructions for the user. `start`: what the launcher would start; None if the workers start the ranks."""
    pod = os.environ.get("HOSTNAME", "POD")
    worker = f"{configured.worker_job}-0-..."
    by_hand = (worker, "worker", f"bash {TRAIN}  (on every worker)")
    if start:
        method = methods.choose_method(configured)
        log(write_script(method.command(start), method.environment(start)))
        by_hand = (pod, "launcher", f"bash {TRAIN}")
        log(f"from the launcher to a worker: ssh -t {start.hosts[0]} bash")
    selector = f"dsgen.dev/job={configured.job},dsgen.dev/run={configured.run}"
    log(f"start it by hand: {ENTER.format(configured.namespace, *by_hand)}")
    log(f"into the launcher: {ENTER.format(configured.namespace, pod, 'launcher', 'bash')}")
    log(f"into a worker: {ENTER.format(configured.namespace, worker, 'worker', 'bash')}")
    log(f"names of the pods: kubectl get pods --namespace {configured.namespace} --selector {selector}")


def run_or_idle(
    command: list[str], deadline: float, wait: Callable[[], None], children: set[int]
) -> tuple[str, str, int | None]:
    """Run the command, or idle without one; returns event, message and exit code.

    `deadline` in seconds, 0 for none. `wait` is called repeatedly, and may raise to end the wait; `children`: process
    ids that the reaper leaves alone.
    """
    begun = time.monotonic()
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True) if command else None
    except OSError as error:
        words = processes.explain_start_failure(command[0], error).strip()
        return "debug-failed", f"lifecycle.debug.command: {words}", 127
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
            processes.kill_group(process.pid)  # and all that it has started
            process.wait()
            children.discard(process.pid)
