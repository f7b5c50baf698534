"""The other rules of the Pod Security Standards: host namespaces and ports, volumes, probes, annotations."""

from __future__ import annotations

from dsgen.checks.contexts import BELOW_PRIVILEGED, ELSEWHERE, RESTRICTED
from dsgen.checks.pods import CONTAINER_LOOPS, USER_CONTAINERS
from dsgen.checks.row import ROLES, VALUES, VOLUMES, Check, Shared, Shortcut

PROBES = 'for probe in ["livenessProbe", "readinessProbe", "startupProbe"]'
HOOKS = 'for hook in ["postStart", "preStop"]'
ACTIONS = 'for action in ["httpGet", "tcpSocket"]'


def _refuse_extra_field(field: str) -> Check:
    return Check(
        id="DS322",
        path=f"<< role >>.extraPodSpec.{field}",
        when=f'get(values[role]["extraPodSpec"], "{field}", false)',
        message=(
            f"<< role >>.extraPodSpec: Pod Security << values.security.podSecurityLevel >> forbids {field}"
            " (host namespaces)"
        ),
        hint=ELSEWHERE,
        inside=(
            BELOW_PRIVILEGED,
            Shortcut("if values.workers.extraPodSpec or values.launcher.extraPodSpec"),
            ROLES,
        ),
        at_key=True,
    )


def _refuse_hosts(container: str, path: str, words: str, *outer: str) -> tuple[Check, ...]:
    """Probes and hooks of a container with a host."""
    kinds = ((PROBES, "probe", "", "probe"), (HOOKS, "hook", "lifecycle.", '"lifecycle", hook'))
    return tuple(
        Check(
            id="DS336",
            path=f"{path}.{above}<< {name} >>.<< action >>.host",
            when=f'get({container}, {keys}, action, "host", "")',
            message=(
                f"{words}: << {name} >>: Pod Security << values.security.podSecurityLevel >> forbids the host of"
                " << action >> (probe or lifecycle host)"
            ),
            hint="remove host: the default is the pod itself",
            inside=(BELOW_PRIVILEGED, *outer, loop, ACTIONS),
            shared=(Shared(words, 1 + len(outer), "hosts", "probes and hooks", (VALUES, ("container", container))),),
        )
        for loop, name, above, keys in kinds
    )


EXTRAS = Shortcut("if values.workers.extraContainerSpec or values.launcher.extraContainerSpec")
ROWS = (
    Check(
        id="DS380",
        path="serviceAccount",
        when='service_account_name(values, release) == "default"',
        message=(
            "serviceAccount: every pod of the namespace may use the ServiceAccount default, and could read the ssh key"
            " and write the record"
        ),
        hint="set serviceAccount.name to one that only this job uses, or remove serviceAccount",
        inside=("if values.rbac.create or values.serviceAccount.create",),
    ),
    Check(
        id="DS322",
        path="network.hostNetwork",
        message="network.hostNetwork: Pod Security << values.security.podSecurityLevel >> forbids it (host namespaces)",
        hint="remove it, or set security.podSecurityLevel: privileged if the namespace allows that",
        inside=(
            BELOW_PRIVILEGED,
            "if values.network.hostNetwork",
        ),
    ),
    Check(
        id="DS323",
        path="storage.<< name >>.hostPath",
        when='first_source(volume) == "hostPath"',
        message=(
            "storage.<< name >>.hostPath: Pod Security << values.security.podSecurityLevel >> forbids it (hostPath"
            " volumes)"
        ),
        hint="use another source, or set security.podSecurityLevel: privileged if the namespace allows that",
        inside=(
            BELOW_PRIVILEGED,
            VOLUMES,
        ),
    ),
    Check(
        id="DS331",
        path="storage.<< name >>.nfs",
        when='first_source(volume) == "nfs"',
        message="storage.<< name >>.nfs: Pod Security restricted forbids it (restricted volume types)",
        hint="use a claim: set create.persistentVolume.nfs, or existingClaim",
        inside=(
            BELOW_PRIVILEGED,
            VOLUMES,
            RESTRICTED,
        ),
    ),
    Check(
        id="DS324",
        path="<< role >>.<< kind >>[container].ports[port].hostPort",
        when="port.hostPort",
        message=(
            "<< role >>.<< kind >>: Pod Security << values.security.podSecurityLevel >> forbids a hostPort (hostPort)"
        ),
        hint="remove it: pods can reach each other without hostPort",
        inside=(
            BELOW_PRIVILEGED,
            USER_CONTAINERS,
            *CONTAINER_LOOPS,
            'for port in get(container, "ports", [])',
        ),
    ),
    *_refuse_hosts(
        "container",
        "<< role >>.<< kind >>[container]",
        "<< role >>.<< kind >>",
        USER_CONTAINERS,
        *CONTAINER_LOOPS,
    ),
    *_refuse_hosts(
        'values[role]["extraContainerSpec"]',
        "<< role >>.extraContainerSpec",
        "<< role >>.extraContainerSpec",
        EXTRAS,
        ROLES,
    ),
    *map(_refuse_extra_field, ("hostPID", "hostIPC")),
    Check(
        id="DS344",
        path="<< role >>.extraPodSpec.<< field >>",
        # Below privileged, another row forbids hostPID.
        when=(
            'get(values[role]["extraPodSpec"], field, false)'
            ' and (field != "hostPID" or values.security.podSecurityLevel == "privileged")'
        ),
        message=(
            "<< role >>.extraPodSpec: with << field >> the training code could read the token of the status sidecar and"
            " the ssh key through /proc"
        ),
        hint="remove it; debuggers such as py-spy do not need it within one container",
        inside=(
            Shortcut("if values.workers.extraPodSpec or values.launcher.extraPodSpec"),
            ROLES,
            'for field in ["hostPID", "shareProcessNamespace"]',
        ),
        at_key=True,
    ),
    Check(
        id="DS374",
        path="storage.<< name >>.projected.sources[source].serviceAccountToken",
        when='"serviceAccountToken" in source and not get(source, "serviceAccountToken", "audience", "")',
        message=(
            "storage.<< name >>: with a token of the launcher's ServiceAccount, the training code could change the"
            " record and read the ssh key"
        ),
        hint="set mountIn: workers and workers.serviceAccountName; for another service, set its audience",
        inside=(
            VOLUMES,
            'if volume.projected is not none and has_volume(values, values.launcher, "launcher", name, volume)',
            'for source in get(volume.projected, "sources", [])',
        ),
    ),
)
