"""TensorBoard and metrics: their objects, who may access them, and their start; in manifests and chart."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.parity import dump
from tests.test_objects import documents, objects

JOB = {
    "name": "cifar",
    "namespace": "training",
    "image": {"repository": "registry.example.com/team/cifar", "tag": "v3", "pullSecrets": [{"name": "pull"}]},
    "training": {"python": "train.py"},
}
BOARD = {"enabled": True, "logDir": "/data/logs"}
LABELS = {"dsgen.dev/job": "cifar", "dsgen.dev/role": "tensorboard"}
KINDS = ("Deployment", "PodMonitor")


def rendered(board: Any = BOARD, **values: Any) -> dict[str, Any]:
    """Kind/name -> object of the job with TensorBoard and these values."""
    monitoring = {"tensorboard": board} | values.pop("monitoring", {})
    return objects(dump(JOB | {"monitoring": monitoring} | values))


def pod(board: Any = BOARD, **values: Any) -> Any:
    """The spec of TensorBoard's pod."""
    return rendered(board, **values)["Deployment/cifar-tensorboard"]["spec"]["template"]["spec"]


def container(board: Any = BOARD, **values: Any) -> Any:
    (only,) = pod(board, **values)["containers"]
    return only


def test_nothing_is_made_unasked() -> None:
    things = rendered({"logDir": "/data/logs"})

    assert [] == [name for name in things if name.startswith(KINDS) or "tensorboard" in name]
    assert 1 == len(things["NetworkPolicy/cifar-1"]["spec"]["ingress"])
    (ports,) = [item["ports"] for item in things["Job/cifar-1-worker"]["spec"]["template"]["spec"]["containers"]]
    assert ["ssh"] == [port["name"] for port in ports]


def test_it_belongs_to_the_job_and_no_new_run_touches_it() -> None:
    """One pod for all runs, byte for byte the same, that no selector of a run matches."""
    values = JOB | {"monitoring": {"tensorboard": BOARD, "podMonitor": {"enabled": True}}}
    first, second = (
        {document.template: document for document in documents(dump(values | {"run": {"id": run}}))}
        for run in ("1", "2")
    )
    made = [name for name in first if name.startswith("monitoring/")]

    assert 4 == len(made)
    assert {"name"} == {first[name].scope for name in made}
    assert [first[name].text for name in made] == [second[name].text for name in made]


def test_no_selector_of_a_run_matches_its_pod() -> None:
    things = rendered()
    deployment, service = things["Deployment/cifar-tensorboard"], things["Service/cifar-tensorboard"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]

    assert LABELS == labels == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    for selector in (
        things["Service/cifar-1"]["spec"]["selector"],
        things["NetworkPolicy/cifar-1"]["spec"]["podSelector"]["matchLabels"],
    ):
        assert not selector.items() <= labels.items()


def test_service_leads_to_the_container() -> None:
    """Whatever port the Service has, the container's needs no privilege."""
    (port,) = rendered(BOARD | {"port": 80})["Service/cifar-tensorboard"]["spec"]["ports"]
    (listens,) = container(BOARD | {"port": 80})["ports"]

    assert (80, listens["name"]) == (port["port"], port["targetPort"])
    assert f"--port={listens['containerPort']}" in container()["args"]
    assert listens["name"] == container()["readinessProbe"]["httpGet"]["port"]


@pytest.mark.parametrize("level", ["privileged", "baseline", "restricted"])
def test_it_has_no_token_and_no_privilege(level: str) -> None:
    """At every level; at `restricted` the pod also says what that level wants to read."""
    spec = pod(security={"podSecurityLevel": level})
    (main,) = spec["containers"]

    assert spec["automountServiceAccountToken"] is False
    assert {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    } == main["securityContext"]
    user = {"runAsNonRoot": True} if level == "restricted" else {}
    assert {**user, "seccompProfile": {"type": "RuntimeDefault"}} == spec["securityContext"]
    assert {"dsgen-run"} == {volume["name"] for volume in spec["volumes"]}


def test_it_runs_as_the_user_that_trains() -> None:
    """Who wrote the logs can read them; what else the user's containers may do is not TensorBoard's."""
    security = {
        "podSecurityContext": {"fsGroup": 7, "seccompProfile": None},
        "securityContext": {"runAsUser": 1, "runAsGroup": 2, "privileged": True},
    }
    spec = pod(security=security, workers={"securityContext": {"runAsUser": 3}, "serviceAccountName": "team"})
    context = spec["containers"][0]["securityContext"]

    assert ({"fsGroup": 7}, "team") == (spec["securityContext"], spec["serviceAccountName"])
    assert (3, 2, False) == (context["runAsUser"], context["runAsGroup"], "privileged" in context)


STORAGE = {
    "data": {"mountPath": "/data", "create": {}, "mountIn": "workers"},
    "rwop": {"mountPath": "/rwop", "create": {"accessModes": ["ReadWriteOncePod"]}, "mountIn": "workers"},
    "claim": {"mountPath": "/claim", "existingClaim": "mine", "subPath": "a/b", "mountIn": "workers"},
    "nfs": {"mountPath": "/nfs", "nfs": {"server": "s", "path": "/p"}, "readOnly": True},
    "host": {"mountPath": "/host", "hostPath": {"path": "/lustre"}},
    "bucket": {"mountPath": "/bucket", "csi": {"driver": "gcsfuse.csi.storage.gke.io"}},
    "scratch": {"mountPath": "/scratch", "emptyDir": {}},
    "own": {"mountPath": "/own", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
    "keys": {"mountPath": "/keys", "secret": {"secretName": "k"}},
    "all": {"mountPath": "/all", "projected": {"sources": []}},
    "text": {"mountPath": "/text", "configMap": {"name": "c"}},
    "unmounted": {"existingClaim": "u"},
    "other": {"mountPath": "/data", "existingClaim": "o", "mountIn": "launcher"},
}


def test_it_sees_what_the_workers_wrote() -> None:
    """Volumes that another pod can share, where the workers have them, read-only; no folder of one pod, no secret."""
    spec = pod(storage=STORAGE)
    mounts = {mount["name"]: mount for mount in spec["containers"][0]["volumeMounts"]}
    mounts.pop("dsgen-run")

    assert {
        "data": "/data",
        "claim": "/claim",
        "nfs": "/nfs",
        "host": "/host",
        "bucket": "/bucket",
    } == {name: mount["mountPath"] for name, mount in mounts.items()}
    assert all(mount["readOnly"] for mount in mounts.values())
    assert ("a/b", False) == (mounts["claim"]["subPath"], "subPath" in mounts["data"])
    assert {*mounts, "dsgen-run"} == {volume["name"] for volume in spec["volumes"]}
    assert {"claimName": "cifar-data"} == next(
        volume["persistentVolumeClaim"] for volume in spec["volumes"] if volume["name"] == "data"
    )


def test_image_resources_and_place() -> None:
    """The job's image or one of its own; nodes as the launcher's, also where the launcher is queued."""
    resources = {"requests": {"cpu": 1, "memory": "1Gi"}, "limits": {"memory": "1Gi"}}
    launcher = {"nodeSelector": {"pool": "cpu"}, "tolerations": [{"key": "cpu", "operator": "Exists"}]}
    scheduling = {"queue": "gpus", "launcherQueue": "small"}
    spec = pod(BOARD | {"image": "tools/board:1", "resources": resources}, launcher=launcher, scheduling=scheduling)
    (main,) = spec["containers"]

    assert "registry.example.com/team/cifar:v3" == container()["image"]
    assert ("tools/board:1", resources) == (main["image"], main["resources"])
    assert {"requests": {"cpu": "100m", "memory": "512Mi"}} == container()["resources"]
    assert [{"name": "pull"}] == spec["imagePullSecrets"]
    assert launcher == {key: spec[key] for key in launcher}


# -- how it starts ----------------------------------------------------------------------------------------------------


def start(folder: Path, board: Any, programs: dict[str, str], **training: Any) -> subprocess.CompletedProcess[str]:
    """Run the container's command where only these programs are (name -> text)."""
    main = container(board, training=JOB["training"] | training)
    for name, text in programs.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    environment = {entry["name"]: entry["value"].replace("$$", "$") for entry in main["env"]}
    arguments = [text.replace("$$", "$") for text in main["args"]]  # as the kubelet does
    return subprocess.run(
        ["/bin/sh", *main["command"][1:], *arguments],
        env={**environment, "PATH": str(folder), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )


def python(has_tensorboard: bool) -> str:
    """An interpreter that says how it is called, with or without the package."""
    answer = "0" if has_tensorboard else "1"
    return f'#!/bin/sh\nif [ "$1" = -c ]; then exit {answer}; fi\nprintf "%s|" "$0" "$@"\n'


EXECUTABLE = '#!/bin/sh\nprintf "%s|" "$0" "$@"\n'


@pytest.mark.parametrize(
    ("programs", "python_command", "expected"),
    [
        ({"python3": python(True)}, "python3", ["python3", "-m", "tensorboard.main"]),
        ({"python3": python(True), "tensorboard": EXECUTABLE}, "python3", ["python3", "-m", "tensorboard.main"]),
        ({"python3": python(False), "tensorboard": EXECUTABLE}, "python3", ["tensorboard"]),
        ({"tensorboard": EXECUTABLE}, "python3", ["tensorboard"]),
        ({"python3": python(True), "py": python(True)}, "py", ["py", "-m", "tensorboard.main"]),
        ({"python3": python(True), "py": python(False)}, "py", ["python3", "-m", "tensorboard.main"]),
        ({"python3": python(True)}, "/opt/none/python", ["python3", "-m", "tensorboard.main"]),
    ],
)
def test_it_is_found_as_package_or_program(
    programs: dict[str, str], python_command: str, expected: list[str], tmp_path: Path
) -> None:
    """In the training's interpreter, in another one, or as a program alone; and a folder's name arrives as written."""
    board = BOARD | {"logDir": "/data/it's $HOME $(A) *"}

    done = start(tmp_path, board, programs, pythonCommand=python_command)

    program = str(tmp_path / expected[0])
    options = ["--logdir=/data/it's $HOME $(A) *", "--host=0.0.0.0", "--port=6006"]
    assert (0, [program, *expected[1:], *options, ""]) == (done.returncode, done.stdout.split("|")), done.stderr


def test_an_image_without_it_says_so(tmp_path: Path) -> None:
    done = start(tmp_path, BOARD, {"python3": python(False)})

    assert (1, "") == (done.returncode, done.stdout)
    assert "monitoring.tensorboard.image" in done.stderr


# -- who may reach what -----------------------------------------------------------------------------------------------


def test_only_its_own_namespace_reaches_tensorboard() -> None:
    """It asks for no password. Without policies there is none for it either."""
    spec = rendered()["NetworkPolicy/cifar-tensorboard"]["spec"]

    assert {
        "podSelector": {"matchLabels": LABELS},
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [{"podSelector": {}}], "ports": [{"port": "http"}]}],
    } == spec
    assert [] == [name for name in rendered(network={"policy": False}) if name.startswith("NetworkPolicy/")]


@pytest.mark.parametrize(
    ("given", "namespace", "pods"),
    [
        ({}, {}, {"app.kubernetes.io/name": "prometheus"}),
        (
            {"app": "vmagent", "namespace": "monitoring"},
            {"kubernetes.io/metadata.name": "monitoring"},
            {"app.kubernetes.io/name": "vmagent"},
        ),
        ({"app": ""}, {}, {}),
    ],
)
def test_what_watches_reaches_the_metrics_and_nothing_else_of_a_run(
    given: dict[str, str], namespace: dict[str, str], pods: dict[str, str]
) -> None:
    things = rendered(monitoring={"podMonitor": {"enabled": True, "port": 9400, "scrapedBy": given}})
    run = {"dsgen.dev/job": "cifar", "dsgen.dev/run": "1"}
    watching = {"namespaceSelector": {"matchLabels": namespace}, "podSelector": {"matchLabels": pods}}

    assert [
        {"from": [{"podSelector": {"matchLabels": run}}]},
        {"from": [watching], "ports": [{"port": 9400}]},
    ] == things["NetworkPolicy/cifar-1"]["spec"]["ingress"]


@pytest.mark.parametrize("method", ["pdsh", "torchrun"])
def test_pod_monitor_finds_the_port_of_every_worker(method: str) -> None:
    """Of all runs, and of no other pod; the metrics carry the run and the worker's number."""
    values = {"podMonitor": {"enabled": True, "port": 9400, "path": "/m?x=1"}}
    things = rendered(monitoring=values, launch={"method": method})
    spec = things["PodMonitor/cifar"]["spec"]
    (endpoint,) = spec["podMetricsEndpoints"]
    worker, launcher = (things[f"Job/cifar-1-{role}"]["spec"]["template"] for role in ("worker", "launcher"))
    ports = {port["name"]: port["containerPort"] for port in worker["spec"]["containers"][0]["ports"]}
    wanted = spec["selector"]["matchLabels"].items()

    assert ({"port": "metrics", "path": "/m?x=1"}, 9400) == (endpoint, ports[endpoint["port"]])
    assert [True, False, False] == [
        wanted <= labels.items() for labels in (worker["metadata"]["labels"], launcher["metadata"]["labels"], LABELS)
    ]
    assert ["dsgen.dev/run", "batch.kubernetes.io/job-completion-index"] == spec["podTargetLabels"]


def test_metrics_on_the_network_of_the_node() -> None:
    """The port is the node's there, so the scheduler must know of it."""
    network, security = {"hostNetwork": True}, {"podSecurityLevel": "privileged"}
    things = rendered(monitoring={"podMonitor": {"enabled": True, "port": 9400}}, network=network, security=security)
    ports = things["Job/cifar-1-worker"]["spec"]["template"]["spec"]["containers"][0]["ports"]

    assert {"name": "metrics", "containerPort": 9400, "hostPort": 9400} in ports
