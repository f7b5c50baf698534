"""Ports, interfaces, RDMA, ssh, the webhook, and monitoring."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.contexts import IPC_LOCK
from dsgen.checks.row import Check, Function, Names, Place, make_diagnostic
from dsgen.problems import Diagnostic

OWN_PORTS = ("if values.ssh.port != 2222 or values.launch.masterPort != 29500",)
RDMA = ("if values.network.rdma.resources",)
POD_MONITOR = ("if values.monitoring.podMonitor.enabled",)
NATIVE = '["cpu", "memory", "ephemeral-storage", "pods"]'
MULTUS = "k8s.v1.cni.cncf.io/networks"
NON_ROOT, WEBHOOK = "is_never_root(values, values.workers)", "values.status.webhook.url"
RDMA_DEVICE = (
    "^(rdma/.*|mellanox[.]com/.*|nvidia[.]com/(hostdev|mlnx|res|rdma|ib|sriov|roce).*"
    "|openshift[.]io/(mlnx|mellanox|sriov|rdma|ib).*)$"
)
"""Resources of the device plugins for RDMA, but for EFA, whose driver needs no IPC_LOCK."""
EPHEMERAL = ("emptyDir", "ephemeral", "configMap", "secret", "projected")


def _warn_of_low_port(port: str, when: str = "") -> Check:
    return Check(
        id="DS243",
        path=port,
        when=f"{when}values.{port} < 1024 and {NON_ROOT}",
        message=(
            f"{port}: the workers do not run as root, and in many clusters only root can listen on"
            f" port << values.{port} >>"
        ),
        hint="use port 1024 or higher",
        inside=OWN_PORTS,
        severity="warning",
    )


def _refuse_same_port(one: str, other: str, when: str = "", inside: tuple[str, ...] = POD_MONITOR) -> Check:
    condition = f"values.{one} == values.{other}"
    return Check(
        id="DS242",
        path=one,
        when=f"{when} and {condition}" if when else condition,
        message=f"{one} and {other} are both << values.{one} >>",
        hint="change one of them",
        inside=inside,
    )


def _refuse_repeated_resource(path: str) -> Check:
    return Check(
        id="DS226",
        path="network.rdma.resources.<< key >>",
        when=f"key in values.{path} and not key in {NATIVE}",
        message=f"network.rdma.resources: << key | quote >> is also in {path}",
        hint="keep one of them",
        inside=("for key, count in values.network.rdma.resources | items",),
        at_key=True,
    )


ROWS = (
    Check(
        id="DS240",
        path="ssh.secret.name",
        when='values.ssh.secret.mode != "existing"',
        message="ssh.secret.name is used only with ssh.secret.mode: existing",
        hint="set ssh.secret.mode: existing, or remove the name",
        inside=("if values.ssh.secret.name",),
    ),
    Check(
        id="DS241",
        path="ssh.secret.name",
        when='values.ssh.secret.mode == "existing" and values.ssh.secret.name == job_name(values, release) ~ "-ssh"',
        message=(
            "ssh.secret.name: << values.ssh.secret.name | quote >> is the name that dsgen gives to the Secret of"
            " the job"
        ),
        hint="give your Secret another name",
        inside=("if values.ssh.secret.name",),
    ),
    _warn_of_low_port("ssh.port", "uses_ssh(values) and "),
    _warn_of_low_port("launch.masterPort"),
    Check(
        id="DS244",
        path="ssh.port",
        when="uses_ssh(values) and values.ssh.port == 22",
        message="ssh.port: with network.hostNetwork, port 22 belongs to the node's own sshd",
        hint="use another port, such as 2222",
        inside=("if values.network.hostNetwork",),
    ),
    Check(
        id="DS245",
        path="network.policy",
        when="values.network.policy",
        message=(
            "network.policy: a NetworkPolicy does not apply to pods with hostNetwork, so everything that can reach the"
            " nodes can reach the workers"
        ),
        hint="set network.policy: false, and protect the nodes by other means",
        inside=("if values.network.hostNetwork",),
        severity="warning",
    ),
    Check(
        id="DS239",
        path="network.socketInterface",
        when=(
            "worker_pods(values) | int > 1 and not values.network.socketInterface and not values.training.setup"
            ' and not "GLOO_SOCKET_IFNAME" in values.training.env'
        ),
        message=(
            "network.socketInterface: with network.hostNetwork, Gloo uses the interface to which the name of the node"
            " resolves, which is the loopback interface on many nodes"
        ),
        hint="set it to an interface that all nodes have, or export GLOO_SOCKET_IFNAME in training.setup",
        inside=("if values.network.hostNetwork",),
        severity="warning",
    ),
    Check(
        id="DS227",
        path="network.rdma.networks",
        when="values.network.rdma.networks",
        message="network.rdma.networks: Multus adds no networks to pods with hostNetwork",
        hint="remove network.rdma.networks or network.hostNetwork",
        inside=("if values.network.hostNetwork",),
    ),
    Check(
        id="DS228",
        path=f'workers.podAnnotations.<< "{MULTUS}" >>',
        when=f'"{MULTUS}" in values.workers.podAnnotations',
        message=f'workers.podAnnotations: "{MULTUS}" is written by dsgen from network.rdma.networks',
        hint="remove the annotation, or network.rdma.networks",
        inside=("if values.network.rdma.networks",),
        at_key=True,
    ),
    Check(
        id="DS226",
        path="network.rdma.resources.<< key >>",
        when=f"key in {NATIVE}",
        message="network.rdma.resources: << key | quote >> is not a device",
        hint="use a resource of a device plugin, such as rdma/hca_shared_devices_a; set others in workers.resources",
        inside=("for key, count in values.network.rdma.resources | items",),
        at_key=True,
    ),
    _refuse_repeated_resource("workers.resources.requests"),
    _refuse_repeated_resource("workers.resources.limits"),
    Check(
        id="DS226",
        path="network.rdma.resources.<< key >>",
        when="key == values.workers.accelerator.resource",
        message="network.rdma.resources: << key | quote >> is written by dsgen from workers.accelerator",
        hint="remove it here; workers.accelerator.count is the number of these devices",
        inside=("for key, count in values.network.rdma.resources | items",),
        at_key=True,
    ),
    Check(
        id="DS229",
        path="network.rdma.ipcLock",
        when=(
            'values.network.rdma.ipcLock == "auto" and values.security.podSecurityLevel != "privileged"'
            ' and (not "vpc.amazonaws.com/efa" in values.network.rdma.resources'
            " or values.network.rdma.resources | length > 1)"
        ),
        message=f"network.rdma.ipcLock: {IPC_LOCK}, so dsgen does not add it",
        hint=(
            "set security.podSecurityLevel: privileged, or network.rdma.ipcLock: omit if the limits of the nodes are"
            " high enough"
        ),
        inside=RDMA,
        severity="warning",
    ),
    Check(
        id="DS246",
        path="status.webhook",
        when="values.status.webhook.secretName",
        message="status.webhook: url and secretName are mutually exclusive",
        hint="keep secretName if the address itself is secret",
        inside=("if values.status.webhook.url",),
    ),
    Check(
        id="DS247",
        path="status.webhook.url",
        when=f'{WEBHOOK} is matching("^[Hh][Tt][Tt][Pp]:.*$")',
        message="status.webhook.url: the record would be sent unencrypted",
        hint="use an https address",
        inside=(f"if {WEBHOOK}",),
        severity="warning",
    ),
    Check(
        id="DS249",
        path="ssh.user",
        when=f'values.ssh.user == "root" and {NON_ROOT}',
        message="ssh.user: the workers do not run as root, so nobody can log in as root",
        hint="remove it: the default is the user of the container",
        inside=("if values.ssh.user",),
    ),
    _refuse_same_port("monitoring.podMonitor.port", "ssh.port", "uses_ssh(values)"),
    _refuse_same_port("monitoring.podMonitor.port", "launch.masterPort"),
    _refuse_same_port("monitoring.podMonitor.port", "workers.readinessPort"),
    _refuse_same_port("workers.readinessPort", "ssh.port", "uses_ssh(values)", inside=()),
    _refuse_same_port("workers.readinessPort", "launch.masterPort", inside=()),
    Check(
        id="DS341",
        path="monitoring.tensorboard.logDir",
        when="not values.monitoring.tensorboard.logDir",
        message="monitoring.tensorboard.logDir is required",
        hint="set it to the folder to which the training writes its events, on a volume of storage",
        inside=("if values.monitoring.tensorboard.enabled",),
    ),
    Check(
        id="DS242",
        path="launch.masterPort",
        when="uses_ssh(values) and values.launch.masterPort == values.ssh.port",
        message="launch.masterPort and ssh.port are both << values.ssh.port >>",
        hint="change one of them",
        inside=OWN_PORTS,
    ),
    Check(
        id="DS390",
        path="workers.resources.limits.<< key >>",
        when=(
            f'key is matching("{RDMA_DEVICE}")'
            " and not key in values.network.rdma.resources"
            ' and not "IPC_LOCK" in get(values.workers.securityContext, "capabilities", "add", [])'
        ),
        message=(
            "workers.resources.limits: << key | quote >> is an RDMA device, but without network.rdma the workers may"
            " not lock the memory that RDMA needs"
        ),
        hint="move it to network.rdma.resources, which also adds the capability IPC_LOCK",
        inside=("for key, quantity in values.workers.resources.limits | items",),
        severity="warning",
        at_key=True,
    ),
    Check(
        id="DS391",
        path="network.rdma.networks",
        when="not values.network.rdma.resources",
        message="network.rdma.networks: the workers get networks, but no RDMA device",
        hint=(
            "set network.rdma.resources to the resource of the network attachment, unless an injector of the cluster"
            " adds it"
        ),
        inside=(
            "if values.network.rdma.networks",
            "if not values.network.socketInterface",
            "if not values.network.hostNetwork",
        ),
        severity="warning",
    ),
    Check(
        id="DS392",
        path="training.env.NCCL_SOCKET_IFNAME",
        when="value is string and value != values.network.socketInterface",
        message=(
            "training.env.NCCL_SOCKET_IFNAME is << value | quote >> and replaces network.socketInterface"
            " << values.network.socketInterface | quote >>, which only Gloo uses then"
        ),
        hint="keep one of them; for Gloo alone, set training.env.GLOO_SOCKET_IFNAME",
        inside=(
            "if values.network.socketInterface",
            'if "NCCL_SOCKET_IFNAME" in values.training.env',
            'set value = values.training.env["NCCL_SOCKET_IFNAME"]',
        ),
        severity="warning",
    ),
)


def check_log_dir(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """TensorBoard runs in its own pod and can only read volumes that several pods can mount."""
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
        message = f"monitoring.tensorboard.logDir: {folder} is not on a volume of storage"
        yield make_diagnostic(
            ("DS342"), path, message, "write the events to a volume that several pods can mount, such as a claim", place
        )
        return
    name = max(around)[1]
    volume = values["storage"][name]
    is_for_one = "ReadWriteOncePod" in volume.get("create", {}).get("accessModes", ())
    if is_for_one or any(source in volume for source in EPHEMERAL):
        message = f"monitoring.tensorboard.logDir: {folder} is on storage.{name}, which other pods cannot mount"
        yield make_diagnostic(
            ("DS342"), path, message, "write the events to a volume that several pods can mount, such as a claim", place
        )


FUNCTIONS = (Function(check_log_dir, {"DS342": (("storage",),)}),)
