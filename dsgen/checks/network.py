"""Ports, interfaces, RDMA, ssh, the webhook, and monitoring."""

from __future__ import annotations

import posixpath
from typing import Any

from dsgen.checks.rule import Problem, Problems, Values, error, warning
from dsgen.generated import helpers
from dsgen.language.functions import get, matching
from dsgen.language.text import quote, scalar
from dsgen.problems import KeyPath, path_text

NATIVE = ("cpu", "memory", "ephemeral-storage", "pods")
MULTUS = "k8s.v1.cni.cncf.io/networks"
IPC_LOCK = "RDMA needs the capability IPC_LOCK, which only the Pod Security level privileged allows"
RDMA_DEVICE = (
    "^(rdma/.*|mellanox[.]com/.*|nvidia[.]com/(hostdev|mlnx|res|rdma|ib|sriov|roce).*"
    "|openshift[.]io/(mlnx|mellanox|sriov|rdma|ib).*)$"
)
"""Resources of the device plugins for RDMA, but for EFA, whose driver needs no IPC_LOCK."""
EPHEMERAL = ("emptyDir", "ephemeral", "configMap", "secret", "projected")

# -- ssh and ports ----------------------------------------------------------------------------------------------------


def _is_never_root(values: Values) -> bool:
    return bool(helpers.is_never_root(values, values.workers))


@error("DS240", "ssh.secret.name", hint="set ssh.secret.mode: existing, or remove the name")
def refuse_unused_secret(values: Values) -> Problems:
    if values.ssh.secret.name and values.ssh.secret.mode != "existing":
        yield Problem("ssh.secret.name is used only with ssh.secret.mode: existing")


@error("DS249", "ssh.user", hint="remove it: the default is the user of the container")
def refuse_root(values: Values) -> Problems:
    if values.ssh.user == "root" and _is_never_root(values):
        yield Problem("ssh.user: the workers do not run as root, so nobody can log in as root")


@warning("DS243", "ssh.port", "launch.masterPort", hint="use port 1024 or higher")
def warn_of_low_ports(values: Values, path: KeyPath, port: int) -> Problems:
    if port < 1024 and (path[0] != "ssh" or helpers.uses_ssh(values)) and _is_never_root(values):
        yield Problem(
            f"{path_text(path)}: the workers do not run as root, and in many clusters only root can listen on port"
            f" {scalar(port)}"
        )


PORTS = ("monitoring.podMonitor.port", "workers.readinessPort", "launch.masterPort", "ssh.port")


@error("DS242", *PORTS[:-1], hint="change one of them")
def refuse_same_ports(values: Values, path: KeyPath, _: Any) -> Problems:
    port = path_text(path)
    for other in PORTS[PORTS.index(port) + 1 :]:
        yield Problem(helpers.same_port(values, port, other))


# -- the network of the node, interfaces and RDMA ---------------------------------------------------------------------


@warning("DS245", "network.policy", hint="set network.policy: false, and protect the nodes by other means")
def warn_of_policy(values: Values) -> Problems:
    if values.network.hostNetwork and values.network.policy:
        yield Problem(
            "network.policy: a NetworkPolicy does not apply to pods with hostNetwork, so everything that can reach the"
            " nodes can reach the workers"
        )


@warning(
    "DS239",
    "network.socketInterface",
    hint="set it to an interface that all nodes have, or export GLOO_SOCKET_IFNAME in training.setup",
)
def warn_of_loopback(values: Values) -> Problems:
    network, training = values.network, values.training
    if not network.hostNetwork or int(helpers.worker_pods(values)) <= 1:
        return
    has_own = "GLOO_SOCKET_IFNAME" in training.env or "GLOO_SOCKET_IFNAME=" in training.setup
    if not network.socketInterface and not has_own:
        yield Problem(
            "network.socketInterface: with network.hostNetwork, Gloo uses the interface to which the name of the node"
            " resolves, which is the loopback interface on many nodes"
        )


@error("DS227", "network.rdma.networks", hint="remove network.rdma.networks or network.hostNetwork")
def refuse_networks_of_node(values: Values) -> Problems:
    if values.network.hostNetwork and values.network.rdma.networks:
        yield Problem("network.rdma.networks: Multus adds no networks to pods with hostNetwork")


@error("DS228", "workers.podAnnotations", hint="remove the annotation, or network.rdma.networks", at_key=True)
def refuse_networks_twice(values: Values) -> Problems:
    if values.network.rdma.networks and MULTUS in values.workers.podAnnotations:
        message = f'workers.podAnnotations: "{MULTUS}" is written by dsgen from network.rdma.networks'
        yield Problem(message, ("workers", "podAnnotations", MULTUS))


@error("DS226", "network.rdma.resources.*", at_key=True)
def check_rdma_resources(values: Values, path: KeyPath, _: Any) -> Problems:
    key, where = str(path[-1]), f"network.rdma.resources: {quote(path[-1])}"
    resources = values.workers.resources
    if key in NATIVE:
        hint = "use a resource of a device plugin, such as rdma/hca_shared_devices_a; set others in workers.resources"
        yield Problem(f"{where} is not a device", hint=hint)
    if key == values.workers.accelerator.resource:
        hint = "remove it here; workers.accelerator.count is the number of these devices"
        yield Problem(f"{where} is written by dsgen from workers.accelerator", hint=hint)
    for kind in ("requests", "limits"):
        if key in resources[kind] and key not in NATIVE:
            yield Problem(f"{where} is also in workers.resources.{kind}", hint="keep one of them")


@warning(
    "DS229",
    "network.rdma.ipcLock",
    hint="set security.podSecurityLevel: privileged, or network.rdma.ipcLock: omit if the limits of the nodes are"
    " high enough",
)
def warn_of_missing_capability(values: Values) -> Problems:
    rdma = values.network.rdma
    if not rdma.resources or rdma.ipcLock != "auto" or values.security.podSecurityLevel == "privileged":
        return
    if "vpc.amazonaws.com/efa" not in rdma.resources or len(rdma.resources) > 1:
        yield Problem(f"network.rdma.ipcLock: {IPC_LOCK}, so dsgen does not add it")


@warning(
    "DS390",
    "workers.resources.limits.*",
    hint="move it to network.rdma.resources, which also adds the capability IPC_LOCK",
    at_key=True,
)
def warn_of_rdma_in_limits(values: Values, path: KeyPath, _: Any) -> Problems:
    key = str(path[-1])
    if not matching(key, RDMA_DEVICE) or key in values.network.rdma.resources:
        return
    if "IPC_LOCK" not in get(values.workers.securityContext, "capabilities", "add", []):
        yield Problem(
            f"workers.resources.limits: {quote(key)} is an RDMA device, but without network.rdma the workers may not"
            " lock the memory that RDMA needs"
        )


@warning(
    "DS391",
    "network.rdma.networks",
    hint="set network.rdma.resources to the resource of the network attachment, unless an injector of the cluster"
    " adds it",
)
def warn_of_networks_alone(values: Values) -> Problems:
    network = values.network
    is_alone = not network.socketInterface and not network.hostNetwork and not network.rdma.resources
    if network.rdma.networks and is_alone:
        yield Problem("network.rdma.networks: the workers get networks, but no RDMA device")


@warning(
    "DS392",
    "training.env.NCCL_SOCKET_IFNAME",
    hint="keep one of them; for Gloo alone, set training.env.GLOO_SOCKET_IFNAME",
)
def warn_of_two_interfaces(values: Values) -> Problems:
    interface, value = values.network.socketInterface, values.training.env.NCCL_SOCKET_IFNAME
    if interface and isinstance(value, str) and value != interface:
        yield Problem(
            f"training.env.NCCL_SOCKET_IFNAME is {quote(value)} and replaces network.socketInterface"
            f" {quote(interface)}, which only Gloo uses then"
        )


# -- the webhook and monitoring ---------------------------------------------------------------------------------------


@error("DS246", "status.webhook", hint="keep secretName if the address itself is secret")
def refuse_two_addresses(values: Values) -> Problems:
    if values.status.webhook.url and values.status.webhook.secretName:
        yield Problem("status.webhook: url and secretName are mutually exclusive")


@warning("DS247", "status.webhook.url", hint="use an https address")
def warn_of_unencrypted_record(values: Values) -> Problems:
    if matching(values.status.webhook.url, "^[Hh][Tt][Tt][Pp]:.*$"):
        yield Problem("status.webhook.url: the record would be sent unencrypted")


@error(
    "DS341",
    "monitoring.tensorboard.logDir",
    hint="set it to the folder to which the training writes its events, on a volume of storage",
)
def require_log_dir(values: Values) -> Problems:
    if values.monitoring.tensorboard.enabled and not values.monitoring.tensorboard.logDir:
        yield Problem("monitoring.tensorboard.logDir is required")


@error(
    "DS342",
    "monitoring.tensorboard.logDir",
    hint="write the events to a volume that several pods can mount, such as a claim",
)
def check_log_dir(values: Values) -> Problems:
    """TensorBoard runs in its own pod and can only read volumes that several pods can mount."""
    board, storage = values.monitoring.tensorboard, values.storage
    if not board.enabled or not board.logDir:
        return
    values.require(("storage",))
    folder = posixpath.normpath(board.logDir)
    mounted = {name: posixpath.normpath(one.mountPath) for name, one in storage.items() if one.mountPath}
    around = [
        (where, name)
        for name, where in mounted.items()
        if f"{folder}/".startswith(f"{where}/") and storage[name].mountIn != "launcher"
    ]
    if not around:
        yield Problem(f"monitoring.tensorboard.logDir: {folder} is not on a volume of storage")
        return
    name = max(around)[1]
    is_for_one = "ReadWriteOncePod" in storage[name].get("create", {}).get("accessModes", ())
    if is_for_one or any(source in storage[name] for source in EPHEMERAL):
        yield Problem(f"monitoring.tensorboard.logDir: {folder} is on storage.{name}, which other pods cannot mount")


# Templates refuse these, too: condition and message are their helpers.
error("DS241", "ssh.secret.name", hint="give your Secret another name")(
    lambda values: helpers.secret_of_job(values, values.release)
)
error("DS244", "ssh.port", hint="use another port, such as 2222")(helpers.port_of_node)
