"""One training with one fault: its job, the actions of faults, and its result."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kubernetes import client

from tests.e2e.cluster import TooLateError, soon
from tests.e2e.training import SMALL, Job, dsgen, ended, image_values, merged, said

PROGRAM = Path(__file__).with_name("program.py").read_text()
START_SECONDS = 360  # until a training runs; the machine may be busy
# For the end of pods after the end in the record, which a kubelet brings within 90 s to a worker that was cut off.
END_SECONDS, CUT_SECONDS = 60, 120
# Each is in the values or in the pods, and must not appear in any output.
PLANTED = {"environment": "planted-in-environment", "words": "planted-in-words", "webhook": "planted-in-webhook"}
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "planted"},
    "stringData": {"PLANTED": PLANTED["environment"], "PLANTED_IN_WORDS": PLANTED["words"]},
}
TOKEN = "/var/run/secrets/dsgen/token"
POWER = "DSGEN_E2E_NODE"  # a command, to which `kill NODE`, `start NODE`, `cut NODE` or `heal NODE` is appended
IN_LAUNCHER = (
    'hosts=$(cut -d " " -f 1 "$DSGEN_HOSTFILE" | paste -sd ,); exec pdsh -S -R ssh -w "$hosts" '
    '"RANK=%n WORLD_SIZE=2 MASTER_ADDR=${{hosts%%,*}} MASTER_PORT=29500 python3 -u /job/files/program.py {}"'
)

IN_WORKER = (
    "exec accelerate launch --use_deepspeed --deepspeed_multinode_launcher standard "
    '--num_machines "$NNODES" --machine_rank "$NODE_RANK" --num_processes "$((NNODES * NPROC_PER_NODE))" '
    '--main_process_ip "$MASTER_ADDR" --main_process_port "$MASTER_PORT"'
)
# The variables of the world, which a script for sbatch sets itself.
SCRIPT = """#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1
export MASTER_ADDR=$(scontrol show hostnames | head -n 1) MASTER_PORT=29500 WORLD_SIZE=$SLURM_NTASKS
srun bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID exec python3 -u /job/files/program.py "$@"' program "$@"
"""


def method_values(method: str, arguments: list[str]) -> dict[str, Any]:
    """How a method starts the program."""
    program = ["python3", "-u", "/job/files/program.py", *arguments]
    if method == "accelerate":
        words = f"{IN_WORKER} {shlex.join(program[2:])}"
        return {"launch": {"method": "worker-command", "command": ["bash", "-c", words]}}
    if method == "slurm-script":
        command = ["/job/files/job.sbatch", *arguments]
        return {"launch": {"method": method, "command": command}, "training": {"files": {"job.sbatch": SCRIPT}}}
    if method == "worker-command":
        return {"launch": {"method": method, "command": program}}
    if method == "launcher-command":
        return {"launch": {"method": method, "command": ["bash", "-c", IN_LAUNCHER.format(shlex.join(arguments))]}}
    return {"launch": {"method": method}, "training": {"python": "/job/files/program.py", "args": arguments}}


def base_values(image: str) -> dict[str, Any]:
    """Two workers with one rank each, a claim, and planted secrets."""
    return {
        "image": image_values(image),
        "workers": {"replicas": 2, "slots": 1, "accelerator": {"count": 0}, "sharedMemory": "64Mi", "resources": SMALL},
        "launcher": {"resources": SMALL},
        "training": {"files": {"program.py": PROGRAM}, "envFrom": [{"secretRef": {"name": "planted"}}]},
        "storage": {"data": {"mountPath": "/checkpoints", "create": {"size": "1Gi"}}},
        "lifecycle": {"terminationGracePeriodSeconds": 30, "startTimeoutSeconds": 300},
        "status": {
            "intervalSeconds": 2,
            "webhook": {"url": f"https://127.0.0.1:1/hook?token={PLANTED['webhook']}"},
        },
    }


@dataclass
class Trial:
    """A training with one fault. Faults are functions that take it."""

    job: Job
    method: str
    run: str = "1"
    began: float = field(default_factory=time.monotonic)
    texts: dict[str, str] = field(default_factory=dict)  # all output that users can read, by its source
    hidden: dict[str, str] = field(default_factory=lambda: dict(PLANTED))
    undo: list[tuple[str, ...]] = field(default_factory=list)  # commands that repair a node after the trial
    end_seconds: float = END_SECONDS

    @property
    def with_ssh(self) -> bool:
        return self.method in ("pdsh", "openmpi", "launcher-command")

    def begin(self, values: dict[str, Any]) -> None:
        self.job.values = merged(self.job.values, values)
        self.job.space.kubectl("apply", "--filename", "-", text=json.dumps(SECRET))
        soon("webhooks that answer", self._applied, 120)

    def _applied(self) -> bool:
        """Whether the job could be applied; a webhook of the cluster may be unavailable."""
        try:
            return bool(self.job.apply(self.run))
        except AssertionError as error:
            if "failed calling webhook" not in str(error):
                raise
            return False

    # The state that a fault needs

    def trains(self, checkpoint: int = 5) -> None:
        """Wait until this checkpoint is written, and keep all output while the ranks run."""
        soon(f"checkpoint {checkpoint}", lambda: self._has(checkpoint), START_SECONDS)
        self.look()

    def _has(self, checkpoint: int) -> bool:
        if self.record().get("endTime"):
            raise TooLateError(f"the run ended before checkpoint {checkpoint}: {self.record()}")
        return any(line.get("checkpoint") == checkpoint for line in said(self._output()))

    def _output(self) -> str:
        """The last output of rank 0, with one cheap request: it is called twice a second."""
        role = "launcher" if self.with_ssh else "worker"
        pods = [pod for pod in self.pods(role, "Running") if role == "launcher" or "-worker-0-" in pod.metadata.name]
        with contextlib.suppress(client.ApiException):  # its node may be down
            return self.job.space.log(pods[-1].metadata.name, role, tail_lines=200) if pods else ""
        return ""

    def starts(self) -> None:
        """Wait until the launcher runs; its workers may not be there yet."""
        soon("a launcher that runs", lambda: self.launcher("Running"), START_SECONDS)

    def pods(self, role: str, phase: str = "") -> list[client.V1Pod]:
        alive = [pod for pod in self.job.pods(self.run, role) if not pod.metadata.deletion_timestamp]
        return [pod for pod in alive if not phase or pod.status.phase == phase]

    def launcher(self, phase: str = "") -> str:
        """The name of the launcher pod, "" for none."""
        return next((pod.metadata.name for pod in reversed(self.pods("launcher", phase))), "")

    def worker(self, index: int = 1) -> str:
        pods = [pod for pod in self.pods("worker", "Running") if f"-worker-{index}-" in pod.metadata.name]
        return str(pods[-1].metadata.name)

    def node(self, role: str) -> str:
        return str(self.pods(role, "Running")[-1].spec.node_name)

    # Actions of faults

    def execute(self, pod: str, container: str, *command: str) -> str:
        return self.job.space.kubectl("exec", pod, "--container", container, "--", *command)

    def kill(self, pod: str, container: str, words: str, signal: str = "KILL") -> None:
        """Send a signal to the processes whose command line has these words."""
        program = (
            "import os, pathlib, signal, sys\nfound = 0\n"
            "for path in pathlib.Path('/proc').glob('[0-9]*/cmdline'):\n"
            "    pid = int(path.parent.name)\n"
            "    try: line = path.read_bytes().replace(bytes(1), b' ').decode()\n"
            "    except OSError: continue\n"
            "    if sys.argv[1] in line and pid not in (1, os.getpid()):\n"
            f"        os.kill(pid, signal.SIG{signal}); found += 1\n"
            "sys.exit(not found)\n"
        )
        self.execute(pod, container, "python3", "-c", program, words)

    def on_host(self, pod: str, container: str, command: str) -> None:
        self.job.space.on_host(pod, container, command)

    def delete(self, pod: str, *options: str) -> None:
        self.job.space.kubectl("delete", "pod", pod, "--wait=false", *options)

    def evict(self, pod: str) -> None:
        """Evict the pod, as kubectl drain does."""
        body = {"metadata": {"name": pod, "namespace": self.job.space.name}}
        self.job.space.core.create_namespaced_pod_eviction(pod, self.job.space.name, body)

    def power(self, *what: str) -> None:
        """kill, start, cut or heal a node."""
        subprocess.run([*shlex.split(os.environ[POWER]), *what], check=True, capture_output=True)
        if what[0] == "cut":
            self.end_seconds = CUT_SECONDS
        if what in self.undo:  # a node that is started twice is two nodes
            self.undo.remove(what)

    def end_with(self, *what: str) -> None:
        """A command that repairs a node after the trial, whatever its result is."""
        self.undo.append(what)

    def continue_training(self) -> None:
        """Let the ranks continue, which wait for the fault. They may have ended."""
        workers = self.pods("worker", "Running")
        if workers:
            with contextlib.suppress(AssertionError):
                self.execute(workers[0].metadata.name, "worker", "touch", "/checkpoints/go")

    def restore(self) -> None:
        """Repair the nodes: the logs of their pods are needed."""
        while self.undo:
            self.power(*self.undo.pop())
            time.sleep(5)

    # Observations

    def record(self) -> dict[str, Any]:
        return self.job.space.record(self.job.name).get(self.run, {})

    def look(self) -> None:
        """Keep the present logs and processes, and the token, which must not be in them."""
        self.keep("logs", self.job.space.logs())
        shown = {}
        for role in ("launcher", "worker"):
            for pod in self.pods(role, "Running"):
                shown[pod.metadata.name] = self._processes(pod.metadata.name, role)
        self.keep("processes", shown)
        launcher = self.launcher("Running")
        if launcher:
            self.hidden["token"] = self.execute(launcher, "status", "cat", TOKEN).split(".")[-1].strip()
        if self.with_ssh:
            self.hidden["key"] = key_line(self.job)

    def _processes(self, pod: str, container: str) -> str:
        lines = r"cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' '"
        try:
            return self.execute(pod, container, "sh", "-c", lines)
        except AssertionError:  # it has ended meanwhile
            return ""

    def keep(self, where: str, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            self.texts[f"{where} of {name}"] = text

    def wait_for_end(self, seconds: float) -> dict[str, Any]:
        """The record with the run's end."""
        soon("end in the record", lambda: self.record().get("endTime"), seconds)
        return self.record()

    def look_at_the_end(self) -> None:
        space, name = self.job.space, self.job.name
        self.keep("logs", space.logs())
        self.texts["the record"] = json.dumps(self.record())
        for kind in ("events", "pods", "jobs"):
            self.texts[kind] = space.kubectl("get", kind, "--output", "json")
        for command in (("status", "--output", "json"), ("why",), ("status",), ("list",)):
            given = (name,) if command != ("list",) else ()
            self.texts[f"dsgen {' '.join(command)}"] = dsgen_output(*command, *given, "--namespace", space.name)

    def shown(self) -> list[str]:
        """The places where a secret was disclosed. Output of the program itself does not count."""
        own = {where: own_lines(text) if where.startswith("logs") else text for where, text in self.texts.items()}
        return [
            f"{kind} in {where}"
            for kind, secret in self.hidden.items()
            for where, text in (own if kind == "words" else self.texts).items()
            if secret in text
        ]

    def left(self) -> list[str]:
        """Pods that still run, and objects of the job that exist after `dsgen delete`."""
        space, name = self.job.space, self.job.name
        remains = [f"pod {pod} runs" for pod in late(lambda: self.job.running(self.run), self.end_seconds)]
        dsgen("delete", name, "--namespace", space.name, "--job", "--with-volumes", name, "--yes")
        kinds = "jobs,pods,secrets,configmaps,services,networkpolicies,roles,rolebindings,serviceaccounts"
        objects = ("get", kinds, "--selector", f"dsgen.dev/job={name}", "--output", "name")
        return remains + [f"{one} is left" for one in late(lambda: space.kubectl(*objects).split(), END_SECONDS)]

    def exit_code(self) -> int | None:
        """How the last launcher container ended."""
        ends = [end for pod in self.job.pods(self.run, "launcher") if (end := ended(pod))]
        return max(ends, key=lambda end: end.finished_at).exit_code if ends else None


def own_lines(log: str) -> str:
    """The lines of a log that dsgen wrote."""
    return "\n".join(line for line in log.splitlines() if line.startswith("[dsgen]"))


def late(existing: Any, seconds: float) -> list[str]:
    """The items that still exist after this time."""
    deadline = time.monotonic() + seconds
    while (left := existing()) and time.monotonic() < deadline:
        time.sleep(3)
    return list(left)


def key_line(job: Job) -> str:
    """A line of the private key."""
    import base64

    data = job.space.secret(f"{job.name}-ssh").data or {}
    lines = base64.b64decode(data.get("ssh-privatekey", "")).decode().splitlines()
    return lines[2] if len(lines) > 2 else "no key yet"


def dsgen_output(*arguments: str) -> str:
    """The output of a command, whatever its exit code is."""
    import sys

    done = subprocess.run([sys.executable, "-m", "dsgen", *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr
