"""Security contexts, and the other rules of the Pod Security Standards: host namespaces and ports, volumes, probes.

The names of the rules are those that the API server prints when it refuses a pod.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from dsgen.checks.network import IPC_LOCK
from dsgen.checks.rule import CONTAINERS, Problem, Problems, Values, error, of_roles, warning
from dsgen.checks.storage import list_sources
from dsgen.generated import helpers
from dsgen.language.functions import get, matching
from dsgen.language.text import quote, to_plain_json
from dsgen.problems import KeyPath, path_text

USE_PRIVILEGED = "set security.podSecurityLevel: privileged if the namespace allows that"
ELSEWHERE = f"remove it, or {USE_PRIVILEGED}"
PROFILE = "use RuntimeDefault or Localhost"
NOT_ROOT = "remove it, and set runAsUser if the user of the image is root"
CAPABILITIES = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
    *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
"""What a container may add at baseline; at restricted, only NET_BIND_SERVICE."""
APP_ARMOR = "container[.]apparmor[.]security[.]beta[.]kubernetes[.]io/"
SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
SYSCTLS = (
    "kernel.shm_rmid_forced",
    *("net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.tcp_syncookies"),
    *("net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time"),
    *("net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"),
)
OWN = ("security.securityContext", *of_roles("securityContext"))
USERS = tuple(f"{place}.securityContext" for place in CONTAINERS)
OF_CONTAINERS = (*OWN, *USERS)
OF_ALL = ("security.podSecurityContext", *OF_CONTAINERS)


def _forbid(values: Values, where: str, what: str, path: KeyPath = ()) -> Problem:
    return Problem(f"{where}: Pod Security {values.security.podSecurityLevel} forbids {what}", path)


def _forbid_field(values: Values, path: KeyPath, item: Any, what: str, rule: str, *keys: str) -> Problem:
    """The problem that the level forbids a field of a security context. keys: further ones of the path."""
    is_users = len(path) > 2 and isinstance(path[2], int)
    where = f"{path_text(path[:2])}: {quote(item.name)}" if is_users else path_text(path)
    return _forbid(values, where, f"{what} ({rule})", (*path, *keys))


def is_restricted(values: Values) -> bool:
    """Whether the Pod Security level is restricted."""
    return bool(values.security.podSecurityLevel == "restricted")


def is_checked(values: Values) -> bool:
    """Whether the Pod Security level forbids anything."""
    return bool(values.security.podSecurityLevel != "privileged")


def _read(path: KeyPath, item: Any, *keys: Any) -> Any:
    """A field of a security context, which is `item` or in the user's container `item`; the last key is the default."""
    return get(item, *(("securityContext",) if isinstance(path[-2], int) else ()), *keys)


@warning(
    "DS367",
    "security.podSecurityLevel",
    hint="set security.podSecurityContext: {runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000}; if the image has"
    " another user than root or the cluster assigns one, set runAsNonRoot: true instead",
)
def warn_of_root(values: Values) -> Problems:
    security, workers = values.security, values.workers
    contexts = (security.podSecurityContext, security.securityContext, workers.securityContext)
    if is_restricted(values) and not any(key in one for one in contexts for key in ("runAsUser", "runAsNonRoot")):
        message = "at restricted without a uid, the kubelet refuses an image that runs as root"
        yield Problem(f"security.podSecurityLevel: {message}")


# -- pods and containers ----------------------------------------------------------------------------------------------

FORBIDDEN = (
    ("DS327", is_checked, OF_ALL, "seccompProfile.type", "Unconfined", "seccompProfile", PROFILE),
    ("DS329", is_checked, OF_ALL, "appArmorProfile.type", "Unconfined", "forbidden AppArmor profile", PROFILE),
    ("DS333", is_restricted, OF_ALL, "runAsNonRoot", False, "runAsNonRoot != true", NOT_ROOT),
    ("DS334", is_restricted, OF_ALL, "runAsUser", 0, "runAsUser=0", "use another user, such as 1000"),
    ("DS321", is_checked, OF_CONTAINERS, "privileged", True, "privileged", ELSEWHERE),
)
"""Rules for one value of a field: id, levels, places, field, value, name of the rule at the API server, hint."""


def _forbid_value(
    is_at: Callable[[Values], bool], key: str, value: Any, rule: str, values: Values, path: KeyPath, item: Any
) -> Problems:
    keys = key.split(".")
    if is_at(values) and _read(path, item, *keys, None) == value:
        what = f"{key} {value}" if isinstance(value, str) else f"{key}: {to_plain_json(value)}"
        yield _forbid_field(values, path, item, what, rule, *keys)


for _id, _is_at, _places, _key, _value, _rule, _hint in FORBIDDEN:
    error(_id, *_places, hint=_hint)(functools.partial(_forbid_value, _is_at, _key, _value, _rule))


@error("DS329", "annotations.*", *of_roles("podAnnotations.*"), hint="use runtime/default or localhost/PROFILE")
def forbid_no_app_armor_by_annotation(values: Values, path: KeyPath, value: Any) -> Problems:
    """Annotations of pods that disable AppArmor."""
    key = str(path[-1])
    is_profile = is_checked(values) and matching(key, f"^{APP_ARMOR}.*$")
    if is_profile and not matching(value, "^(runtime/default|localhost/.*)?$"):
        yield _forbid(values, f"{path_text(path[:-1])}: {quote(key)}", "it (forbidden AppArmor profile)")


@error(
    *("DS326", *OF_ALL),
    hint="remove user and role; use type container_t, container_init_t, container_kvm_t or container_engine_t",
)
def forbid_selinux(values: Values, path: KeyPath, item: Any) -> Problems:
    read = functools.partial(_read, path, item, "seLinuxOptions")
    is_usual = read("type", "") in SELINUX_TYPES or not isinstance(read("type", ""), str)
    if is_checked(values) and (not is_usual or read("user", "") or read("role", "")):
        yield _forbid_field(values, path, item, "seLinuxOptions", "seLinuxOptions", "seLinuxOptions")


@error("DS330", *OF_ALL, hint=ELSEWHERE)
def forbid_host_process(values: Values, path: KeyPath, item: Any) -> Problems:
    if is_checked(values) and _read(path, item, "windowsOptions", "hostProcess", False):
        what = "windowsOptions.hostProcess"
        yield _forbid_field(values, path, item, what, "hostProcess", "windowsOptions", "hostProcess")


# -- containers -------------------------------------------------------------------------------------------------------
# At restricted, dsgen sets in its own containers what users must set in theirs.


@error("DS325", *OF_CONTAINERS, hint=ELSEWHERE)
def forbid_proc_mount(values: Values, path: KeyPath, item: Any) -> Problems:
    mount = _read(path, item, "procMount", "")
    if is_checked(values) and isinstance(mount, str) and mount not in ("", "Default"):
        yield _forbid_field(values, path, item, "procMount", "procMount", "procMount")


@error("DS332", *OF_CONTAINERS, hint="set it to false")
def forbid_privilege_escalation(values: Values, path: KeyPath, item: Any) -> Problems:
    field, is_users = "allowPrivilegeEscalation", isinstance(path[-2], int)
    if is_restricted(values) and _read(path, item, field, is_users):
        what = f"containers without {field}: false" if is_users else f"{field}: true"
        yield _forbid_field(values, path, item, what, f"{field} != false", field)


@error("DS335", *OF_CONTAINERS, hint="set capabilities: {drop: [ALL]}")
def require_dropped_capabilities(values: Values, path: KeyPath, item: Any) -> Problems:
    dropped = _read(path, item, "capabilities", "drop", [] if isinstance(path[-2], int) else ["ALL"])
    if is_restricted(values) and "ALL" not in dropped:
        what, rule = "capabilities.drop without ALL", "unrestricted capabilities"
        yield _forbid_field(values, path, item, what, rule, "capabilities", "drop")


@error("DS320", *OF_CONTAINERS, hint=ELSEWHERE)
def forbid_capabilities(values: Values, path: KeyPath, item: Any) -> Problems:
    allowed = ("NET_BIND_SERVICE",) if is_restricted(values) else CAPABILITIES
    rule = "unrestricted capabilities" if is_restricted(values) else "non-default capabilities"
    for capability in _read(path, item, "capabilities", "add", []):
        if is_checked(values) and isinstance(capability, str) and capability not in allowed:
            what = f"the capability {quote(capability)}"
            yield _forbid_field(values, path, item, what, rule, "capabilities", "add")


@error(
    "DS320",
    "network.rdma.ipcLock",
    hint="set security.podSecurityLevel: privileged, or network.rdma.ipcLock: omit",
)
def forbid_locked_memory(values: Values) -> Problems:
    if values.network.rdma.ipcLock == "add" and is_checked(values):
        yield Problem(f"network.rdma.ipcLock: {IPC_LOCK}")


# -- sysctls ----------------------------------------------------------------------------------------------------------


@error("DS328", "security.podSecurityContext.sysctls.*.name", hint=ELSEWHERE)
def forbid_sysctls(values: Values, path: KeyPath, sysctl: Any) -> Problems:
    if is_checked(values) and isinstance(sysctl.name, str) and sysctl.name not in SYSCTLS:
        yield _forbid(values, path_text(path[:2]), f"the sysctl {quote(sysctl.name)} (forbidden sysctls)")


@error(
    "DS337",
    "security.podSecurityContext.sysctls.*.name",
    hint="set it on the nodes instead, or remove network.hostNetwork",
)
def refuse_sysctls_of_node(values: Values, _: KeyPath, sysctl: Any) -> Problems:
    if values.network.hostNetwork and isinstance(sysctl.name, str) and matching(sysctl.name, "^net[.].*$"):
        name = quote(sysctl.name)
        yield Problem(f"security.podSecurityContext: with network.hostNetwork, the sysctl {name} belongs to the node")


# -- accounts, namespaces, volumes and probes --------------------------------------------------------------------------


@error("DS322", "network.hostNetwork", hint=f"remove it, or {USE_PRIVILEGED}")
def forbid_host_network(values: Values) -> Problems:
    if is_checked(values) and values.network.hostNetwork:
        yield _forbid(values, "network.hostNetwork", "it (host namespaces)")


@error("DS322", *of_roles("extraPodSpec"), hint=ELSEWHERE, at_key=True)
def forbid_host_namespaces(values: Values, path: KeyPath, fields: Any) -> Problems:
    for field in ("hostPID", "hostIPC"):
        if is_checked(values) and fields.get(field):
            yield _forbid(values, path_text(path), f"{field} (host namespaces)", (*path, field))


@error("DS323", "storage.*.hostPath", hint=f"use another source, or {USE_PRIVILEGED}")
def forbid_host_path(values: Values, path: KeyPath, volume: Any) -> Problems:
    if is_checked(values) and list_sources(volume)[:1] == ["hostPath"]:
        yield _forbid(values, path_text(path), "it (hostPath volumes)")


@error("DS331", "storage.*.nfs", hint="use a claim: set create.persistentVolume.nfs, or existingClaim")
def forbid_nfs(values: Values, path: KeyPath, volume: Any) -> Problems:
    if is_restricted(values) and list_sources(volume)[:1] == ["nfs"]:
        yield _forbid(values, path_text(path), "it (restricted volume types)")


@error(
    *("DS324", *(f"{place}.ports.*.hostPort" for place in CONTAINERS)),
    hint="remove it: pods can reach each other without hostPort",
)
def forbid_host_ports(values: Values, path: KeyPath, port: Any) -> Problems:
    if is_checked(values) and port.hostPort:
        yield _forbid(values, path_text(path[:2]), "a hostPort (hostPort)")


@error("DS336", *CONTAINERS, *of_roles("extraContainerSpec"), hint="remove host: the default is the pod itself")
def forbid_hosts(values: Values, path: KeyPath, container: Any) -> Problems:
    """Probes and hooks of a container with a host."""
    probes = [(name,) for name in ("livenessProbe", "readinessProbe", "startupProbe")]
    for keys in (*probes, ("lifecycle", "postStart"), ("lifecycle", "preStop")):
        for action in ("httpGet", "tcpSocket"):
            if is_checked(values) and get(container, *keys, action, "host", ""):
                what = f"the host of {action} (probe or lifecycle host)"
                yield _forbid(values, f"{path_text(path[:2])}: {keys[-1]}", what, (*path, *keys, action, "host"))


@error(
    *("DS344", *of_roles("extraPodSpec")),
    hint="remove it; debuggers such as py-spy do not need it within one container",
    at_key=True,
)
def refuse_shared_processes(values: Values, path: KeyPath, _: Any) -> Problems:
    role = str(path[0])
    for field in ("hostPID", "shareProcessNamespace"):
        yield Problem(helpers.shared_processes(values, role, values[role], field), (*path, field))


IDENTITIES = {
    "serviceAccountToken": "set mountIn: workers and workers.serviceAccountName; for another service, set its audience",
    "podCertificate": "set mountIn: workers and workers.serviceAccountName, or another signer",
}
"""The sources of a projected volume with which the launcher pod proves to the API server who it is, and what to do."""


@error("DS374", *(f"storage.*.projected.sources.*.{kind}" for kind in IDENTITIES))
def refuse_identity(values: Values, path: KeyPath, source: Any) -> Problems:
    name, kind = str(path[1]), str(path[-1])
    message = helpers.api_identity(values, name, values.storage[name], source, kind)
    yield Problem(message, hint=IDENTITIES[kind])


# Templates refuse these, too: condition and message are their helpers.
error(
    "DS380", "serviceAccount", hint="set serviceAccount.name to one that only this job uses, or remove serviceAccount"
)(lambda values: helpers.default_account(values, values.release))
error(
    "DS380",
    "workers.serviceAccountName",
    hint="name one that no launcher pod uses; with none, the workers have the ServiceAccount default",
)(lambda values: helpers.account_of_launcher(values, values.release))
