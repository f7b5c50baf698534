"""What the API server refuses in objects of Kubernetes although their types are right: a table, with its messages."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from dsgen.checks.rule import (
    CONTAINERS,
    ROLES,
    Problem,
    Problems,
    UnknownValueError,
    Values,
    View,
    error,
    list_entries,
    warning,
)
from dsgen.language.functions import get
from dsgen.language.text import format_value
from dsgen.problems import KeyPath, path_text

Test = range | str | Callable[[Any, str], object]
"""The numbers that are right, a pattern of the right texts, or a function that says whether a field is wrong."""
NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
LABEL, SUBDOMAIN = f"(?!.{{64}}){NAME}", f"(?!.{{254}}){NAME}([.]{NAME})*"
WORD = "(?!.{64})[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
QUALIFIED = f"((?![^/]{{254}}){NAME}([.]{NAME})*/)?{WORD}"
NAME_OF_PORT = "(?!.{16})(?!.*--)(?=.*[a-z])" + NAME
OUTSIDE = "(?s)(?!(.*/)?[.][.](/|$))"
HANDLERS = ("exec", "grpc", "httpGet", "sleep", "tcpSocket")
PROJECTIONS = ("clusterTrustBundle", "configMap", "downwardAPI", "podCertificate", "secret", "serviceAccountToken")
ONLY_SIDECARS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
OF_MODE = (
    "must be a number between 0 and 0777 (octal), both inclusive; as a decimal number, 511 is 0777 and 256 is 0400"
)
MODES = (
    "ConfigMapVolumeSource.defaultMode SecretVolumeSource.defaultMode ProjectedVolumeSource.defaultMode"
    " KeyToPath.mode DownwardAPIVolumeFile.mode"
)
SECRETS_OF_CSI = " ".join(
    f"SecretReference@{verb}SecretRef.{{0}}"
    for verb in ("controllerExpand", "controllerPublish", "nodeExpand", "nodePublish")
)
"""All but nodeStageSecretRef, which is not looked at."""


def _is_no_amount(one: Any, field: str) -> bool:
    """Whether a quantity, or one of a map, is below zero, or of no resource."""
    given = one[field] if isinstance(one[field], dict) else {"cpu": one[field]}
    resource = "cpu|memory|ephemeral-storage|hugepages-.+|.+/.+"
    return any(str(amount).startswith("-") or not re.fullmatch(resource, key) for key, amount in given.items())


def _has_one(*keys: str, least: int = 1) -> Test:
    """That an object has one of these keys, and only one; least: 0 if it may have none."""
    return lambda one, _: not least <= sum(one[key] not in (None, "") for key in keys) <= 1


def _has_unique(*keys: str) -> Test:
    """That no two items of a list have the same values of these keys."""

    def find(items: Any, _: str) -> bool:
        given = [tuple(item[key] for key in keys) for item in items if item[keys[0]]]
        return len(given) > len({*given})

    return find


def _has_path_twice(one: Any, field: str) -> bool:
    """Whether two sources write one file."""
    parts = [source[kind] for source in one[field] or () for kind in PROJECTIONS if source[kind]]
    paths = [
        item.path for part in parts for item in (part["items"] or () if "items" in part else (part,)) if "path" in item
    ]
    return len(paths) > len({*paths})


def _misfits(one: Any, field: str) -> bool:
    """Whether the values of a requirement do not fit its operator."""
    count = len(one[field] or ())
    return {"In": count == 0, "NotIn": count == 0, "Gt": count != 1, "Lt": count != 1}.get(one.operator, count > 0)


def _is_unit(one: Any, field: str) -> bool:
    units = "0|1|1m" if str(one.resource).endswith("cpu") else "0|1([kMGTPE]|[KMGTPE]i)?"
    return one[field] is not None and not re.fullmatch(units, str(one[field]))


TABLE: tuple[tuple[Test, str, str], ...] = (
    (range(1, 2**16), "must be between 1 and 65535, inclusive",
     "ContainerPort.containerPort GRPCAction.port HTTPGetAction.port TCPSocketAction.port"),
    (range(2**16), "must be between 1 and 65535, inclusive", "ContainerPort.hostPort"),
    (range(0o1000), OF_MODE, MODES),
    (range(1, 101), "must be in the range 1-100", "PreferredSchedulingTerm.weight WeightedPodAffinityTerm.weight"),
    (range(1, 2**31), "must be greater than zero",
     "TopologySpreadConstraint.maxSkew TopologySpreadConstraint.minDomains Probe.terminationGracePeriodSeconds"),
    (range(2**31), "must be greater than or equal to 0", "Probe.failureThreshold Probe.initialDelaySeconds"
     " Probe.periodSeconds Probe.successThreshold Probe.timeoutSeconds SleepAction.seconds"),
    (range(2), "must be 1", "Container.livenessProbe.successThreshold Container.startupProbe.successThreshold"),
    (range(2**31), "must be between 0 and 2147483647, inclusive", "SecurityContext.runAsUser SecurityContext.runAsGroup"
     " PodSecurityContext.runAsUser PodSecurityContext.runAsGroup PodSecurityContext.fsGroup"
     " PodSecurityContext.supplementalGroups"),
    (range(600, 2**32 + 1), "may not specify a duration less than 10 minutes",
     "ServiceAccountTokenProjection.expirationSeconds"),
    (LABEL, "a lowercase RFC 1123 label must consist of at most 63 lower case letters, digits or '-'",
     "Container.name PodAffinityTerm.namespaces PodResourceClaim.name "
     + SECRETS_OF_CSI.format("namespace")),
    (SUBDOMAIN, "a lowercase RFC 1123 subdomain must consist of lower case letters, digits, '-' or '.'",
     "SecretKeySelector.name ConfigMapKeySelector.name SecretEnvSource.name ConfigMapEnvSource.name"
     " LocalObjectReference.name HostAlias.hostnames NodeSelectorRequirement@matchFields.values"
     " PodResourceClaim.resourceClaimName PodResourceClaim.resourceClaimTemplateName " + SECRETS_OF_CSI.format("name")),
    (f"({SUBDOMAIN})?", "must be the name of an object", "PersistentVolumeClaimSpec.storageClassName"),
    (f"(?!.{{64}}){SUBDOMAIN}", "must be a name of at most 63 lower case letters, digits, '-' or '.'",
     "CSIVolumeSource.driver CSIPersistentVolumeSource.driver"),
    (SUBDOMAIN.replace("-a-z", "-_a-z"), "must be the name of a domain", "PodDNSConfig.searches"),
    (QUALIFIED, "must be a name of at most 63 letters, digits, '-', '_' and '.', with or without a prefix such as a.b/",
     "TopologySpreadConstraint.matchLabelKeys PodAffinityTerm.topologyKey PodAffinityTerm.matchLabelKeys"
     " PodAffinityTerm.mismatchLabelKeys NodeSelectorRequirement.key"
     " LabelSelectorRequirement.key PodReadinessGate.conditionType PodSchedulingGate.name"),
    (f"({QUALIFIED})?", "must be the name of a taint", "Toleration.key"),
    (f"({WORD})?", "a valid label must be at most 63 letters, digits, '-', '_' and '.', begin and end with one of the"
     " first two", "NodeSelectorRequirement@nodeSelectorTerms/matchExpressions.values"
     " LabelSelectorRequirement.values LabelSelector.matchLabels Toleration.value ObjectMeta.labels"),
    (NAME_OF_PORT, "must be at most 15 of a-z, 0-9 and '-'", "HTTPGetAction.port TCPSocketAction.port"),
    (f"({NAME_OF_PORT})?", "must be at most 15 of a-z, 0-9 and '-'", "ContainerPort.name"),
    (r"\S(.*\S)?", "must not be empty, or have leading or trailing whitespace", "Container.image"
     " AppArmorProfile.localhostProfile"),
    ("[ -<>-~]*", "must consist only of printable ASCII characters other than '='", "EnvVar.name EnvFromSource.prefix"),
    ("[-A-Za-z0-9]+", "a valid HTTP header must consist of alphanumeric characters or '-'", "HTTPHeader.name"),
    ("(?!.{254})(?![.]($|[.]))[-._A-Za-z0-9]+", "a valid config key must consist of letters, digits, '-', '_' or '.'",
     "ConfigMapKeySelector.key SecretKeySelector.key"),
    (f"{OUTSIDE}(?!/).*", "must be a relative path without '..'",
     "VolumeMount.subPath VolumeMount.subPathExpr SeccompProfile.localhostProfile"),
    (f"{OUTSIDE}(?!/|[.][.]).+", "must be a relative path, and must not start with '..'",
     "KeyToPath.path DownwardAPIVolumeFile.path ServiceAccountTokenProjection.path"),
    (f"{OUTSIDE}.+", "must be a path without '..'", "HostPathVolumeSource.path LocalVolumeSource.path"),
    (r"[0-9]+([.][0-9]+){3}|[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:.]*", "must be a valid IP address",
     "PodDNSConfig.nameservers"
     " HostAlias.ip"),
    ("In|NotIn|Exists|DoesNotExist", "not a valid selector operator", "LabelSelectorRequirement.operator"),
    ("(limits|requests)[.](cpu|memory|ephemeral-storage|hugepages-.+)", "must be limits or requests of cpu, memory,"
     " ephemeral-storage or hugepages-", "ResourceFieldSelector.resource"),
    ("metadata[.](name|namespace|uid|(labels|annotations)(\\['[^']+'\\])?)|spec[.](nodeName|serviceAccountName)"
     "|status[.](hostIPs?|podIPs?)", "field label not supported", "ObjectFieldSelector.fieldPath"),
    ("(?!metadata[.](labels|annotations)$).*", "field label not supported", "EnvVarSource.fieldRef.fieldPath"),
    ("metadata.*", "field label not supported", "DownwardAPIVolumeFile.fieldRef.fieldPath"),
    ("(v1)?", "unsupported pod version", "ObjectFieldSelector.apiVersion"),
    ("cpu|memory", 'supported values: "cpu", "memory"', "ContainerResizePolicy.resourceName"),
    ("NotRequired|RestartContainer", "must be NotRequired or RestartContainer", "ContainerResizePolicy.restartPolicy"),
    ("Disabled|Enabled|IfPossible", "must be Disabled, Enabled or IfPossible", "VolumeMount.recursiveReadOnly"),
    ("linux", "dsgen's scripts need linux", "PodOS.name"),
    ("Recursive|MountOption", "must be Recursive or MountOption", "PodSecurityContext.seLinuxChangePolicy"),
    ("metadata.name", "not a valid field selector key", "NodeSelectorRequirement@matchFields.key"),
    (f"(?!.{{254}})({NAME.replace('-a', '-_a')}[./])*{NAME.replace('-a', '-_a')}", "must be the name of a sysctl",
     "Sysctl.name"),
    (lambda one, field: not one[field], "required",
     "EnvVar.name VolumeMount.mountPath NFSVolumeSource.server ExecAction.command"
     " ConfigMapVolumeSource.name SecretVolumeSource.secretName ConfigMapProjection.name SecretProjection.name"
     " TypedLocalObjectReference.kind TypedLocalObjectReference.name CSIPersistentVolumeSource.volumeHandle"
     " EphemeralVolumeSource.volumeClaimTemplate PersistentVolumeClaimSpec.accessModes PodDNSConfigOption.name"
     " DownwardAPIVolumeFile.resourceFieldRef.containerName KeyToPath.key TopologySpreadConstraint.topologyKey"
     " CSIVolumeSource.nodePublishSecretRef.name "
     + SECRETS_OF_CSI.format("name") + " " + SECRETS_OF_CSI.format("namespace")),
    (_has_path_twice, "conflicting duplicate paths", "ProjectedVolumeSource.sources"),
    (lambda one, field: not get(one, field, "requests", "storage", ""), "the request of storage is required",
     "PersistentVolumeClaimSpec.resources"),
    (_is_no_amount, "must be a standard resource, or have a prefix, and be 0 or more",
     "EmptyDirVolumeSource.sizeLimit ResourceRequirements.requests"
     " ResourceRequirements.limits PodSpec.overhead"),
    (_is_unit, "only 1 and 1m for cpu, or 1 and units for memory, are supported", "ResourceFieldSelector.divisor"),
    (lambda one, field: one.value and one[field], "may not be specified when `value` is not empty", "EnvVar.valueFrom"),
    (lambda one, field: one.subPath and one[field], "subPathExpr and subPath are mutually exclusive",
     "VolumeMount.subPathExpr"),
    (lambda one, field: (one.type == "Localhost") != (one[field] is not None), "must be set for type Localhost, and"
     " only then", "SeccompProfile.localhostProfile AppArmorProfile.localhostProfile"),
    (_has_one(*HANDLERS), "must specify one handler type, and only one", "Probe LifecycleHandler"),
    (_has_one(*PROJECTIONS, least=0), "may not specify more than 1 volume type per source", "VolumeProjection"),
    (_has_one("fieldRef", "resourceFieldRef"), "needs either fieldRef or resourceFieldRef", "DownwardAPIVolumeFile"),
    (_has_one("resourceClaimName", "resourceClaimTemplateName"), "must specify one of resourceClaimName and"
     " resourceClaimTemplateName", "PodResourceClaim"),
    (_misfits, "must be specified when `operator` is In or NotIn, and not when it is Exists or DoesNotExist",
     "NodeSelectorRequirement.values LabelSelectorRequirement.values"),
    (lambda one, field: len(one[field] or ()) != 1, "needs one value", "NodeSelectorRequirement@matchFields.values"),
    (lambda one, field: one[field] and one.labelSelector is None, "must not be specified when labelSelector is not set",
     "TopologySpreadConstraint.matchLabelKeys PodAffinityTerm.matchLabelKeys PodAffinityTerm.mismatchLabelKeys"),
    (lambda one, field: one[field] is not None and one.whenUnsatisfiable != "DoNotSchedule",
     "can only use minDomains if whenUnsatisfiable=DoNotSchedule", "TopologySpreadConstraint.minDomains"),
    (lambda one, field: one[field] is not None and one.restartPolicy != "Always",
     "may not be set for init containers without restartPolicy=Always",
     " ".join(f"Container@initContainers.{field}" for field in ONLY_SIDECARS)),
    (lambda one, _: one.allowPrivilegeEscalation is False and (one.privileged or "CAP_SYS_ADMIN" in get(
        one, "capabilities", "add", ())), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
     "SecurityContext.allowPrivilegeEscalation"),
    (lambda one, _: any(mount.mountPropagation == "Bidirectional" for mount in one.volumeMounts or ()) and not get(
        one, "securityContext", "privileged", False), "Bidirectional mount propagation is available only to privileged"
     " containers", "Container.volumeMounts"),
    (lambda one, _: not one.apiGroup and one.kind != "PersistentVolumeClaim", "must be 'PersistentVolumeClaim' when"
     " referencing the default apiGroup", "TypedLocalObjectReference.kind"),
    (lambda one, field: one[field] and get(one, "dataSourceRef", "namespace", ""),
     "may not be specified when dataSourceRef.namespace is specified", "PersistentVolumeClaimSpec.dataSource"),
    (lambda one, field: (one[field] or {}).get("claims"), "claims may not be set for Resources at pod-level",
     "PodSpec.resources"),
    (_has_unique("mountPath"), "mountPath must be unique", "VolumeMount[]"),
    (_has_unique("name"), "two have the same name", "ContainerPort[] Sysctl[] PodResourceClaim[]"
     " PodSchedulingGate[]"),
    (_has_unique("resourceName"), "two have the same resourceName", "ContainerResizePolicy[]"),
    (_has_unique("topologyKey", "whenUnsatisfiable"), "two have the same topologyKey and whenUnsatisfiable",
     "TopologySpreadConstraint[]"),
)  # fmt: skip
"""What is right in a field, or a function that finds what is wrong; the words of the API server; and the fields. A type
may be that of one key (`@KEY`, `@LIST/LIST`), or a list of its objects (`[]`).
"""


@functools.cache
def _list_rows() -> dict[str, list[tuple[KeyPath, Test, str]]]:
    rows: dict[str, list[tuple[KeyPath, Test, str]]] = {}
    for test, message, names in TABLE:
        for name in names.split():
            type_, *keys = name.split(".")
            rows.setdefault(type_, []).append((tuple(keys), test, message))
    return rows


def _find_wrong(one: Any, keys: KeyPath, test: Test) -> Iterator[tuple[KeyPath, Any]]:
    """What is wrong at the keys of an object, with the value; None for what a function has found."""
    above = functools.reduce(lambda part, key: part[key] if isinstance(part, dict) else None, keys[:-1], one)
    if callable(test):
        if isinstance(above, View):
            above.require_all()  # a misspelt key may be the one that is missing
        if isinstance(above, dict | list) and test(above, str(keys[-1]) if keys else ""):
            yield keys, None
    elif isinstance(above, dict) and keys[-1] in above:
        for key, item in list_entries(above[keys[-1]]) or [(None, above[keys[-1]])]:
            is_right = True
            if isinstance(test, range) and isinstance(item, int):
                is_right = isinstance(item, bool) or item in test
            elif isinstance(test, str) and isinstance(item, str):
                is_right = re.fullmatch(test, item) is not None
            if not is_right:
                yield (*keys, *([] if key is None else [key])), item


@error("DS432", "", hint="the API server would refuse the pods; `kubectl explain pod.spec` says what it takes")
def refuse_what_kubernetes_refuses(values: Values) -> Problems:
    rows = _list_rows()
    for type_, path, one in values.objects:
        types = [type_, *(f"{type_}@{key}" for key in (*path[-4:], "/".join(map(str, path[-4::2]))))]
        for keys, test, message in dict.fromkeys(row for name in types for row in rows.get(name, ())):
            with contextlib.suppress(UnknownValueError):
                for at, value in [*_find_wrong(one, keys, test)]:
                    where, given = path_text((*path, *at)), "" if value is None else f"{format_value(value)}: "
                    yield Problem(f"{where}: {given}{message}", (*path, *at), _suggest_mode(value, message))


def _suggest_mode(value: Any, message: str) -> str:
    """The decimal number of a mode that is written in octal digits."""
    is_octal = message == OF_MODE and re.fullmatch("[0-7]{1,3}", str(value))
    return f"write {int(str(value), 8)}, which is 0{value}" if is_octal else ""


def _is_usual(mode: int) -> bool:
    """Whether a file has such a mode: whoever is not the owner may do the same, less, or nothing."""
    owner, group, others = mode >> 6, mode >> 3 & 7, mode & 7
    return owner >= 4 and {group, others} <= {0, owner, owner & 5, owner & 4} and others & ~group == 0


@warning("DS433", "")
def warn_of_octal_digits(values: Values) -> Problems:
    fields = dict(name.split(".", 1) for name in MODES.split())
    for type_, path, one in values.objects:
        mode = one.get(fields[type_]) if type_ in fields and isinstance(one, dict) else None
        if isinstance(mode, int) and mode < 0o1000 and not _is_usual(mode) and re.fullmatch("[0-7]{3}", str(mode)):
            meant = int(str(mode), 8)
            if _is_usual(meant):
                where = path_text((*path, fields[type_]))
                hint = f"write {meant}, which is 0{mode}"
                yield Problem(f"{where}: {mode} is a decimal number, 0{mode:03o}", (*path, fields[type_]), hint)


@error("DS432", *(f"{role}.securityContext" for role in ROLES), *(f"{one}.securityContext" for one in CONTAINERS))
def refuse_root(values: Values, path: KeyPath, item: Any) -> Problems:
    """The kubelet refuses to start a container as root that must not be root."""
    is_users = len(path) > 2
    contexts: list[tuple[KeyPath, Any]] = [(("security", "podSecurityContext"), values.security.podSecurityContext)]
    contexts += [] if is_users else [(("security", "securityContext"), values.security.securityContext)]
    contexts.append((path, item.securityContext if is_users else item))
    fields: dict[str, tuple[KeyPath, Any]] = {}
    for above, context in contexts:
        fields |= {
            key: ((*above, key), context[key]) for key in ("runAsUser", "runAsNonRoot") if key in (context or ())
        }
    at, user = fields.get("runAsUser", ((), None))
    if user == 0 and fields.get("runAsNonRoot", ((), False))[1] is True:
        message = f"{path_text(at)}: 0: container's runAsUser breaks non-root policy (runAsNonRoot)"
        yield Problem(message, at, "remove runAsNonRoot, or set the number of another user")
