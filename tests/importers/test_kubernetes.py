"""Objects of Kubernetes: each idiom of PyTorchJobs, MPIJobs and the kinds like them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import yaml

from dsgen.importers import ImportedJob, Options, SourceText, import_jobs
from dsgen.importers.comparison import fill_holes
from dsgen.values import complete_values
from tests.importers.imports import command, convert, fates, holes, problems, refused, unaccounted, unexplained, value

IMAGE = "registry.example.com/team/bert:v1"
TORCHRUN = ["torchrun", "--nproc_per_node=4", "train.py"]
GPUS = {"limits": {"nvidia.com/gpu": 4}}
ONE_GPU = {"limits": {"nvidia.com/gpu": 1}}
RULE = {"topologyKey": "rack", "labelSelector": {"matchLabels": {"team": "nlp"}}}
AFFINITY = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [RULE]}}
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


def test_a_master_like_the_workers_is_worker_0() -> None:
    master = {"replicas": 1, "template": pod()}
    worker = {"replicas": 3, "template": pod()}

    job = check(text("PyTorchJob", {"pytorchReplicaSpecs": {"Master": master, "Worker": worker}}))

    assert value(job, "workers.replicas") == 4
    assert fates(job, "lost") == []


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
        ({"env": [{"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]}, "training.env.NODE",
         {"valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}),
        ({"envFrom": [{"secretRef": {"name": "keys"}}]}, "training.envFrom", [{"secretRef": {"name": "keys"}}]),
        ({"workingDir": "/work"}, "training.workingDir", "/work"),
        ({"imagePullPolicy": "Always"}, "image.pullPolicy", "Always"),
        ({"securityContext": {"runAsUser": 1000}}, "workers.securityContext", {"runAsUser": 1000}),
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
        ({"runtimeClassName": "nvidia"}, "workers.runtimeClassName", "nvidia"),
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
        ({"nfs": {"server": "nfs.example.com", "path": "/x"}}, {"nfs": {"server": "nfs.example.com", "path": "/x"}}),
        ({"hostPath": {"path": "/x"}}, {"hostPath": {"path": "/x"}}),
        ({"configMap": {"name": "x"}}, {"configMap": {"name": "x"}}),
        ({"secret": {"secretName": "x"}}, {"secret": {"secretName": "x"}}),
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


@pytest.mark.parametrize(
    ("policy", "key", "expected"),
    [
        ({"activeDeadlineSeconds": 3600}, "lifecycle.activeDeadlineSeconds", 3600),
        ({"backoffLimit": 3}, "lifecycle.maxRestarts", 3),
        ({"suspend": True}, "lifecycle.suspend", True),
        ({"schedulingPolicy": {"queue": "team", "minAvailable": 2}}, "scheduling.queue", "team"),
        ({"schedulingPolicy": {"priorityClass": "high", "queue": "team"}}, "scheduling.priorityClass", "high"),
    ],
)
def test_the_run_policy(policy: Fields, key: str, expected: object) -> None:
    assert value(check(pytorchjob(pod(), runPolicy=policy)), key) == expected


@pytest.mark.parametrize(("policy", "fate"), [("Never", "dropped"), ("OnFailure", "lost"), ("Always", "lost")])
def test_a_restart_policy_without_a_number(policy: str, fate: str) -> None:
    source = pytorchjob(pod()).replace("restartPolicy: Never", f"restartPolicy: {policy}")

    assert "spec.pytorchReplicaSpecs.Worker.restartPolicy" in fates(check(source), fate)


def test_an_elastic_policy_is_lost_but_its_processes_per_node() -> None:
    policy = {"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d", "nProcPerNode": 4, "maxRestarts": 5}

    job = check(pytorchjob(pod(command=["torchrun", "train.py"]), elasticPolicy=policy))

    assert value(job, "workers.slots") == 4
    assert {"spec.elasticPolicy.minReplicas", "spec.elasticPolicy.maxReplicas"} <= set(fates(job, "lost"))


def test_world_size_of_the_operator_is_the_number_of_pods() -> None:
    words = ["torchrun", "--nnodes=$(WORLD_SIZE)", "--node_rank=$(RANK)", "--nproc_per_node=4", "train.py"]

    job = check(pytorchjob(pod(command=words)))

    assert (value(job, "workers.replicas"), value(job, "workers.slots"), command(job)) == (2, 4, ["train.py"])


@pytest.mark.parametrize("args", [None, ["--lr", "1"]])
def test_no_command_is_a_hole(args: list[str] | None) -> None:
    job = check(pytorchjob(pod(command=None, args=args)))

    assert "training.python" in holes(job)
    assert value(job, "training.args") == args


@pytest.mark.parametrize("script", ["sleep infinity", "service ssh start && tail -f /dev/null"])
def test_a_pod_that_waits_is_a_hole(script: str) -> None:
    assert "training.python" in holes(check(pytorchjob(pod(command=["bash", "-c", script]))))


def test_a_program_in_the_command_is_kept_to_the_letter() -> None:
    program = "import torch\nprint(f\"{torch.cuda.device_count()} `x` \\\\ 'q'\")\n"

    job = check(pytorchjob(pod(command=["python", "-c", program])))

    assert value(job, "launch.command") == ["python", "-c", program]


def test_a_secret_of_a_variable_is_a_hole() -> None:
    job = check(pytorchjob(pod(env=[{"name": "HF_TOKEN", "value": "hf_0123456789abcdefghij"}])))

    assert holes(job) == {"training.env.HF_TOKEN"}
    assert "hf_0123456789abcdefghij" not in job.text + json.dumps([entry.source for entry in job.entries])


def test_a_kueue_label_is_the_queue() -> None:
    source = text(
        "PyTorchJob",
        {"pytorchReplicaSpecs": {"Worker": {"replicas": 2, "template": pod()}}},
        labels={"kueue.x-k8s.io/queue-name": "team"},
    )

    job = check(source)

    assert value(job, "scheduling.queue") == "team"


def test_privileged_containers_have_their_level() -> None:
    job = check(pytorchjob(pod(securityContext={"privileged": True})))

    assert value(job, "security.podSecurityLevel") == "privileged"


def test_comments_of_mapped_lines_come_along() -> None:
    source = pytorchjob(pod()).replace("replicas: 2", "replicas: 2  # two machines of the new rack")

    assert "workers: {replicas: 2, slots: 4}  # two machines of the new rack" in check(source).text


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
    assert '  # nodes with fast links\n  nodeSelector: {nvlink: "true"}\n' in text
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


def test_another_number_of_processes_is_named() -> None:
    job = check(mpijob(["mpirun", "-np", "6", "python", "train.py"]))

    (lost,) = [entry for entry in job.entries if entry.fate == "lost"]
    assert "6 processes" in lost.why


def test_slots_that_are_not_the_devices() -> None:
    job = check(mpijob(["mpirun", "python", "train.py"], slotsPerWorker=1), allowed=["DS361"])

    assert (effective(job, "workers.slots"), value(job, "workers.accelerator.count")) == (1, 4)


@pytest.mark.parametrize("name", ["Intel", "MPICH"])
def test_another_mpi_is_lost(name: str) -> None:
    job = check(mpijob(["mpirun", "python", "train.py"], mpiImplementation=name))

    assert "spec.mpiImplementation" in fates(job, "lost")


def test_a_launcher_that_trains_is_one_worker_more() -> None:
    assert value(check(mpijob(["mpirun", "python", "train.py"], runLauncherAsWorker=True)), "workers.replicas") == 3


def test_an_environment_of_the_launcher_alone() -> None:
    env = [{"name": "A", "value": "1"}]

    job = check(mpijob(["mpirun", "python", "train.py"], {"env": env}))

    assert value(job, "training.env.A") == "1"


def test_devices_of_the_launcher_are_lost() -> None:
    job = check(mpijob(["mpirun", "python", "train.py"], {"resources": GPUS}))

    assert [one for one in fates(job, "lost") if "Launcher" in one and "nvidia" in one]


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


def test_a_trainjob_needs_its_runtime() -> None:
    reason = refused(TRAINJOB, "job.yaml")

    assert "torch" in reason
    assert "--runtime" in reason


@pytest.mark.parametrize("is_beside", [True, False])
def test_a_trainjob_with_its_runtime(is_beside: bool) -> None:
    source = f"{RUNTIME}---\n{TRAINJOB}" if is_beside else TRAINJOB
    options = Options(runtimes=[] if is_beside else [SourceText("runtime.yaml", RUNTIME)])

    (job,) = import_jobs([SourceText("job.yaml", source)], options)

    assert (value(job, "workers.replicas"), value(job, "workers.slots")) == (2, 4)
    assert value(job, "image") == {"repository": "registry.example.com/team/bert", "tag": "v1"}
    assert command(job) == ["train.py"]
    assert (problems(job), unexplained(job)) == ([], [])


def test_an_elasticjob_takes_the_most_nodes() -> None:
    words = "dlrover-run --network-check --nnodes=2:$NODE_NUM --nproc_per_node=4 --max_restarts=3 train.py"
    spec = {"distributionStrategy": "AllreduceStrategy", "replicaSpecs": {
        "worker": {"replicas": 3, "template": pod(command=["bash", "-c", words])}}}  # fmt: skip

    job = check(text("ElasticJob", spec, "elastic.iml.github.io/v1alpha1"))

    assert (value(job, "workers.replicas"), value(job, "workers.slots")) == (3, 4)
    assert value(job, "lifecycle.maxRestarts") == 3
    assert "2" in fates(job, "lost")


@pytest.mark.parametrize(
    ("api", "kind", "spec"),
    [
        ("elastic.iml.github.io/v1alpha1", "ElasticJob", {
            "distributionStrategy": "ParameterServerStrategy", "replicaSpecs": {"worker": {"template": pod()}}}),
        ("mindspore.gitee.com/v1", "MSJob", {"msReplicaSpecs": {
            "PS": {"replicas": 1, "template": pod()}, "Worker": {"replicas": 1, "template": pod()}}}),
    ],
)  # fmt: skip
def test_parameter_servers_are_refused(api: str, kind: str, spec: Fields) -> None:
    assert "arameter server" in refused(text(kind, spec, api), "job.yaml")


def test_a_jobset_has_as_many_workers_as_its_parallelism() -> None:
    job = {"replicas": 1, "name": "workers", "template": {
        "spec": {"parallelism": 4, "completions": 4, "backoffLimit": 0, "template": pod()}}}  # fmt: skip

    found = check(text("JobSet", {"replicatedJobs": [job]}, "jobset.x-k8s.io/v1alpha2"))

    assert value(found, "workers.replicas") == 4


def test_a_script_in_a_configmap_is_read() -> None:
    script = "#!/bin/bash\ntorchrun --nnodes=2 --node_rank=${HOSTNAME##*-} --nproc_per_node=4 /app/train.py --lr 1\n"
    config = yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "scripts"},
                             "data": {"run.sh": script}})  # fmt: skip
    template = pod({"volumes": [{"name": "scripts", "configMap": {"name": "scripts"}}]},
                   command=["bash", "/scripts/run.sh"],
                   volumeMounts=[{"name": "scripts", "mountPath": "/scripts"}])  # fmt: skip
    source = f"{config}---\n{text('StatefulSet', {'replicas': 2, 'serviceName': 'x', 'template': template}, 'apps/v1')}"

    job = check(source)

    assert (value(job, "launch.method"), command(job)) == ("torchrun", ["/app/train.py", "--lr", "1"])
    assert (value(job, "workers.replicas"), value(job, "storage")) == (2, None)


def test_pods_that_differ_in_their_rank_are_one_job() -> None:
    pods = []
    for rank in (0, 1):
        words = ["torchrun", "--nnodes=2", f"--node_rank={rank}", "--nproc_per_node=4", "train.py"]
        pods.append(text("Pod", pod(command=words)["spec"], "v1", name=f"bert-{rank}"))

    job = convert("---\n".join(pods), "job.yaml")

    assert (value(job, "workers.replicas"), value(job, "workers.slots"), command(job)) == (2, 4, ["train.py"])
    assert unaccounted("---\n".join(pods), [job], "job.yaml") == []


def stateful(name: str, template: Fields, replicas: int = 1) -> str:
    """A StatefulSet."""
    return text("StatefulSet", {"replicas": replicas, "template": template}, "apps/v1", name=name)


def test_a_second_statefulset_with_the_same_pods_is_more_workers() -> None:
    source = "---\n".join(stateful(name, pod(env=[{"name": "NODE_RANK", "value": rank}]), 2)
                          for name, rank in (("first", "0"), ("second", "2")))  # fmt: skip

    job = check(source)

    assert value(job, "workers.replicas") == 4
    assert fates(job, "lost") == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"image": "registry.example.com/team/bert:v2"}, ["image"]),
        ({"command": [*TORCHRUN[:2], "other.py", "--lr=1"]}, ["command[2]", "command[3]"]),
        ({"args": ["--lr=1"]}, ["args[0]"]),
        ({"env": [{"name": "LR", "value": "1"}]}, ["env[0].name", "env[0].value"]),
    ],
)
def test_what_differs_in_a_second_statefulset_is_lost(change: Fields, expected: list[str]) -> None:
    source = f"{stateful('first', pod())}---\n{stateful('second', pod(**change))}"

    job = check(source)

    assert [f"spec.template.spec.containers[0].{one}" for one in expected] == fates(job, "lost")
    assert (value(job, "workers.replicas"), value(job, "image.tag"), command(job)) == (2, "v1", ["train.py"])


def test_a_variable_with_another_value_in_a_second_statefulset_is_lost() -> None:
    first, second = (pod(env=[{"name": "LR", "value": rate}]) for rate in ("0.1", "0.2"))

    job = check(f"{stateful('first', first)}---\n{stateful('second', second)}")

    assert fates(job, "lost") == ["spec.template.spec.containers[0].env[0].value"]


def test_workers_of_another_kind_are_compared_with_the_first() -> None:
    sshd = ["/usr/sbin/sshd", "-D"]
    single = text("Pod", pod(command=sshd, image="registry.example.com/team/bert:v2")["spec"], "v1", name="second")
    launch = pod(command=["deepspeed", "--hostfile=/h/hostfile", "train.py"], resources=None)
    launcher = text("Job", {"template": launch}, "batch/v1", name="launcher")

    job = check(f"{stateful('first', pod(command=sshd))}---\n{single}---\n{launcher}")

    assert fates(job, "lost") == ["spec.containers[0].image"]
    assert value(job, "workers.replicas") == 2


def test_a_grace_period_of_mlbatch_is_at_most_a_day() -> None:
    """The most that lifecycle.terminationGracePeriodSeconds may be, as for a pod."""
    settings = {"jobName": "bert", "containerImage": "registry.example.com/team/bert:v1", "numPods": 2,
                "numGpusPerPod": 8, "mainProgram": "train.py", "terminationGracePeriodSeconds": 100000}  # fmt: skip

    job = check(yaml.safe_dump(settings))

    assert value(job, "lifecycle.terminationGracePeriodSeconds") == 86400


def test_a_hostfile_and_replicas_that_disagree_are_named() -> None:
    config = yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hosts"},
                             "data": {"hostfile": "a-0.a slots=4\na-1.a slots=4\na-2.a slots=4\n"}})  # fmt: skip
    workers = text("StatefulSet", {"replicas": 2, "template": pod(command=["/usr/sbin/sshd", "-D"])}, "apps/v1")
    launch = pod(command=["deepspeed", "--hostfile=/h/hostfile", "train.py"], resources=None)
    source = f"{config}---\n{workers}---\n{text('Job', {'template': launch}, 'batch/v1', name='launcher')}"

    job = check(source)

    assert "hostfile" in fates(job, "lost")
    assert (value(job, "workers.replicas"), value(job, "workers.slots")) == (2, 4)


def test_pytorch_of_bitnami() -> None:
    source = """\
architecture: distributed
worldSize: 3
image: {registry: docker.io, repository: bitnamilegacy/pytorch, tag: 2.3.0}
entrypoint: {file: train.py, args: "--lr 1"}
cloneFilesFromGit: {enabled: true, repository: "https://git.example.com/a/b.git", revision: v1}
persistence: {enabled: true, existingClaim: data, mountPath: /data}
"""

    job = convert(source, "values.yaml", origin="bitnami-pytorch")

    assert value(job, "workers.replicas") == 3
    assert value(job, "code.git.repository") == "https://git.example.com/a/b.git"
    assert unaccounted(source, [job], "values.yaml") == []
    assert unexplained(job) == []


@pytest.mark.parametrize(
    ("line", "key", "expected"),
    [
        ("deepspeed --hostfile /job/hostfile train.py --lr 1", "training.args", ["--lr", "1"]),
        ("mpirun -np 4 --hostfile /job/hostfile python train.py", "launch.method", "openmpi"),
        ("cd /code && ./train.sh", "launch.command", ["bash", "-c", "cd /code && ./train.sh"]),
    ],
)
def test_deepspeed_of_bitnami(line: str, key: str, expected: object) -> None:
    """A line that starts the ranks becomes the training; the launcher runs any other."""
    source = yaml.safe_dump({
        "image": {"repository": "team/deepspeed", "tag": "v1"}, "fullnameOverride": "bert", "namespaceOverride": "nlp",
        "source": {"launchCommand": line}, "worker": {"replicaCount": 2, "slotsPerNode": 2}, "client": {},
    })  # fmt: skip

    job = convert(source, "values.yaml")

    assert value(job, key) == expected
    assert (value(job, "workers.replicas"), value(job, "workers.slots")) == (2, 2)
    assert unaccounted(source, [job], "values.yaml") == []
    assert unexplained(job) == []


def test_variables_that_dsgen_sets_are_not_set_again() -> None:
    """A program that no launcher starts, and that connects to nothing, needs no check of its world."""
    program = "import os\nprint(os.environ['PET_NODE_RANK'])\n"

    job = check(pytorchjob(pod(command=["python3", "-c", program])))

    assert value(job, "launch.command") == ["python3", "-c", program]
    assert value(job, "launch.expectWorld") is False


def test_appwrappers_and_lists_are_unwrapped() -> None:
    inner = yaml.safe_load(pytorchjob(pod()))
    wrapper = {"apiVersion": "workload.codeflare.dev/v1beta2", "kind": "AppWrapper", "metadata": {"name": "w"},
               "spec": {"components": [{"template": inner}]}}  # fmt: skip
    source = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [wrapper]}, sort_keys=False)

    assert value(check(f"---\n---\n{source}---\n"), "workers.replicas") == 2


def test_objects_beside_a_job_are_named() -> None:
    queue = yaml.safe_dump({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "LocalQueue", "metadata": {"name": "q"}})

    job = check(f"{queue}---\n{pytorchjob(pod())}")

    assert "metadata.name" in fates(job, "lost") + fates(job, "dropped")


def test_several_jobs_of_a_file() -> None:
    first, second = pytorchjob(pod()), pytorchjob(pod()).replace("name: bert", "name: other")

    jobs = import_jobs([SourceText("job.yaml", f"{first}---\n{second}")], Options())

    assert [job.name for job in jobs] == ["bert", "other"]
    assert unaccounted(f"{first}---\n{second}", jobs, "job.yaml") == []


def test_keys_that_are_given_twice_are_named() -> None:
    source = pytorchjob(pod()).replace("  namespace: nlp\n", "  namespace: nlp\n  namespace: other\n")

    job = convert(source, "job.yaml")

    (lost,) = [entry for entry in job.entries if entry.fate == "lost"]
    assert (lost.position.line, lost.source) == (6, "duplicate key")


def test_a_lock_for_rdma_is_that_of_dsgen() -> None:
    lock = {"capabilities": {"add": ["IPC_LOCK"]}}
    resources = {"limits": {"nvidia.com/gpu": 4, "rdma/ib": 1}}

    with_lock = check(pytorchjob(pod(securityContext=lock, resources=resources)))
    without = check(pytorchjob(pod(resources=resources)))

    assert (value(with_lock, "network.rdma.ipcLock"), value(with_lock, "workers.securityContext")) == (None, None)
    assert value(without, "network.rdma.ipcLock") == "omit"


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


@pytest.mark.parametrize("command", [["python", "deepy.py", "train.py", "conf.yml"], ["./launch.sh"]])
def test_a_launcher_that_starts_the_ranks_by_itself_runs_once(command: Sequence[str]) -> None:
    job = check(mpijob(command))

    assert "launcher-command" == value(job, "launch.method")
    assert command == value(job, "launch.command")
    assert None is value(job, "training.python")
