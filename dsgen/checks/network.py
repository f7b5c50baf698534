"""Ports, interfaces, RDMA, ssh, the webhook and what is watched."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.launch import OWN_PORTS
from dsgen.checks.row import Check, Names, Place, found
from dsgen.schema.validate import Problem

IPC_LOCK = "IPC_LOCK, which memory for RDMA needs, is allowed by the level privileged only"
RDMA = ("network.rdma.resources",)
POD_MONITOR = ("monitoring.podMonitor.enabled",)
NATIVE = '["cpu", "memory", "ephemeral-storage", "pods"]'
MULTUS = "k8s.v1.cni.cncf.io/networks"
NON_ROOT = "workers_not_root(values)"
WEBHOOK = "values.status.webhook.url"
ADDRESS_IN_SECRET = "put the address into a Secret, under the key url, and name it in status.webhook.secretName"
# What dsgen/problems/redaction.py takes for a key in a path.
KEYED_SERVICE = (
    "^(?i:https?://([^/]*[.])?(hooks[.]slack[.]com|discord(app)?[.]com/api/webhooks|webhook[.]office[.]com"
    "|outlook[.]office(365)?[.]com/webhook|hooks[.]zapier[.]com|maker[.]ifttt[.]com/trigger|api[.]telegram[.]org"
    "|chat[.]googleapis[.]com)/.+)$"
)
RUN_IN_PATH = "^[A-Za-z]+://[^/]+/.*[A-Za-z0-9]{16}.*$"
DIGIT_IN_PATH = "^[A-Za-z]+://[^/]+/.*[0-9].*$"
UUID_IN_PATH = "^[A-Za-z]+://[^/]+/.*[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}.*$"
EPHEMERAL = ("emptyDir", "ephemeral", "configMap", "secret", "projected")


def _same_port(one: str, other: str, when: str = "") -> Check:
    condition = f"values.{one} == values.{other}"
    return Check(
        "DS242",
        one,
        f"{when} and {condition}" if when else condition,
        f"{one} and {other} are both << values.{one} >>",
        "give one of them another port",
        given=POD_MONITOR,
    )


def _twice(path: str) -> Check:
    return Check(
        "DS226",
        "network.rdma.resources.<< key >>",
        f"key in values.{path} and not key in {NATIVE}",
        f"network.rdma.resources: << key | quote >> is in {path} too",
        "keep one of them",
        ("for key, count in values.network.rdma.resources | items",),
        at_key=True,
    )


ROWS = (
    Check(
        "DS240",
        "ssh.secret.name",
        'values.ssh.secret.mode != "existing"',
        "ssh.secret.name names a Secret of yours, which only the mode existing uses",
        "set ssh.secret.mode: existing, or remove the name",
        given=("ssh.secret.name",),
    ),
    Check(
        "DS241",
        "ssh.secret.name",
        'values.ssh.secret.mode == "existing" and values.ssh.secret.name == job_name(values, release) ~ "-ssh"',
        "ssh.secret.name: << values.ssh.secret.name | quote >> is the name of the Secret that is filled in the cluster",
        "give your Secret another name",
        given=("ssh.secret.name",),
    ),
    Check(
        "DS243",
        "ssh.port",
        f"uses_ssh(values) and values.ssh.port < 1024 and {NON_ROOT}",
        "ssh.port: in many clusters only root can listen on << values.ssh.port >>, and the workers are not root",
        "use a port from 1024 on",
        given=OWN_PORTS,
        severity="warning",
    ),
    Check(
        "DS243",
        "launch.masterPort",
        f"values.launch.masterPort < 1024 and {NON_ROOT}",
        "launch.masterPort: in many clusters only root can listen on << values.launch.masterPort >>, and the workers"
        " are not root",
        "use a port from 1024 on",
        given=OWN_PORTS,
        severity="warning",
    ),
    Check(
        "DS244",
        "ssh.port",
        "uses_ssh(values) and values.ssh.port == 22",
        "ssh.port: with network.hostNetwork the node's own sshd has port 22",
        "use another port, such as 2222",
        given=("network.hostNetwork",),
    ),
    Check(
        "DS245",
        "network.policy",
        "values.network.policy",
        "network.policy: a NetworkPolicy does not bind pods with hostNetwork, so all that reaches the nodes reaches the"
        " workers",
        "set network.policy: false to say that you know it",
        given=("network.hostNetwork",),
        severity="warning",
    ),
    Check(
        "DS239",
        "network.socketInterface",
        "worker_pods(values) | int > 1 and not values.network.socketInterface and not values.training.setup"
        ' and not "GLOO_SOCKET_IFNAME" in values.training.env',
        "network.socketInterface: with network.hostNetwork Gloo takes the interface that the node's own name leads to,"
        " which on many nodes is the loopback",
        "name the interface that all nodes have, or export GLOO_SOCKET_IFNAME in training.setup",
        given=("network.hostNetwork",),
        severity="warning",
    ),
    Check(
        "DS227",
        "network.rdma.networks",
        "values.network.rdma.networks",
        "network.rdma.networks: pods with hostNetwork get no networks of their own",
        "keep one of networks and hostNetwork",
        given=("network.hostNetwork",),
    ),
    Check(
        "DS305",
        "network.hostNetwork",
        'values.scheduling.topology.required == "kubernetes.io/hostname" and worker_pods(values) | int > 1',
        "network.hostNetwork: each worker takes ports of its node, and scheduling.topology.required wants all on one",
        "keep one of them",
        given=("network.hostNetwork",),
    ),
    Check(
        "DS228",
        f'workers.podAnnotations.<< "{MULTUS}" >>',
        f'"{MULTUS}" in values.workers.podAnnotations',
        f'workers.podAnnotations: "{MULTUS}" is written from network.rdma.networks',
        "keep one of them",
        given=("network.rdma.networks",),
        at_key=True,
    ),
    Check(
        "DS226",
        "network.rdma.resources.<< key >>",
        f"key in {NATIVE}",
        "network.rdma.resources: << key | quote >> is no device",
        "name what a device plugin offers, such as rdma/hca_shared_devices_a; the rest is in workers.resources",
        ("for key, count in values.network.rdma.resources | items",),
        at_key=True,
    ),
    _twice("workers.resources.requests"),
    _twice("workers.resources.limits"),
    Check(
        "DS226",
        "network.rdma.resources.<< key >>",
        "key == values.workers.accelerator.resource",
        "network.rdma.resources: << key | quote >> is written from workers.accelerator",
        "keep one of them",
        ("for key, count in values.network.rdma.resources | items",),
        at_key=True,
    ),
    Check(
        "DS229",
        "network.rdma.ipcLock",
        'values.network.rdma.ipcLock == "auto" and values.security.podSecurityLevel != "privileged"'
        ' and (not "vpc.amazonaws.com/efa" in values.network.rdma.resources'
        " or values.network.rdma.resources | length > 1)",
        f"network.rdma.ipcLock: {IPC_LOCK}, so it is left out",
        "set security.podSecurityLevel: privileged, or ipcLock: omit where the nodes allow it without",
        given=RDMA,
        severity="warning",
    ),
    Check(
        "DS320",
        "network.rdma.ipcLock",
        'values.network.rdma.ipcLock == "add" and values.security.podSecurityLevel != "privileged"',
        f"network.rdma.ipcLock: {IPC_LOCK}",
        "set security.podSecurityLevel: privileged, or ipcLock: omit",
        given=('network.rdma.ipcLock != "auto"',),
    ),
    Check(
        "DS246",
        "status.webhook",
        "values.status.webhook.secretName",
        "status.webhook: url and secretName exclude one another",
        "keep secretName where the address itself is a secret",
        given=("status.webhook.url",),
    ),
    Check(
        "DS247",
        "status.webhook.url",
        f'{WEBHOOK} is matching("^[Hh][Tt][Tt][Pp]:.*$")',
        "status.webhook.url: the record goes over the network as plain text",
        "use https",
        given=("status.webhook.url",),
        severity="warning",
    ),
    Check(
        "DS248",
        "status.webhook.url",
        f'{WEBHOOK} is matching("^[A-Za-z]+://[^/]*@.*$")',
        "status.webhook.url holds a user name or a password, and the values are kept in Git",
        ADDRESS_IN_SECRET,
        given=("status.webhook.url",),
    ),
    Check(
        "DS360",
        "status.webhook.url",
        f'{WEBHOOK} is matching("^[^?]*[?].+$") or {WEBHOOK} is matching("{KEYED_SERVICE}")'
        f' or {WEBHOOK} is matching("{UUID_IN_PATH}")'
        f' or {WEBHOOK} is matching("{RUN_IN_PATH}") and {WEBHOOK} is matching("{DIGIT_IN_PATH}")',
        "status.webhook.url seems to hold a key, and whoever reads the values can post with it",
        ADDRESS_IN_SECRET,
        given=("status.webhook.url",),
        severity="warning",
    ),
    Check(
        "DS249",
        "ssh.user",
        f'values.ssh.user == "root" and {NON_ROOT}',
        "ssh.user: the workers are not root, so nobody can log in as root",
        "leave it out: the user of the container is used",
        given=("ssh.user",),
    ),
    _same_port("monitoring.podMonitor.port", "ssh.port", "uses_ssh(values)"),
    _same_port("monitoring.podMonitor.port", "launch.masterPort"),
    Check(
        "DS341",
        "monitoring.tensorboard.logDir",
        "not values.monitoring.tensorboard.logDir",
        "monitoring.tensorboard.logDir must be given",
        "the folder to which the training writes its events, on a volume of storage",
        given=("monitoring.tensorboard.enabled",),
    ),
)


def log_dir(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Problem]:
    """TensorBoard has a pod of its own, so it sees only what lies on a volume that others can mount."""
    board = values["monitoring"]["tensorboard"]
    if not board["enabled"] or not board["logDir"]:
        return
    folder, path = posixpath.normpath(board["logDir"]), ("monitoring", "tensorboard", "logDir")
    around = [
        (posixpath.normpath(volume["mountPath"]), name)
        for name, volume in values["storage"].items()
        if volume["mountPath"]
        and f"{folder}/".startswith(f"{posixpath.normpath(volume['mountPath'])}/")
        and volume["mountIn"] != "launcher"
    ]
    if not around:
        message = f"monitoring.tensorboard.logDir: {folder} is on no volume of storage"
        yield found("DS342", path, message, "write the events to a volume that outlives the pods", place)
        return
    name = max(around)[1]
    volume = values["storage"][name]
    is_for_one = "ReadWriteOncePod" in volume.get("create", {}).get("accessModes", ())
    if is_for_one or any(source in volume for source in EPHEMERAL):
        message = f"monitoring.tensorboard.logDir: {folder} is on storage.{name}, which no other pod can share"
        yield found("DS342", path, message, "write the events to a volume that outlives the pods", place)


FUNCTIONS = (log_dir,)
