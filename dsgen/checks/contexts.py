"""Security contexts of pods, of dsgen's containers and of the user's containers, under the Pod Security Standards.

The names of the rules are those that the API server prints when it refuses a pod.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dsgen.checks.pods import CONTAINER_LOOPS, USER_CONTAINERS
from dsgen.checks.row import POD_ANNOTATIONS, ROLES, VALUES, Check, Shared, Shortcut, quote_text

BELOW_PRIVILEGED = 'if values.security.podSecurityLevel != "privileged"'
BASELINE = 'if values.security.podSecurityLevel == "baseline"'
RESTRICTED = 'if values.security.podSecurityLevel == "restricted"'
ELSEWHERE = "remove it, or set security.podSecurityLevel: privileged if the namespace allows that"
CAPABILITIES = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
    *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
"""What a container may add at baseline; at restricted, only NET_BIND_SERVICE."""
IPC_LOCK = "RDMA needs the capability IPC_LOCK, which only the Pod Security level privileged allows"
APP_ARMOR = "container[.]apparmor[.]security[.]beta[.]kubernetes[.]io/"
SELINUX_TYPES = "^(container_(t|init_t|kvm_t|engine_t))?$"
SYSCTLS = (
    "kernel.shm_rmid_forced",
    *("net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.tcp_syncookies"),
    *("net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time"),
    *("net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"),
)


class Context(NamedTuple):
    """A security context: the tags around its rows, which set `context`; its key; the beginning of its messages."""

    inside: tuple[str, ...]
    path: str
    words: str

    def make_row(
        self, id_: str, keys: str, when: str, what: str, rule: str, hint: str, *inside: str, helper: str = ""
    ) -> Check:
        """A row about one of its fields. helper: the key in HELPERS, for a row that is the same for other contexts."""
        where = f"{self.words}: Pod Security << values.security.podSecurityLevel >>"
        return Check(
            id=id_,
            path=f"{self.path}.{keys}",
            when=when,
            message=f"{where} forbids {what} ({rule})",
            hint=hint,
            inside=(BELOW_PRIVILEGED, *self.inside, *inside),
            shared=(Shared(where, 1 + len(self.inside), helper, HELPERS.get(helper, ""), ARGUMENTS),),
        )


HELPERS = {
    "context": "`context`, the security context of a pod or container",
    "container_context": "`context`, the security context of a container",
}
ARGUMENTS = (VALUES, ("context", "context"))


OWN = Context(
    (
        Shortcut(
            "if values.security.securityContext or values.workers.securityContext or values.launcher.securityContext"
        ),
        'for part in ["security", "workers", "launcher"]',
        'set context = values[part]["securityContext"]',
    ),
    "<< part >>.securityContext",
    "<< part >>.securityContext",
)
USERS = Context(
    (
        USER_CONTAINERS,
        *CONTAINER_LOOPS,
        "if container.name is string",
        'set context = get(container, "securityContext", {})',
    ),
    "<< role >>.<< kind >>[container].securityContext",
    "<< role >>.<< kind >>: << container.name | quote >>",
)
POD = Context(
    ("if values.security.podSecurityContext", "set context = values.security.podSecurityContext"),
    "security.podSecurityContext",
    "security.podSecurityContext",
)


def _read_field(*keys: str, default: str = '""') -> str:
    return f"get(context, {', '.join(map(quote_text, keys))}, {default})"


def _test_text(field: str, test: str) -> str:
    return f"{field} is string and {test}"


def _check_baseline(context: Context) -> Iterator[Check]:
    """Rules of baseline for pods and for containers."""
    seccomp, armor = _read_field("seccompProfile", "type"), _read_field("appArmorProfile", "type")
    type_, user, role = (_read_field("seLinuxOptions", key) for key in ("type", "user", "role"))
    selinux = _test_text(type_, f'not {type_} is matching("{SELINUX_TYPES}")')
    yield context.make_row(
        "DS327",
        "seccompProfile.type",
        _test_text(seccomp, f'{seccomp} == "Unconfined"'),
        "seccompProfile.type Unconfined",
        "seccompProfile",
        "use RuntimeDefault or Localhost",
        helper="context",
    )
    yield context.make_row(
        "DS329",
        "appArmorProfile.type",
        _test_text(armor, f'{armor} == "Unconfined"'),
        "appArmorProfile.type Unconfined",
        "forbidden AppArmor profile",
        "use RuntimeDefault or Localhost",
        helper="context",
    )
    yield context.make_row(
        "DS326",
        "seLinuxOptions",
        f"{selinux} or {user} or {role}",
        "seLinuxOptions",
        "seLinuxOptions",
        "remove user and role; use type container_t, container_init_t, container_kvm_t or container_engine_t",
        helper="context",
    )
    yield context.make_row(
        "DS330",
        "windowsOptions.hostProcess",
        _read_field("windowsOptions", "hostProcess", default="false"),
        "windowsOptions.hostProcess",
        "hostProcess",
        ELSEWHERE,
        helper="context",
    )


def _check_restricted(context: Context) -> Iterator[Check]:
    """Further rules of restricted for pods and for containers."""
    yield context.make_row(
        "DS333",
        "runAsNonRoot",
        f"not {_read_field('runAsNonRoot', default='true')}",
        "runAsNonRoot: false",
        "runAsNonRoot != true",
        "remove it, and set runAsUser if the user of the image is root",
        RESTRICTED,
        helper="context",
    )
    yield context.make_row(
        "DS334",
        "runAsUser",
        f"not {_read_field('runAsUser', default='1')}",
        "runAsUser: 0",
        "runAsUser=0",
        "use another user, such as 1000",
        RESTRICTED,
        helper="context",
    )


def _check_containers(context: Context) -> Iterator[Check]:
    """Rules for containers only. At restricted, dsgen sets in its own containers what users must set in theirs."""
    is_own = context is OWN
    mount = _read_field("procMount")
    dropped = _read_field("capabilities", "drop", default='["ALL"]' if is_own else "[]")
    yield context.make_row(
        "DS321",
        "privileged",
        _read_field("privileged", default="false"),
        "privileged: true",
        "privileged",
        ELSEWHERE,
        helper="container_context",
    )
    yield context.make_row(
        "DS325",
        "procMount",
        _test_text(mount, f'not {mount} in ["", "Default"]'),
        "procMount",
        "procMount",
        ELSEWHERE,
        helper="container_context",
    )
    yield context.make_row(
        "DS332",
        "allowPrivilegeEscalation",
        _read_field("allowPrivilegeEscalation", default="false" if is_own else "true"),
        "allowPrivilegeEscalation: true" if is_own else "containers without allowPrivilegeEscalation: false",
        "allowPrivilegeEscalation != false",
        "set it to false",
        RESTRICTED,
    )
    yield context.make_row(
        "DS335",
        "capabilities.drop",
        f'"ALL" not in {dropped}',
        "capabilities.drop without ALL",
        "unrestricted capabilities",
        "set capabilities: {drop: [ALL]}",
        RESTRICTED,
    )
    allowed = f"[{', '.join(map(quote_text, CAPABILITIES))}]"
    for level, is_other, rule in (
        (BASELINE, f"not capability in {allowed}", "non-default capabilities"),
        (RESTRICTED, 'capability != "NET_BIND_SERVICE"', "unrestricted capabilities"),
    ):
        yield context.make_row(
            "DS320",
            "capabilities.add",
            _test_text("capability", is_other),
            "the capability << capability | quote >>",
            rule,
            ELSEWHERE,
            level,
            f"for capability in {_read_field('capabilities', 'add', default='[]')}",
            helper="container_context",
        )


def _check_app_armor(path: str, *inside: str) -> Check:
    """Annotations of pods that disable AppArmor."""
    return Check(
        id="DS329",
        path=f"{path}.<< key >>",
        when=f'key is matching("^{APP_ARMOR}.*$") and not value is matching("^(runtime/default|localhost/.*)?$")',
        message=(
            f"{path}: << key | quote >>: Pod Security << values.security.podSecurityLevel >> forbids it"
            " (forbidden AppArmor profile)"
        ),
        hint="use runtime/default or localhost/PROFILE",
        inside=(BELOW_PRIVILEGED, *inside),
    )


ROWS = (
    Check(
        id="DS367",
        path="security.podSecurityLevel",
        when=" and ".join(
            f'not "{field}" in {context}'
            for context in (
                "values.security.podSecurityContext",
                "values.security.securityContext",
                "values.workers.securityContext",
            )
            for field in ("runAsUser", "runAsNonRoot")
        ),
        message=(
            "security.podSecurityLevel: at restricted without a uid, the kubelet refuses an image that runs as root"
        ),
        hint=(
            "set security.podSecurityContext: {runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000}; if the image has"
            " another user than root or the cluster assigns one, set runAsNonRoot: true instead"
        ),
        inside=(RESTRICTED,),
        severity="warning",
    ),
    *_check_baseline(POD),
    *_check_restricted(POD),
    POD.make_row(
        "DS328",
        "sysctls[sysctl].name",
        f"sysctl.name is string and not sysctl.name in [{', '.join(map(quote_text, SYSCTLS))}]",
        "the sysctl << sysctl.name | quote >>",
        "forbidden sysctls",
        ELSEWHERE,
        f"for sysctl in {_read_field('sysctls', default='[]')}",
    ),
    Check(
        id="DS337",
        path="security.podSecurityContext.sysctls[sysctl].name",
        when='sysctl.name is string and sysctl.name is matching("^net[.].*$")',
        message=(
            "security.podSecurityContext: with network.hostNetwork, the sysctl << sysctl.name | quote >> belongs to the"
            " node"
        ),
        hint="set it on the nodes instead, or remove network.hostNetwork",
        inside=(
            "if values.network.hostNetwork",
            'for sysctl in get(values.security.podSecurityContext, "sysctls", [])',
        ),
    ),
    *_check_baseline(OWN),
    *_check_restricted(OWN),
    *_check_containers(OWN),
    *_check_baseline(USERS),
    *_check_restricted(USERS),
    *_check_containers(USERS),
    Check(
        id="DS320",
        path="network.rdma.ipcLock",
        when='values.network.rdma.ipcLock == "add" and values.security.podSecurityLevel != "privileged"',
        message=f"network.rdma.ipcLock: {IPC_LOCK}",
        hint="set security.podSecurityLevel: privileged, or network.rdma.ipcLock: omit",
        inside=('if values.network.rdma.ipcLock != "auto"',),
    ),
    _check_app_armor("annotations", "for key, value in values.annotations | items"),
    _check_app_armor("<< role >>.podAnnotations", ROLES, POD_ANNOTATIONS),
)
