"""The objects of one job of the comparison, for dsgen and for each operator: same image, program and resources."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from bench import environment

PROGRAM = (Path(__file__).parent / "program.py").read_text(encoding="utf-8")
JOB, FOLDER = "meet", "/program"
RESOURCES = {"requests": {"cpu": "10m", "memory": "32Mi"}}
PYTHON = ["python3", "-u", f"{FOLDER}/program.py"]
Objects = list[dict[str, Any]]


class Place(NamedTuple):
    """Where the pods run, and how many workers."""

    namespace: str
    image: str  # REPOSITORY:TAG
    node: dict[str, str]  # labels of the nodes
    workers: int


class Way(NamedTuple):
    """One way to launch."""

    objects: Callable[[Place, str], Objects]
    kind: str = "jobs"  # of what must be complete
    names: tuple[str, ...] = (f"{JOB}-RUN-launcher", f"{JOB}-RUN-worker")  # RUN stands for the number of the run
    runs: int = 1  # a second run of the job finds what the first one made
    outlast: str = ""  # a label of pods that end after the job is complete


def dsgen(launch: dict[str, Any]) -> Callable[[Place, str], Objects]:
    """A job of dsgen, rendered by the installed wheel."""

    def render(place: Place, run: str) -> Objects:
        repository, _, tag = place.image.rpartition(":")
        pod = {"nodeSelector": place.node, "tolerations": [{"operator": "Exists"}], "resources": RESOURCES}
        training: dict[str, Any] = {"files": {"program.py": PROGRAM}, "env": {"DS_ACCELERATOR": "cpu"}}
        if "command" not in launch:
            training["python"] = "/job/files/program.py"
        values = {
            "name": JOB,
            "run": {"id": run},
            "image": {"repository": repository, "tag": tag},
            "workers": {**pod, "replicas": place.workers, "accelerator": {"count": 0}, "sharedMemory": "16Mi"},
            "launcher": pod,
            "training": training,
            "launch": {**launch, "expectWorld": False},
        }
        command = [str(environment.DSGEN), "render", "-", "--namespace", place.namespace]
        done = subprocess.run(command, input=yaml.safe_dump(values), capture_output=True, text=True, check=True)
        return list(yaml.safe_load_all(done.stdout))

    return render


def pod_spec(place: Place, command: list[str], **container: Any) -> dict[str, Any]:
    """A pod that has the program."""
    mounts = [{"name": "program", "mountPath": FOLDER}]
    main = {"name": "node", "image": place.image, "command": command, "resources": RESOURCES, "volumeMounts": mounts}
    return {
        "restartPolicy": "Never",
        "nodeSelector": place.node,
        "tolerations": [{"operator": "Exists"}],
        "containers": [{**main, **container}],
        "volumes": [{"name": "program", "configMap": {"name": "program"}}],
    }


def program() -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "program"}, "data": {"program.py": PROGRAM}}


def jobset(place: Place, _run: str) -> Objects:
    env = {"WORLD_SIZE": str(place.workers), "MASTER_ADDR": f"{JOB}-worker-0-0.{JOB}"}
    spec = pod_spec(place, PYTHON, env=[{"name": name, "value": value} for name, value in env.items()])
    size = {"parallelism": place.workers, "completions": place.workers, "completionMode": "Indexed", "backoffLimit": 0}
    job = {"spec": {**size, "template": {"spec": spec}}}
    return [
        program(),
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": JOB},
            "spec": {"replicatedJobs": [{"name": "worker", "replicas": 1, "template": job}]},
        },
    ]


def mpijob(place: Place, _run: str) -> Objects:
    serve = "mkdir -p /run/sshd; ssh-keygen -A >/dev/null; exec /usr/sbin/sshd -De -o StrictModes=no"
    ssh = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectionAttempts=10"
    mpirun = ["mpirun", "--allow-run-as-root", "--mca", "plm_rsh_args", ssh, "-np", str(place.workers)]
    mpirun += ["--bind-to", "none", "-x", f"MASTER_ADDR={JOB}-worker-0.{JOB}", *PYTHON]
    launcher = {**pod_spec(place, mpirun), "restartPolicy": "OnFailure"}
    worker = pod_spec(place, ["bash", "-c", serve])
    replicas = {
        "Launcher": {"replicas": 1, "template": {"spec": launcher}},
        "Worker": {"replicas": place.workers, "template": {"spec": worker}},
    }
    spec = {"slotsPerWorker": 1, "runPolicy": {"cleanPodPolicy": "Running"}, "mpiReplicaSpecs": replicas}
    return [
        program(),
        {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": JOB}, "spec": spec},
    ]


def trainjob(place: Place, _run: str) -> Objects:
    node = {
        "name": "node",
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": pod_spec(place, ["torchrun", f"{FOLDER}/program.py"])}},
        },
    }
    policy = {"numNodes": place.workers, "torch": {}}
    api = "trainer.kubeflow.org/v1alpha1"
    return [
        program(),
        {
            "apiVersion": api,
            "kind": "TrainingRuntime",
            "metadata": {"name": "torch", "labels": {"trainer.kubeflow.org/framework": "torch"}},
            "spec": {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": [node]}}},
        },
        {
            "apiVersion": api,
            "kind": "TrainJob",
            "metadata": {"name": JOB},
            "spec": {
                "runtimeRef": {"name": "torch", "kind": "TrainingRuntime"},
                "trainer": {"numNodes": place.workers, "numProcPerNode": 1},
            },
        },
    ]


WAYS = {
    "worker-command": Way(dsgen({"method": "worker-command", "command": ["python3", "-u", "/job/files/program.py"]})),
    "torchrun": Way(dsgen({"method": "torchrun"})),
    "openmpi": Way(dsgen({"method": "openmpi"}), runs=2),
    "pdsh": Way(dsgen({"method": "pdsh"})),
    "JobSet": Way(jobset, "jobsets", (JOB,)),
    "MPIJob": Way(mpijob, "mpijobs", (JOB,), outlast="training.kubeflow.org/job-role=worker"),
    "TrainJob": Way(trainjob, "trainjobs", (JOB,)),
}
AGAINST = {"worker-command": "JobSet", "torchrun": "TrainJob", "openmpi": "MPIJob", "pdsh": "openmpi"}
