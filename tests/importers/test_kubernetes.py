"""Objects of Kubernetes: each idiom of PyTorchJobs, MPIJobs and the kinds like them."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import yaml

from dsgen.importers import ImportedJob, ImportOptions, SourceText, import_jobs
from dsgen.importers.comparison import fill_holes
from dsgen.importers.scripts import HOSTFILE
from dsgen.values import complete_values
from tests.importers.imports import (
    command,
    convert,
    fates,
    holes,
    look,
    problems,
    unaccounted,
    unexplained,
    value,
)

IMAGE = "registry.example.com/team/bert:v1"
TORCHRUN = ["torchrun", "--nproc_per_node=4", "train.py"]
GPUS = {"limits": {"nvidia.com/gpu": 4}}
ONE_GPU = {"limits": {"nvidia.com/gpu": 1}}
RULE = {"topologyKey": "rack", "labelSelector": {"matchLabels": {"team": "nlp"}}}
AFFINITY = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [RULE]}}
PROGRAM = ["python", "-c", "import torch\nprint(f\"{torch.cuda.device_count()} `x` \\\\ 'q'\")\n"]
OF_ITS_NODE = ["python3", "-c", "import os\nprint(os.environ['PET_NODE_RANK'])\n"]
Fields = dict[str, Any]


def pod(spec: Fields | None = None, **container: object) -> Fields:
    """A template of pods with one container."""
    main = {"name": "pytorch", "image": IMAGE, "command": TORCHRUN, "resources": GPUS, **container}
    main = {key: one for key, one in main.items() if one is not None}
    return {"spec": {"containers": [main], **(spec or {})}}


def text(kind: str, spec: Fields, api: str = "kubeflow.org/v1", **metadata: object) -> str:
    """An object as YAML."""
    head = {"name": "bert", "namespace": "nlp", **metadata}
    return yaml.safe_dump({"apiVersion": api, "kind": kind, "metadata": head, "spec": spec}, sort_keys=False)


def pytorchjob(template: Fields, replicas: int = 2, **spec: object) -> str:
    """A PyTorchJob of workers."""
    worker = {"replicas": replicas, "restartPolicy": "Never", "template": template}
    return text("PyTorchJob", {"pytorchReplicaSpecs": {"Worker": worker}, **spec})


def mpijob(launch: Sequence[str] | str, launcher: Fields | None = None, **spec: object) -> str:
    """An MPIJob with two workers of four devices."""
    words = ["bash", "-c", launch] if isinstance(launch, str) else list(launch)
    replicas = {
        "Launcher": {"replicas": 1, "template": pod(**{"command": words, "resources": None, **(launcher or {})})},
        "Worker": {"replicas": 2, "template": pod(command=["/usr/sbin/sshd", "-De"])},
    }
    return text("MPIJob", {"slotsPerWorker": 4, "mpiReplicaSpecs": replicas, **spec}, "kubeflow.org/v2beta1")


def check(source: str, *, allowed: Sequence[str] = (), **options: object) -> Any:
    """The one job of an object, whose report is complete, and whose values are valid and equal to the source."""
    job = convert(source, "job.yaml", **options)
    assert unaccounted(source, [job], "job.yaml") == []
    assert [f"{one.id} {one.message}" for one in problems(job) if one.id not in allowed] == []
    assert unexplained(job) == []
    return job


def effective(job: ImportedJob, key: str) -> object:
    """A value of a job with dsgen's defaults."""
    return value(replace(job, data=complete_values(fill_holes(job))), key)


# -- PyTorchJob -------------------------------------------------------------------------------------------------------


def test_a_master_that_differs_is_named_with_its_place() -> None:
    master = {"replicas": 1, "template": pod(env=[{"name": "A", "value": "1"}])}
    worker = {"replicas": 3, "template": pod(env=[{"name": "A", "value": "2"}])}

    job = check(text("PyTorchJob", {"pytorchReplicaSpecs": {"Master": master, "Worker": worker}}))

    (lost,) = [entry for entry in job.entries if entry.fate == "lost"]
    assert lost.source == "spec.pytorchReplicaSpecs.Master.template.spec.containers[0].env[0].value"
    assert "line" in lost.why
    assert value(job, "training.env.A") == "2"


@pytest.mark.parametrize(
    ("container", "key", "expected"),
    [
        ({"command": ["bash", "-c", "torchrun --nproc_per_node=4 train.py --lr 1"]}, "training.args", ["--lr", "1"]),
        ({"command": ["torchrun"], "args": ["train.py", "--lr", "1"]}, "training.args", ["--lr", "1"]),
        ({"command": ["torchrun", "train.py"]}, "workers.slots", 4),
        ({"command": ["python", "train.py"], "resources": ONE_GPU}, "launch.method", "torchrun"),
        ({"command": ["python", "train.py"]}, "launch.command", ["python", "train.py"]),
        ({"command": ["torchrun", "train.py"], "resources": {"limits": {"nvidia.com/gpu": None}}}, "workers.slots", 1),
        ({"command": ["torchrun", "train.py"], "resources": {"limits": {"amd.com/gpu": 4}}},
         "workers.accelerator.resource", "amd.com/gpu"),
        ({"resources": {"limits": {"nvidia.com/gpu": 4, "rdma/hca": 1}}}, "network.rdma.resources", {"rdma/hca": 1}),
        ({"resources": {"limits": {"nvidia.com/gpu": 4, "vpc.amazonaws.com/efa": 4}}}, "network.rdma.resources",
         {"vpc.amazonaws.com/efa": 4}),
        ({"env": [{"name": "A", "value": ""}]}, "training.env.A", ""),
        ({"env": [{"name": "MASTER_PORT", "value": "29501"}]}, "launch.masterPort", 29501),
        ({"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"containerName": "x", "resource": "limits.cpu"}}}]},
         "training.env.A", {"valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}),
        ({"envFrom": [{"secretRef": {"name": "keys"}}]}, "training.envFrom", [{"secretRef": {"name": "keys"}}]),
        ({"workingDir": "/work"}, "training.workingDir", "/work"),
        ({"workingDir": "/w", "command": ["bash", "-c", "cd a && torchrun t.py"]}, "training.setup", "cd a"),
        ({"imagePullPolicy": "Always"}, "image.pullPolicy", "Always"),
        ({"securityContext": {"runAsUser": 1000}}, "workers.securityContext", {"runAsUser": 1000}),
        ({"securityContext": {"privileged": True}}, "security.podSecurityLevel", "privileged"),
        ({"command": PROGRAM}, "launch.command", PROGRAM),
        # What no launcher starts, and connects to nothing, needs no check of its world, and no variables again.
        ({"command": OF_ITS_NODE}, "launch.command", OF_ITS_NODE),
        ({"command": OF_ITS_NODE}, "launch.expectWorld", False),
    ],
)  # fmt: skip
def test_a_field_of_the_container(container: Fields, key: str, expected: object) -> None:
    assert effective(check(pytorchjob(pod(**container)), allowed=["DS361"]), key) == expected


@pytest.mark.parametrize(
    ("spec", "key", "expected"),
    [
        ({"nodeSelector": {"pool": "gpu"}}, "workers.nodeSelector", {"pool": "gpu"}),
        ({"tolerations": [{"operator": "Exists"}]}, "workers.tolerations", [{"operator": "Exists"}]),
        ({"affinity": AFFINITY}, "workers.affinity", AFFINITY),
        ({"schedulerName": "volcano"}, "scheduling.gang", "volcano"),
        ({"schedulerName": "my-scheduler"}, "workers.schedulerName", "my-scheduler"),
        ({"priorityClassName": "high"}, "workers.priorityClassName", "high"),
        ({"imagePullSecrets": [{"name": "pull"}]}, "image.pullSecrets", [{"name": "pull"}]),
        ({"hostNetwork": True}, "network.hostNetwork", True),
        ({"runtimeClassName": "nvidia"}, "workers.extraPodSpec.runtimeClassName", "nvidia"),
        (
            {"initContainers": [{"name": "a", "image": IMAGE}]},
            "workers.initContainers",
            [{"name": "a", "image": IMAGE}],
        ),
        ({"hostIPC": True}, "workers.extraPodSpec", {"hostIPC": True}),
    ],
)
def test_a_field_of_the_pod(spec: Fields, key: str, expected: object) -> None:
    assert value(check(pytorchjob(pod(spec)), allowed=["DS239"]), key) == expected


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ({"persistentVolumeClaim": {"claimName": "data"}}, {"existingClaim": "data"}),
        ({"persistentVolumeClaim": {"claimName": "a", "readOnly": True}}, {"existingClaim": "a", "readOnly": True}),
        ({"nfs": {"server": "nfs.example.com", "path": "/x"}}, {"nfs": {"server": "nfs.example.com", "path": "/x"}}),
        ({"emptyDir": {}}, {"emptyDir": {}}),
    ],
)
def test_a_volume(volume: Fields, expected: Fields) -> None:
    mounts = [{"name": "data", "mountPath": "/data"}]

    job = check(pytorchjob(pod({"volumes": [{"name": "data", **volume}]}, volumeMounts=mounts)), allowed=["DS291"])

    assert value(job, "storage.data") == {"mountPath": "/data", **expected}


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ({"emptyDir": {"medium": "Memory"}}, "unlimited"),
        ({"emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}, "16Gi"),
        ({"hostPath": {"path": "/dev/shm"}}, "unlimited"),
    ],
)
def test_shared_memory(volume: Fields, expected: str) -> None:
    mounts = [{"name": "shm", "mountPath": "/dev/shm"}]
    source = pytorchjob(pod({"volumes": [{"name": "shm", **volume}]}, volumeMounts=mounts))

    job = convert(source, "job.yaml")

    assert value(job, "storage") is None
    assert value(job, "workers.sharedMemory") == expected
    assert unaccounted(source, [job], "job.yaml") == []


@pytest.mark.parametrize(("policy", "fate"), [("Never", "dropped"), ("OnFailure", "lost"), ("Always", "lost")])
def test_a_restart_policy_without_a_number(policy: str, fate: str) -> None:
    source = pytorchjob(pod()).replace("restartPolicy: Never", f"restartPolicy: {policy}")

    assert "spec.pytorchReplicaSpecs.Worker.restartPolicy" in fates(check(source), fate)


@pytest.mark.parametrize(
    ("words", "args"),
    [(None, None), (None, ["--lr", "1"]), (["bash", "-c", "sleep infinity"], None),
     (["bash", "-c", "service ssh start && tail -f /dev/null"], None)],
)  # fmt: skip
def test_no_command_and_one_that_waits_are_a_hole(words: list[str] | None, args: list[str] | None) -> None:
    job = check(pytorchjob(pod(command=words, args=args)))

    assert "training.python" in holes(job)
    assert value(job, "training.args") == args


def test_a_secret_of_a_variable_is_a_hole() -> None:
    job = check(pytorchjob(pod(env=[{"name": "HF_TOKEN", "value": "hf_0123456789abcdefghij"}])))

    assert holes(job) == {"training.env.HF_TOKEN"}
    assert "hf_0123456789abcdefghij" not in job.text + json.dumps([entry.source for entry in job.entries])


COMMENTED = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: bert, namespace: nlp}
spec:
  pytorchReplicaSpecs:
    # all are equal
    Worker:
      # the quota
      replicas: 2
      template:
        spec:
          # nodes with fast links
          nodeSelector:
            nvlink: "true"
          containers:
            - name: pytorch
              # image: registry.example.com/team/bert:v0
              image: registry.example.com/team/bert:v1
              command:
                - bash
                - -c
                - |
                  # three are enough
                  torchrun --nproc_per_node=4 train.py --epochs 3
              resources: {limits: {nvidia.com/gpu: 4}}
"""


def test_comments_above_what_is_mapped_come_along() -> None:
    """Above a key, above one of the keys around it, and in the script of a container."""
    text = check(COMMENTED).text

    assert "  # all are equal\n  # the quota\n  replicas: 2\n" in text
    assert '    # nodes with fast links\n    nvlink: "true"\n' in text
    assert "# three are enough\ntraining: {" in text
    assert "bert:v0" not in text


def test_comments_go_to_their_own_job() -> None:
    texts = [COMMENTED.replace("the quota", f"machines of {name}") for name in ("one", "two")]
    jobs = import_jobs([SourceText("jobs.yaml", "---\n".join(texts))])

    assert ["# machines of one\n" in job.text for job in jobs] == [True, False]
    assert ["# machines of two\n" in job.text for job in jobs] == [False, True]


# -- MPIJob -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("launch", "key", "expected"),
    [
        (["mpirun", "-np", "8", "python", "train.py"], "launch.method", "openmpi"),
        (["mpirun", "-np", "8", "-x", "A=1", "-x", "B", "python", "train.py"], "training.env.A", "1"),
        (["mpirun", "-x", "A==x", "python", "train.py"], "training.env.A", "=x"),
        (["mpirun", "-x", "A=^docker0,lo", "python", "train.py"], "training.env.A", "^docker0,lo"),
        (["mpirun", "--mca", "btl_tcp_if_include", "eth0", "python", "train.py"], "launch.mpirunArgs",
         ["--mca", "btl_tcp_if_include", "eth0"]),
        (["mpirun", "-bind-to", "none", "-map-by", "slot", "python", "train.py"], "launch.mpirunArgs", None),
        (["mpirun", "-bind-to", "socket", "python", "train.py"], "launch.mpirunArgs", ["-bind-to", "socket"]),
        (["horovodrun", "-np", "8", "python", "train.py"], "training.python", "train.py"),
        (["deepspeed", "--hostfile=/etc/mpi/hostfile", "train.py", "--lr", "1"], "training.args", ["--lr", "1"]),
        (["mpirun", "-np", "8", "/opt/nccl/all_reduce_perf", "-b", "8"], "training.exec", "/opt/nccl/all_reduce_perf"),
        ("mpirun -np 8 python train.py", "training.python", "train.py"),
        ("until ssh bert-worker-0 true; do sleep 1; done\nmpirun -np 8 python train.py", "training.python", "train.py"),
        ("for i in 0 1; do until ssh bert-worker-$i exit; do sleep 1; done; done; mpirun -np 8 python train.py",
         "training.python", "train.py"),
    ],
)  # fmt: skip
def test_a_launcher_of_mpi(launch: Sequence[str] | str, key: str, expected: object) -> None:
    found = value(check(mpijob(launch)), key)

    assert (found[0] if key == "training.exec" and isinstance(found, list) else found) == expected


def test_version_1_has_its_policy_outside() -> None:
    source = mpijob(["mpirun", "-np", "8", "python", "train.py"], cleanPodPolicy="Running", mainContainer="pytorch")
    delivery = [{"name": "kubectl-delivery", "image": "mpioperator/kubectl-delivery:latest"}]
    data = yaml.safe_load(source.replace("v2beta1", "v1"))
    data["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["initContainers"] = delivery

    job = check(yaml.safe_dump(data, sort_keys=False))

    assert value(job, "launch.method") == "openmpi"
    assert value(job, "launcher.initContainers") is None
    assert fates(job, "lost") == []


# -- others -----------------------------------------------------------------------------------------------------------

TRAINJOB = text("TrainJob", {
    "runtimeRef": {"name": "torch"},
    "trainer": {"numNodes": 2, "numProcPerNode": 4, "command": ["torchrun", "train.py"], "resourcesPerNode": GPUS},
}, "trainer.kubeflow.org/v1alpha1")  # fmt: skip
RUNTIME = yaml.safe_dump({
    "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime", "metadata": {"name": "torch"},
    "spec": {"mlPolicy": {"numNodes": 1, "torch": {"numProcPerNode": "auto"}}, "template": {"spec": {"replicatedJobs": [
        {"name": "node", "template": {"spec": {"template": {"spec": {"containers": [
            {"name": "node", "image": IMAGE}]}}}}}]}}},
})  # fmt: skip


@pytest.mark.parametrize("is_beside", [True, False])
def test_a_trainjob_with_its_runtime(is_beside: bool) -> None:
    source = f"{RUNTIME}---\n{TRAINJOB}" if is_beside else TRAINJOB
    options = ImportOptions(beside=[] if is_beside else [SourceText("runtime.yaml", RUNTIME)])

    (job,) = import_jobs([SourceText("job.yaml", source)], options)

    assert (value(job, "workers.replicas"), value(job, "workers.slots")) == (2, 4)
    assert value(job, "image") == {"repository": "registry.example.com/team/bert", "tag": "v1"}
    assert command(job) == ["train.py"]
    assert (problems(job), unexplained(job)) == ([], [])


def test_the_trainer_of_a_trainjob_has_the_command_of_the_launcher() -> None:
    runtime = yaml.safe_load(RUNTIME)
    (node,) = jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    jobs.append({**copy.deepcopy(node), "name": "launcher"})
    container = node["template"]["spec"]["template"]["spec"]["containers"][0]
    container |= {"command": ["/usr/sbin/sshd"], "args": ["-De"]}
    job = check(f"{yaml.safe_dump(runtime)}---\n{TRAINJOB.replace('torchrun', 'mpirun')}")
    assert (value(job, "launch.method"), command(job), fates(job, "lost")) == ("openmpi", ["train.py"], [])


def stateful(name: str, template: Fields, replicas: int = 1) -> str:
    """A StatefulSet."""
    return text("StatefulSet", {"replicas": replicas, "template": template}, "apps/v1", name=name)


def config_map(name: str, **data: str) -> str:
    return yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})


MPIRUN = ["mpirun", "python", "train.py"]
SSHD = pod(command=["/usr/sbin/sshd", "-D"])
LAUNCH = pod(command=["deepspeed", "--hostfile=/h/hostfile", "train.py"], resources=None)
LAUNCHER = text("Job", {"template": LAUNCH}, "batch/v1", name="launcher")
RANK = "torchrun --nnodes=2 --node_rank={} --nproc_per_node=4 train.py --lr 1"
RDMA = {"limits": {"nvidia.com/gpu": 4, "rdma/ib": 1}}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([text("PyTorchJob", {"pytorchReplicaSpecs": {
            "Master": {"replicas": 1, "template": pod()}, "Worker": {"replicas": 3, "template": pod()}}})],
         {"workers.replicas": 4, "lost": []}),
        ([pytorchjob(pod(command=["torchrun", "train.py"]), elasticPolicy={
            "minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d", "nProcPerNode": 4, "maxRestarts": 5})],
         {"workers.slots": 4, "lost": ["spec.elasticPolicy.minReplicas", "spec.elasticPolicy.maxReplicas"]}),
        ([pytorchjob(pod(command=["torchrun", "--nnodes=3", "t.py", "$(WORLD_SIZE)"]), nprocPerNode="4")],
         {"lost": ["torchrun"], "training.exec": ["bash", "-c", 'exec python3 -u t.py "$WORLD_SIZE"']}),
        ([pytorchjob(pod({"initContainers": [{"name": "w", "args": ["until nslookup bert-master-0; do :; done"]}]},
                         env=[*({"name": "A", "value": one} for one in "12"), {"name": "I", "valueFrom": {"fieldRef": {
                             "fieldPath": "metadata.labels['training.kubeflow.org/replica-index']"}}}]))],
         {"workers.initContainers": None, "training.env": {"A": "2"}}),
        ([pytorchjob(pod(command=[
            "torchrun", "--nnodes=$(WORLD_SIZE)", "--node_rank=$(RANK)", "--nproc_per_node=4", "train.py"]))],
         {"workers.replicas": 2, "workers.slots": 4, "command": ["train.py"]}),
        *(([pytorchjob(pod(), runPolicy=policy)], expected) for policy, expected in (
            ({"activeDeadlineSeconds": 3600}, {"lifecycle.activeDeadlineSeconds": 3600}),
            ({"backoffLimit": 3}, {"lifecycle.maxRestarts": 3}),
            ({"suspend": True}, {"lifecycle.suspend": True}),
            ({"schedulingPolicy": {"priorityClass": "high", "queue": "team", "minAvailable": 2}},
             {"scheduling.priorityClass": "high", "scheduling.queue": "team"}))),
        ([text("PyTorchJob", {"pytorchReplicaSpecs": {"Worker": {"replicas": 2, "template": pod()}}},
               labels={"kueue.x-k8s.io/queue-name": "team"})], {"scheduling.queue": "team"}),
        ([pytorchjob(pod(securityContext={"capabilities": {"add": ["IPC_LOCK"]}}, resources=RDMA))],
         {"network.rdma.ipcLock": "omit", "security.podSecurityLevel": "privileged"}),
        ([pytorchjob(pod(resources=RDMA))], {"network.rdma.ipcLock": "omit"}),
        # MPIJobs
        ([mpijob(["mpirun", "-np", "6", "python", "train.py"])], {"lost": ["6"]}),
        ([mpijob(MPIRUN, {"resources": GPUS})], {"lost": [
            'spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].resources.limits["nvidia.com/gpu"]']}),
        *(([mpijob(MPIRUN, mpiImplementation=name)], {"lost": ["spec.mpiImplementation"]})
          for name in ("Intel", "MPICH")),
        ([mpijob(MPIRUN, runLauncherAsWorker=True)], {"workers.replicas": 3}),
        ([mpijob(MPIRUN, {"env": [{"name": "A", "value": "1"}]})], {"launcher.env.A": "1"}),
        *(([mpijob(words)], {"launch.method": "launcher-command", "launch.command": words, "training.python": None})
          for words in (["python", "deepy.py", "train.py", "conf.yml"], ["./launch.sh"])),
        # others
        ([text("ElasticJob", {"distributionStrategy": "AllreduceStrategy", "replicaSpecs": {
            "worker": {"replicas": 3, "template": pod(command=["bash", "-c", (
                "dlrover-run --network-check --nnodes=2:$NODE_NUM --nproc_per_node=4 --max_restarts=3 train.py")])}}},
               "elastic.iml.github.io/v1alpha1")],
         {"workers.replicas": 3, "workers.slots": 4, "lifecycle.maxRestarts": 3,
          "lost": ["--network-check", "2"]}),
        ([text("JobSet", {"replicatedJobs": [{"replicas": 1, "name": "workers", "template": {
            "spec": {"parallelism": 4, "completions": 4, "backoffLimit": 0, "template": pod()}}}]},
               "jobset.x-k8s.io/v1alpha2")], {"workers.replicas": 4}),
        ([text("JobSet", {"replicatedJobs": [{"replicas": 2, "name": "w", "template": {"spec": {"template": pod()}}}]},
               "jobset.x-k8s.io/v1alpha2", annotations={"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"})],
         {"scheduling.topology": None}),
        ([config_map("scripts", **{"run.sh": f"#!/bin/bash\n{RANK.format('${HOSTNAME##*-}')}\n"}),
          stateful("bert", pod({"volumes": [{"name": "scripts", "configMap": {"name": "scripts"}}]},
                               command=["bash", "/scripts/run.sh"],
                               volumeMounts=[{"name": "scripts", "mountPath": "/scripts"}]), 2)],
         {"launch.method": "torchrun", "command": ["train.py", "--lr", "1"], "workers.replicas": 2, "storage": None}),
        ([text("Pod", pod(command=RANK.format(rank).split())["spec"], "v1", name=f"bert-{rank}") for rank in (0, 1)],
         {"workers.replicas": 2, "workers.slots": 4, "command": ["train.py", "--lr", "1"]}),
        ([yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [{
            "apiVersion": "workload.codeflare.dev/v1beta2", "kind": "AppWrapper", "metadata": {"name": "w"},
            "spec": {"components": [{"template": yaml.safe_load(pytorchjob(pod()))}]}}]}, sort_keys=False)],
         {"workers.replicas": 2}),
        # several sets of pods are compared with the first
        ([stateful("first", pod(env=[{"name": "NODE_RANK", "value": "0"}]), 2),
          stateful("second", pod(env=[{"name": "NODE_RANK", "value": "2"}]), 2)],
         {"workers.replicas": 4,  # each of them trains alone
          "lost": ["torchrun", *(f"spec.template.spec.containers[0].env[0].{one}" for one in ("name", "value"))]}),
        *(([stateful("first", pod(env=[{"name": "LR", "value": "0"}])),
            stateful("second", pod(**{"env": [{"name": "LR", "value": "0"}], **change}))],
           {"lost": ["torchrun", *(f"spec.template.spec.containers[0].{one}" for one in lost)], "workers.replicas": 2,
            "image.tag": "v1", "command": ["train.py"]})
          for change, lost in (
            ({"image": "registry.example.com/team/bert:v2"}, ["image"]),
            ({"env": [{"name": "LR", "value": "1"}]}, ["env[0].value"]),
            ({"env": []}, ["env (no [0])"]),
            ({"env": [{"name": "LR", "value": "0"}, {"name": "A", "value": "1"}]}, ["env[1].name", "env[1].value"]))),
        ([stateful("first", SSHD),
          text("Pod", pod(command=["/usr/sbin/sshd", "-D"], image="r.example.com/b:v2")["spec"], "v1", name="b"),
          LAUNCHER],
         {"lost": ["spec.containers[0].image"], "workers.replicas": 2}),
        # a pod on each node: how many there are is not known
        ([stateful("first", SSHD).replace("StatefulSet", "DaemonSet"), LAUNCHER], {"holes": {"workers.replicas"}}),
        ([config_map("hosts", hostfile="a-0.a slots=4\na-1.a slots=4\na-2.a slots=4\n"), stateful("first", SSHD, 2),
          LAUNCHER], {"lost": ["hostfile"], "workers.replicas": 2, "workers.slots": 4}),
        ([config_map("hosts", hostfile="a-0.a slots=4\na-1.a slots=8\n"), stateful("first", SSHD, 2), LAUNCHER],
         {"lost": ["hostfile"]}),
    ],
)  # fmt: skip
def test_objects(objects: list[str], expected: dict[str, object]) -> None:
    job = check("---\n".join(objects))

    assert {what: look(job, what) for what in expected} == expected


OPEN_MPI = ["mpirun", "-np", "8", "-x", "LR=1", "-x", "HF_HOME", "python", "t.py"]
LAUNCHER_ENV = {"env": [{"name": name, "value": "1"} for name in ("UCX_TLS", "HF_HOME", "OMPI_MCA_btl")]}
OF_JOB = {name: pod(command=["python", "t.py", f"--job_name={name}"]) for name in ("evaluator", "worker", "ps")}
COUNTS = [
    {"name": name, "value": number}
    for name, number in (("WORLD_SIZE", "16"), ("GPUS_PER_NODE", "4"), ("NUM_NODES", "2"), ("HEAD_NODE_IP", "bert-0"))
]
T9K = {
    "config": {"slotPerWorker": 2, "run": {"python": "t.py"}},
    "worker": {"replicas": 4, "template": pod(command=None)},
}
JOBSET = "jobset.x-k8s.io/v1alpha2"
MOUNTS = {"volumeMounts": [{"name": "c", "mountPath": "/c"}, {"name": "m", "mountPath": "/dev/shm"}]}
FAILURES = "failurePolicy: {maxRestarts: 2}\n      replicatedJobs"
READ_ONLY = "volumeMounts: [{name: c, mountPath: /c, readOnly: true}]\n            resources"
VOLUMES = "volumes: [{name: c, nfs: {server: a, path: /}}, {name: m, emptyDir: {}}]\n          containers"
OF_TUNE = "<<: {command: [tune, run], args: [a.py], resources: {limits: {cpu: 8, nvidia.com/gpu: 8}}}"
TUNES = text("TrainJob", {"runtimeRef": {"name": "torch"}, "trainer": {
    "args": ["b.py"], "resourcesPerNode": {"limits": {"cpu": 2}}}}, "trainer.kubeflow.org/v1alpha1")  # fmt: skip


def tasks(*names: str) -> Fields:
    """A Job of Volcano with two pods of each of these kinds."""
    return {"tasks": [{"name": name, "replicas": 2, "template": OF_JOB[name]} for name in names]}


def jobset(template: Fields) -> str:
    return text("JobSet", {"replicatedJobs": [{"name": "w", "template": {
        "spec": {"parallelism": 4, "completions": 4, "template": template}}}]}, JOBSET)  # fmt: skip


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # what another tool fills in is a hole, and no number is not the number 0
        (pytorchjob(pod(command=["torchrun", "t.py"], resources={"limits": {"nvidia.com/gpu": "${GPUS}"}})),
         {"holes": {"workers.slots"}, "training.env": None}),
        (pytorchjob(pod({"nodeSelector": {"pool": "${POOL}"}}, env=[{"name": "LR", "value": "${LR}"}])),
         {"holes": {"workers.nodeSelector.pool", "training.env.LR"}}),
        (pytorchjob(pod(command=["torchrun", "t.py"]), nprocPerNode="${N}"),
         {"holes": {"workers.slots"}, "workers.accelerator.count": 4}),
        (mpijob(MPIRUN).replace("slotsPerWorker", "_"), {"workers.slots": None, "workers.accelerator.count": 4}),
        (jobset(pod()).replace("parallelism: 4", "parallelism: ${N}"), {"holes": {"workers.replicas"}}),
        (pytorchjob(pod(command=["bash", "-c", "torchrun t.py --lr ${LR}"])), {"lost": ["${LR}"]}),
        (jobset(pod(command=["sh", "-c", "python t.py $JOB_COMPLETION_INDEX"])).replace("w\n", "w\n    replicas: 2\n"),
         {"lost": ["$JOB_COMPLETION_INDEX"]}),
        (mpijob(OPEN_MPI, {"image": "r.example.com/a:v1"}).replace(IMAGE, "<image>"),
         {"launcher.image": "r.example.com/a:v1", "image.repository": ""}),
        # a launcher behind another program, or in the arguments of an image
        *((mpijob(words), {"launch.command": ["bash", "-c", HOSTFILE, *words]}) for words in (
            ["/entry.sh", "mpirun", "python", "t.py"], ["sudo", "-E", "mpirun", "python", "t.py"],
            ["tini", "-g", "--", "mpirun", "python", "t.py"])),
        (pytorchjob(pod(command=None, args=["torchrun", "t.py"])), {"command": ["t.py"], "launch.method": "torchrun"}),
        (pytorchjob(pod(command=None, args=["--lr=1"])), {"holes": {"training.python"}, "training.args": ["--lr=1"]}),
        # the interpreter that was chosen
        (pytorchjob(pod(command=["/venv/bin/torchrun", "t.py"])), {"training.pythonCommand": "/venv/bin/python3"}),
        (pytorchjob(pod(command=["python3.11", "-m", "torch.distributed.run", "t.py"])),
         {"training.pythonCommand": "python3.11"}),
        (pytorchjob(pod(command=["python3", "-m", "torch.distributed.launch", "--use_env", "t.py"])), {"lost": []}),
        (mpijob(["/opt/mpi/bin/mpirun", "python", "t.py"]), {"lost": ["/opt/mpi/bin/mpirun"]}),
        (pytorchjob(pod(command=["uv", "run", "torchrun", "t.py"])), {"lost": []}),
        # the environment: only names that dsgen sets are dropped, and only with the number that it sets
        (jobset(pod(command=["bash", "-c", "python t.py --world $WORLD_SIZE"], env=COUNTS)), {
            "training.env": {"GPUS_PER_NODE": "4", "NUM_NODES": "2"},
            "launch.command": ["python", "t.py", "--world", "16"]}),
        (mpijob(OPEN_MPI, LAUNCHER_ENV), {"launcher.env": {"UCX_TLS": "1"}, "training.env": {
            "LR": "1", "HF_HOME": "1", "OMPI_MCA_btl": "1"}}),
        (mpijob("export UCX_TLS=1; A=2 mpirun python t.py"), {
            "lost": ["UCX_TLS=1", "2"], "launcher.env": None, "training.env": None}),
        (mpijob("export A=$(cat /x)\nmpirun python t.py"), {"training.setup": None, "lost": ["A=$(cat /x)"]}),
        (mpijob(MPIRUN, {"envFrom": [{"secretRef": {"name": "s"}}]}), {"training.envFrom": None}),
        (mpijob(["deepspeed", "t.py"], LAUNCHER_ENV), {"training.env": {"UCX_TLS": "1"},
                                                       "launcher.env": {"HF_HOME": "1", "OMPI_MCA_btl": "1"}}),
        (mpijob(MPIRUN, LAUNCHER_ENV, mpiImplementation="Intel"), {"launcher.env": None}),
        (mpijob(MPIRUN, LAUNCHER_ENV, runLauncherAsWorker=True), {"launcher.env": None, "workers.replicas": 3}),
        # a command of the shell, unless the container has a variable of this name
        (pytorchjob(pod(command=["bash", "-c", "torchrun t.py --run $(MINE) $(id -u)"],
                        env=[{"name": "MINE", "value": "1"}])),
         {"training.exec": ["bash", "-c", 'exec python3 -u t.py --run "${MINE}" $(id -u)']}),
        # resources and arguments of a trainer replace those of the runtime
        (RUNTIME.replace("- image:", f"- {OF_TUNE}\n                  image:") + f"---\n{TUNES}",
         {"launch.command": ["tune", "run", "b.py"], "workers.accelerator.count": 0,
          "workers.resources.limits": {"cpu": "2"}}),
        # of several fields for one key, the first stays
        (pytorchjob(pod(), runPolicy={"backoffLimit": 3}, elasticPolicy={"maxRestarts": 9}),
         {"lifecycle.maxRestarts": 3, "lost": ["spec.elasticPolicy.maxRestarts"]}),
        (f"{RUNTIME}---\n{TRAINJOB}".replace("replicatedJobs", FAILURES),
         {"lifecycle.maxRestarts": 2}),
        (mpijob(MPIRUN, MOUNTS).replace("resources", READ_ONLY).replace("containers", VOLUMES),
         {"storage.c.readOnly": True, "storage.c-2.mountIn": "launcher", "workers.sharedMemory": None}),
        # several kinds of pods
        (text("Job", tasks("evaluator", "worker"), "batch.volcano.sh/v1alpha1"), {"workers.replicas": 2}),
        ("---\n".join(stateful(name, OF_JOB[name]) for name in ("evaluator", "worker")),
         {"workers.replicas": None, "name": "worker"}),
        # others
        (text("Job", {"template": pod(command=["deepspeed", "t.py"])}, "batch/v1"),
         {"launch.method": "deepspeed-no-ssh"}),
        (text("DeepspeedJob", {**T9K, "runMode": {"debug": {"enabled": True}, "pause": {"enabled": False}}},
              "batch.tensorstack.dev/v1beta1"),
         {"workers.replicas": 4, "workers.slots": 2, "lifecycle.debug": {"enabled": True}}),
        (pytorchjob(pod(command=["tail", "-f", "/dev/null"])), {"holes": {"training.python"}}),
        (pytorchjob(pod({"schedulerName": "kai-scheduler"})), {"lost": [
            "spec.pytorchReplicaSpecs.Worker.template.spec.schedulerName"]}),
    ],
)  # fmt: skip
def test_nothing_is_silently_another_job(source: str, expected: dict[str, object]) -> None:
    job = check(source, allowed=["DS361"])

    assert {what: look(job, what) for what in expected} == expected


def test_a_second_file_is_read() -> None:
    """A runtime, a hostfile, and a script that a container runs."""
    beside = [("runtime.yaml", RUNTIME), ("hosts", "a slots=8\nb slots=8\n"), ("start.sh", "torchrun t.py --lr 1\n")]
    jobs = [("job.yaml", TRAINJOB), ("run.sh", "deepspeed t.py"),
            ("other.yaml", pytorchjob(pod(command=["bash", "/code/start.sh"])))]  # fmt: skip

    job, script, other = import_jobs([SourceText(*one) for one in [*beside, *jobs]])

    assert value(job, "image.tag") == "v1"
    assert (value(script, "workers.replicas"), value(script, "workers.slots"), holes(script)) == (2, 8, set())
    assert command(other) == ["t.py", "--lr", "1"]


def test_several_jobs_of_a_file() -> None:
    first, second = pytorchjob(pod()), pytorchjob(pod()).replace("name: bert", "name: other")

    jobs = import_jobs([SourceText("job.yaml", f"{first}---\n{second}")], ImportOptions())

    assert [job.name for job in jobs] == ["bert", "other"]
    assert unaccounted(f"{first}---\n{second}", jobs, "job.yaml") == []


def test_keys_that_are_given_twice_are_named() -> None:
    source = pytorchjob(pod()).replace("  namespace: nlp\n", "  namespace: nlp\n  namespace: other\n")

    job = convert(source, "job.yaml")

    (lost,) = [entry for entry in job.entries if entry.fate == "lost"]
    assert (lost.position.line, lost.source) == (6, "duplicate key")


def test_a_lost_word_of_a_command_is_shown() -> None:
    (lost,) = convert(pytorchjob(pod(command=["torchrun", "--unknown=3", "train.py"])), "job.yaml").lost

    assert lost.whole.endswith("containers[0].command[1] = --unknown=3")


def test_what_dsgen_refuses_stays_and_is_a_hole() -> None:
    mounts = [{"name": "data", "mountPath": "/data"}] * 2
    containers = [{"name": "a", "image": IMAGE, "volumeMounts": mounts}]

    job = convert(pytorchjob(pod({"initContainers": containers})), "job.yaml")

    assert "volumeMounts:  # TODO: workers.initContainers[0].volumeMounts: mountPath must be unique" in job.text
    assert holes(job) == {f"workers.initContainers[0].volumeMounts{part}" for part in ("", "[0].name", "[1].name")}
    assert job.lost == []


def test_a_program_without_a_shell_has_the_variables_of_its_operator() -> None:
    """Those that dsgen does not set under the same name."""
    program = "import os; print(os.environ['WORKER_RANK'])"
    worker = {"replicas": 2, "template": pod(command=["python3", "-c", program])}

    job = check(text("ElasticJob", {"replicaSpecs": {"worker": worker}}, "elastic.iml.github.io/v1alpha1"))

    assert "worker-command" == value(job, "launch.method")
    assert [
        "bash",
        "-c",
        'export WORKER_RANK="$NODE_RANK"\nexec "$0" "$@"',
        "python3",
        "-c",
        program,
    ] == value(job, "launch.command")


def test_the_largest_part_without_an_equivalent_is_named_by_its_path() -> None:
    text = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: j, namespace: t}
spec:
  one: 1
  pytorchReplicaSpecs:
    Worker:
      two: {a: 1, b: [2, 3]}
      template: {spec: {containers: [{name: pytorch, image: a/b, command: [torchrun, t.py]}]}}
"""
    lost = [str(one) for one in convert(text, "job.yaml").lost]

    for path in ("spec.one = 1", "whole='spec.pytorchReplicaSpecs.Worker.two'"):
        assert any(path in one for one in lost)
