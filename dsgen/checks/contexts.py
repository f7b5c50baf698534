"""Security contexts under the Pod Security Standards: of the pods, of dsgen's containers, of containers of the user's.

The names of the rules are those that the API server prints when it refuses a pod.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsgen.checks.pods import CONTAINER_LOOPS, USER_CONTAINERS
from dsgen.checks.row import Check, quoted

BELOW_PRIVILEGED = 'values.security.podSecurityLevel != "privileged"'
BASELINE = 'values.security.podSecurityLevel == "baseline"'
RESTRICTED = 'values.security.podSecurityLevel == "restricted"'
ELSEWHERE = "remove it, or set security.podSecurityLevel: privileged where the namespace allows that"
CAPABILITIES = (
    "^(AUDIT_WRITE|CHOWN|DAC_OVERRIDE|FOWNER|FSETID|KILL|MKNOD|NET_BIND_SERVICE|SETFCAP|SETGID|SETPCAP|SETUID"
    "|SYS_CHROOT)$"
)
SELINUX_TYPES = "^(container_(t|init_t|kvm_t|engine_t))?$"
SYSCTLS = (
    "^(kernel[.]shm_rmid_forced|net[.]ipv4[.](ip_local_port_range|ip_unprivileged_port_start|tcp_syncookies"
    "|ping_group_range|ip_local_reserved_ports|tcp_keepalive_time|tcp_fin_timeout|tcp_keepalive_intvl"
    "|tcp_keepalive_probes))$"
)


@dataclass(frozen=True)
class Context:
    """A security context: how its fields are read, its key, how a message begins, and what must be there to look."""

    reading: str
    path: str
    words: str
    loops: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    when: str = ""

    def get(self, *keys: str, default: str) -> str:
        """The expression for one of its fields."""
        return f"get({self.reading}, {', '.join(map(quoted, keys))}, {default})"

    def row(self, id_: str, keys: str, when: str, what: str, rule: str, hint: str, *loops: str) -> Check:
        """A row about one of its fields."""
        conditions = " and ".join(part for part in (self.when, when) if part)
        message = f"{self.words}{what}: Pod Security << values.security.podSecurityLevel >> forbids it ({rule})"
        return Check(id_, f"{self.path}.{keys}", conditions, message, hint, (*self.loops, *loops), self.given)


OWN = Context(
    'values[part]["securityContext"]',
    "<< part >>.securityContext",
    "<< part >>.securityContext: ",
    ('part in ["security", "workers", "launcher"]',),
    ("security.securityContext", "workers.securityContext", "launcher.securityContext"),
)
USERS = Context(
    'container, "securityContext"',
    "<< role >>.<< kind >>[container].securityContext",
    "<< role >>.<< kind >>: << container.name | quote >> has ",
    CONTAINER_LOOPS,
    USER_CONTAINERS,
    "container.name is string",
)
POD = Context(
    "values.security.podSecurityContext",
    "security.podSecurityContext",
    "security.podSecurityContext: ",
    given=("security.podSecurityContext",),
)


def _is(expression: str, pattern: str) -> str:
    return f'{expression} is string and {expression} is matching("{pattern}")'


def _is_not(expression: str, pattern: str) -> str:
    return f'{expression} is string and not {expression} is matching("{pattern}")'


def _everywhere(context: Context) -> Iterator[Check]:
    """Rules for pods and for containers."""
    seccomp = context.get("seccompProfile", "type", default='""')
    armor = context.get("appArmorProfile", "type", default='""')
    selinux = [context.get("seLinuxOptions", key, default='""') for key in ("type", "user", "role")]
    yield context.row(
        "DS327",
        "seccompProfile.type",
        f"{BELOW_PRIVILEGED} and {_is(seccomp, '^Unconfined$')}",
        "seccompProfile.type Unconfined",
        "seccompProfile",
        "use RuntimeDefault or Localhost",
    )
    yield context.row(
        "DS329",
        "appArmorProfile.type",
        f"{BELOW_PRIVILEGED} and {_is(armor, '^Unconfined$')}",
        "appArmorProfile.type Unconfined",
        "forbidden AppArmor profile",
        "use RuntimeDefault or Localhost",
    )
    yield context.row(
        "DS326",
        "seLinuxOptions",
        f"{BELOW_PRIVILEGED} and ({_is_not(selinux[0], SELINUX_TYPES)} or {selinux[1]} or {selinux[2]})",
        "such seLinuxOptions",
        "seLinuxOptions",
        "no user and no role; type container_t, container_init_t, container_kvm_t or container_engine_t",
    )
    yield context.row(
        "DS330",
        "windowsOptions.hostProcess",
        f"{BELOW_PRIVILEGED} and {context.get('windowsOptions', 'hostProcess', default='false')}",
        "windowsOptions.hostProcess",
        "hostProcess",
        ELSEWHERE,
    )
    yield context.row(
        "DS333",
        "runAsNonRoot",
        f"{RESTRICTED} and not {context.get('runAsNonRoot', default='true')}",
        "runAsNonRoot: false",
        "runAsNonRoot != true",
        "remove it, and give runAsUser where the image has root as its user",
    )
    yield context.row(
        "DS334",
        "runAsUser",
        f"{RESTRICTED} and not {context.get('runAsUser', default='1')}",
        "runAsUser: 0",
        "runAsUser=0",
        "another user, such as 1000",
    )


def _of_containers(context: Context) -> Iterator[Check]:
    """Rules for containers alone. What a container of the user's lacks at restricted, dsgen gives to its own."""
    is_own = context is OWN
    escalates = context.get("allowPrivilegeEscalation", default="false" if is_own else "true")
    dropped = context.get("capabilities", "drop", default='["ALL"]' if is_own else "[]")
    yield context.row(
        "DS321",
        "privileged",
        f"{BELOW_PRIVILEGED} and {context.get('privileged', default='false')}",
        "privileged: true",
        "privileged",
        ELSEWHERE,
    )
    yield context.row(
        "DS325",
        "procMount",
        f"{BELOW_PRIVILEGED} and {_is_not(context.get('procMount', default=quoted('')), '^(Default)?$')}",
        "such a procMount",
        "procMount",
        ELSEWHERE,
    )
    yield context.row(
        "DS332",
        "allowPrivilegeEscalation",
        f"{RESTRICTED} and {escalates}",
        "allowPrivilegeEscalation: true" if is_own else "no allowPrivilegeEscalation: false",
        "allowPrivilegeEscalation != false",
        "set it to false",
    )
    yield context.row(
        "DS335",
        "capabilities.drop",
        f'{RESTRICTED} and "ALL" not in {dropped}',
        "capabilities.drop without ALL",
        "unrestricted capabilities",
        "capabilities: {drop: [ALL]}",
    )
    for level, pattern, rule in (
        (BASELINE, CAPABILITIES, "non-default capabilities"),
        (RESTRICTED, "^NET_BIND_SERVICE$", "unrestricted capabilities"),
    ):
        yield context.row(
            "DS320",
            "capabilities.add",
            f"{level} and {_is_not('capability', pattern)}",
            "the capability << capability | quote >>",
            rule,
            ELSEWHERE,
            f"capability in {context.get('capabilities', 'add', default='[]')}",
        )


ROWS = (
    *_everywhere(POD),
    POD.row(
        "DS328",
        "sysctls[sysctl].name",
        f"{BELOW_PRIVILEGED} and {_is_not('sysctl.name', SYSCTLS)} and sysctl.name is string",
        "the sysctl << sysctl.name | quote >>",
        "forbidden sysctls",
        ELSEWHERE,
        f"sysctl in {POD.get('sysctls', default='[]')}",
    ),
    Check(
        "DS337",
        "security.podSecurityContext.sysctls[sysctl].name",
        _is("sysctl.name", "^net[.].*$"),
        "security.podSecurityContext: the sysctl << sysctl.name | quote >> belongs to the node where workers use its"
        " network",
        "remove it and set it on the nodes, or leave out network.hostNetwork",
        (f"sysctl in {POD.get('sysctls', default='[]')}",),
        ("network.hostNetwork",),
    ),
    *_everywhere(OWN),
    *_of_containers(OWN),
    *_everywhere(USERS),
    *_of_containers(USERS),
)
