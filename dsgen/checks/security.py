"""What else the Pod Security Standards forbid: namespaces and ports of the host, volumes, probes, annotations."""

from __future__ import annotations

from dsgen.checks.contexts import BELOW_PRIVILEGED, ELSEWHERE, RESTRICTED
from dsgen.checks.pods import CONTAINER_LOOPS, USER_CONTAINERS
from dsgen.checks.row import POD_ANNOTATIONS, ROLES, VOLUMES, Check

APP_ARMOR = "container[.]apparmor[.]security[.]beta[.]kubernetes[.]io/"
PROBES = 'for probe in ["livenessProbe", "readinessProbe", "startupProbe"]'
HOOKS = 'for hook in ["postStart", "preStop"]'
ACTIONS = 'for action in ["httpGet", "tcpSocket"]'


def _of_extra(field: str) -> Check:
    return Check(
        "DS322",
        f"<< role >>.extraPodSpec.{field}",
        f'get(values[role]["extraPodSpec"], "{field}", false)',
        f"<< role >>.extraPodSpec: {field}: Pod Security << values.security.podSecurityLevel >> forbids it"
        " (host namespaces)",
        ELSEWHERE,
        (ROLES,),
        (BELOW_PRIVILEGED, "workers.extraPodSpec or launcher.extraPodSpec"),
        at_key=True,
    )


def _host(reading: str, path: str, words: str, outer: tuple[str, ...], given: str) -> Check:
    """Probes and hooks that go to another host; `reading` leads to the probe or hook."""
    return Check(
        "DS336",
        f"{path}.<< action >>.host",
        f'get({reading}, action, "host", "")',
        f"{words}: Pod Security << values.security.podSecurityLevel >> forbids the host of << action >>"
        " (probe or lifecycle host)",
        "leave host out: the pod itself is asked",
        (*outer, ACTIONS),
        (BELOW_PRIVILEGED, given),
    )


EXTRAS = "workers.extraContainerSpec or launcher.extraContainerSpec"
ROWS = (
    Check(
        "DS322",
        "network.hostNetwork",
        "",
        "network.hostNetwork: Pod Security << values.security.podSecurityLevel >> forbids it (host namespaces)",
        "set security.podSecurityLevel: privileged, and the namespace's label too",
        given=(BELOW_PRIVILEGED, "network.hostNetwork"),
    ),
    Check(
        "DS323",
        "storage.<< name >>.hostPath",
        'first_source(volume) == "hostPath"',
        "storage.<< name >>.hostPath: Pod Security << values.security.podSecurityLevel >> forbids it (hostPath"
        " volumes)",
        "use another source, or security.podSecurityLevel: privileged where the namespace allows that",
        (VOLUMES,),
        (BELOW_PRIVILEGED,),
    ),
    Check(
        "DS331",
        "storage.<< name >>.nfs",
        'first_source(volume) == "nfs"',
        "storage.<< name >>.nfs: Pod Security restricted forbids it (restricted volume types)",
        "use a claim: create with persistentVolume.nfs, or existingClaim",
        (VOLUMES, RESTRICTED),
        (BELOW_PRIVILEGED,),
    ),
    Check(
        "DS324",
        "<< role >>.<< kind >>[container].ports[port].hostPort",
        "port.hostPort",
        "<< role >>.<< kind >>: Pod Security << values.security.podSecurityLevel >> forbids a hostPort (hostPort)",
        "leave it out: pods reach one another without",
        (*CONTAINER_LOOPS, 'for port in get(container, "ports", [])'),
        (BELOW_PRIVILEGED, USER_CONTAINERS),
    ),
    _host(
        "container, probe",
        "<< role >>.<< kind >>[container].<< probe >>",
        "<< role >>.<< kind >>: << probe >>",
        (*CONTAINER_LOOPS, PROBES),
        USER_CONTAINERS,
    ),
    _host(
        'container, "lifecycle", hook',
        "<< role >>.<< kind >>[container].lifecycle.<< hook >>",
        "<< role >>.<< kind >>: << hook >>",
        (*CONTAINER_LOOPS, HOOKS),
        USER_CONTAINERS,
    ),
    _host(
        'values[role]["extraContainerSpec"], probe',
        "<< role >>.extraContainerSpec.<< probe >>",
        "<< role >>.extraContainerSpec: << probe >>",
        (ROLES, PROBES),
        EXTRAS,
    ),
    _host(
        'values[role]["extraContainerSpec"], "lifecycle", hook',
        "<< role >>.extraContainerSpec.lifecycle.<< hook >>",
        "<< role >>.extraContainerSpec: << hook >>",
        (ROLES, HOOKS),
        EXTRAS,
    ),
    *map(_of_extra, ("hostPID", "hostIPC")),
    Check(
        "DS344",
        "<< role >>.extraPodSpec.<< field >>",
        # Below privileged the level forbids the host's processes anyway.
        'get(values[role]["extraPodSpec"], field, false)'
        ' and (field != "hostPID" or values.security.podSecurityLevel == "privileged")',
        "<< role >>.extraPodSpec: with << field >> the user's code can read the token of the status sidecar and the ssh"
        " key through /proc",
        "remove it: a debugger can attach to a process of its own container without",
        (ROLES, 'for field in ["hostPID", "shareProcessNamespace"]'),
        ("workers.extraPodSpec or launcher.extraPodSpec",),
        at_key=True,
    ),
    Check(
        "DS329",
        "<< role >>.podAnnotations.<< key >>",
        f'key is matching("^{APP_ARMOR}.*$") and not value is matching("^(runtime/default|localhost/.*)?$")',
        "<< role >>.podAnnotations: << key | quote >>: Pod Security << values.security.podSecurityLevel >> forbids it"
        " (forbidden AppArmor profile)",
        "use runtime/default or localhost/PROFILE",
        (ROLES, POD_ANNOTATIONS),
        (BELOW_PRIVILEGED,),
    ),
)
