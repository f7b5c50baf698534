"""A training job of the tests: its values, how it is applied, and the results of a run."""

import base64
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client

from tests.e2e.cluster import Namespace, TooLateError, runs_of, soon

# A run takes half a minute on two cores, and a minute more where the image lacks DeepSpeed's prebuilt CPU kernel.
RUN_SECONDS = 240
SOURCE = Path(__file__).with_name("train.py").read_text()
SMALL = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "2Gi"}}
# What a shell, pdsh's %-expansion or a template could spoil.
NOTE = 'it\'s 100% "$HOME" $(id) %h *; {{ x }} ${A} \\ \u00e9'
# For a namespace that enforces `restricted`.
RESTRICTED = {
    "podSecurityLevel": "restricted",
    "podSecurityContext": {"runAsUser": 1234, "runAsGroup": 1234, "fsGroup": 1234},
}


def image_values(reference: str) -> dict[str, str]:
    """`values.image` for an image reference."""
    name, _, digest = reference.partition("@")
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = name, ""
    return {"repository": repository, "tag": tag, "digest": digest}


def training_values(image: str, *arguments: str) -> dict[str, Any]:
    """Values of two workers with one process each, ZeRO 2, checkpoints on a claim of the default class."""
    return {
        "image": image_values(image),
        "workers": {"replicas": 2, "slots": 1, "accelerator": {"count": 0}, "sharedMemory": "64Mi", "resources": SMALL},
        "launcher": {"resources": SMALL},
        "training": {
            "python": "/job/files/train.py",
            "args": ["--checkpoints", "/checkpoints/digits", "--note", NOTE, *arguments],
            "env": {"OMP_NUM_THREADS": "1", "SETTING": NOTE},
            "files": {"train.py": SOURCE},
            "deepspeed": {
                "config": {
                    "train_micro_batch_size_per_gpu": 16,
                    "steps_per_print": 1000000,
                    "optimizer": {"type": "Adam", "params": {"lr": 0.002, "torch_adam": True}},
                    "zero_optimization": {"stage": 2},
                }
            },
        },
        "storage": {"data": {"mountPath": "/checkpoints", "create": {"size": "1Gi"}}},
        "lifecycle": {"terminationGracePeriodSeconds": 30, "startTimeoutSeconds": 180},
        "status": {"intervalSeconds": 2},
    }


def merged(values: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Values with others laid over them: maps merge, all else is replaced."""
    result = dict(values)
    for key, value in other.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def dsgen(*arguments: str) -> str:
    """Standard output of the command line."""
    done = subprocess.run([sys.executable, "-m", "dsgen", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"dsgen {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def said(log: str) -> list[dict[str, Any]]:
    """The training's JSON lines in a log, as the ranks printed them; in a launcher's by pdsh behind `HOST: `."""
    lines = []
    for line in log.splitlines():
        _, brace, rest = f": {line}".partition(': {"')
        if brace and "dsgen-" not in line:
            lines.append(json.loads('{"' + rest))
    return lines


def losses(lines: list[dict[str, Any]]) -> dict[int, float]:
    """Step -> loss. A step that was trained again after an interruption must give what it gave before."""
    by_step: dict[int, float] = {}
    for line in lines:
        if "step" in line:
            assert by_step.setdefault(line["step"], line["loss"]) == line["loss"], line
    return by_step


@dataclass
class Run:
    """What a run left behind when both its Jobs had ended."""

    launcher: client.V1Job
    worker: client.V1Job
    pods: list[client.V1Pod]
    logs: dict[str, str]
    record: dict[str, Any]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What the ranks said, over all pods that are left, the oldest first: without ssh the workers have it."""
        return [
            line
            for role in ("launcher", "worker")
            for pod in self.pods_of(role)
            for line in said(self.logs[f"{pod.metadata.name}/{role}"])
        ]

    @property
    def summary(self) -> tuple[Any, ...]:
        return tuple(self.record[key] for key in ("phase", "reason", "exitCode", "worldSize"))

    @property
    def losses(self) -> dict[int, float]:
        return losses(self.lines)

    def pods_of(self, role: str) -> list[client.V1Pod]:
        pods = [pod for pod in self.pods if pod.metadata.labels["dsgen.dev/role"] == role]
        return sorted(pods, key=lambda pod: pod.metadata.creation_timestamp)

    @property
    def exit_codes(self) -> dict[str, list[int]]:
        """Exit codes of the main containers that are left, by role."""
        return {role: [ended(pod).exit_code for pod in self.pods_of(role)] for role in ("launcher", "worker")}


def ended(pod: client.V1Pod, container: str = "") -> client.V1ContainerStateTerminated | None:
    """How the pod's main container (or another one) ended, None while it has not."""
    name = container or pod.metadata.labels["dsgen.dev/role"]
    for status in [*(pod.status.container_statuses or []), *(pod.status.init_container_statuses or [])]:
        if status.name == name:
            return status.state.terminated
    return None


def condition(job: client.V1Job) -> client.V1JobCondition | None:
    """The final condition of a Job: Complete or Failed."""
    for present in job.status.conditions or []:
        if present.type in ("Complete", "Failed") and present.status == "True":
            return present
    return None


def moment(text: str) -> datetime:
    """A time of the record: RFC 3339 in UTC, with a Z."""
    assert text.endswith("Z"), text
    return datetime.fromisoformat(text)


@dataclass
class Job:
    """One job in one namespace."""

    space: Namespace
    folder: Path
    values: dict[str, Any]
    name: str = "digits"

    def file(self, run: str, **other: Any) -> str:
        """A values file for a run of this job."""
        path = self.folder / f"{self.space.name}-{run}.yaml"
        path.write_text(yaml.safe_dump(merged(self.values, {"run": {"id": run}, **other}), allow_unicode=True))
        return str(path)

    def render(self, run: str = "1", **other: Any) -> str:
        """The flat manifests of a run."""
        return dsgen("render", self.file(run, **other), "--name", self.name, "--namespace", self.space.name)

    def apply(self, run: str = "1", **other: Any) -> list[str]:
        """Apply the flat manifests of a run; what kubectl says of each object."""
        return self.space.kubectl("apply", "--filename", "-", text=self.render(run, **other)).splitlines()

    def helm(self, helm: str, verb: str, chart: str, run: str = "") -> str:
        """Install or upgrade the job as a release; without a run the chart's own values hold."""
        values = ["--values", self.file(run)] if run else []
        command = [helm, verb, self.name, chart, "--namespace", self.space.name, *values]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def pods(self, run: str, role: str) -> list[client.V1Pod]:
        return self.space.pods(job=self.name, run=run, role=role)

    def ended(self, run: str = "1", seconds: float = RUN_SECONDS) -> Run:
        """The run when both Jobs have their final condition and no container runs any more."""
        jobs = {
            role: self.space.watched("job", f"{self.name}-{run}-{role}", lambda job: bool(condition(job)), seconds)
            for role in ("launcher", "worker")
        }
        soon("end of all pods", lambda: not self.running(run), 60)
        pods = self.space.pods(job=self.name, run=run)
        return Run(jobs["launcher"], jobs["worker"], pods, self.space.logs(), self.space.record(self.name)[run])

    def running(self, run: str) -> list[str]:
        """Pods of the run that have not ended."""
        pods = self.space.pods(job=self.name, run=run)
        return [pod.metadata.name for pod in pods if pod.status.phase not in ("Succeeded", "Failed")]

    def recorded(self, run: str, wanted: Callable[[dict[str, Any]], bool], seconds: float) -> dict[str, Any]:
        """The run's record as soon as it is as wanted."""
        newest: dict[str, Any] = {}

        def look(record: client.V1ConfigMap) -> bool:
            newest.update(runs_of(record.data or {}).get(run, {}))
            return bool(newest) and wanted(newest)

        self.space.watched("config_map", f"{self.name}-status", look, seconds)
        return newest

    def trained(
        self, run: str = "1", checkpoint: int = 5, seconds: float = RUN_SECONDS, role: str = "launcher"
    ) -> client.V1Pod:
        """The pod whose log has the training, as soon as the run has written this checkpoint and goes on.

        It is the launcher's; without ssh that of the first worker.
        """

        def look() -> client.V1Pod | None:
            for pod in self.pods(run, role):
                if ended(pod):
                    raise TooLateError(f"{pod.metadata.name} ended before checkpoint {checkpoint}")
                lines = said(self.space.log(pod.metadata.name, role))
                if {"checkpoint": checkpoint} in lines and "step" in lines[-1]:
                    return pod
            return None

        return soon(f"checkpoint {checkpoint}", look, seconds)

    def showing_key(self, texts: Iterable[str]) -> list[str]:
        """Those texts that hold a line of the job's private key. Scripts hold the first and last line of any key."""
        key = base64.b64decode(self.space.secret(f"{self.name}-ssh").data["ssh-privatekey"]).decode()
        assert key.startswith("-----BEGIN OPENSSH PRIVATE KEY-----")
        return [text for text in texts if any(line in text for line in key.splitlines()[1:-1])]

    def processes(self, run: str) -> list[str]:
        """Command lines of all processes in the run's workers that are not being deleted."""
        return [
            line
            for pod in self.pods(run, "worker")
            if pod.status.phase == "Running" and not pod.metadata.deletion_timestamp
            for line in self.space.processes(pod.metadata.name)
        ]

    def ranks(self, run: str = "1") -> list[str]:
        """Command lines of the training that still run in the run's workers."""
        return [line for line in self.processes(run) if "train.py" in line]
