"""Samples of the Kubernetes objects that values may contain, and an object of the API for each."""

from collections.abc import Callable
from typing import Any

POD_NAME = "dsgen-fragment"
REQUIREMENT = {"key": "example.com/pool", "operator": "In", "values": ["a", "b"]}
SELECTOR = {"matchLabels": {"app": "a"}, "matchExpressions": [REQUIREMENT]}
NODE_TERM = {
    "matchExpressions": [REQUIREMENT],
    "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node"]}],
}
POD_TERM = {
    "topologyKey": "kubernetes.io/hostname",
    "labelSelector": SELECTOR,
    "namespaceSelector": SELECTOR,
    "namespaces": ["training"],
    "matchLabelKeys": ["dsgen.dev/run"],
    "mismatchLabelKeys": ["dsgen.dev/job"],
}
POD_RULES = {
    "requiredDuringSchedulingIgnoredDuringExecution": [POD_TERM],
    "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": POD_TERM}],
}
AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [NODE_TERM]},
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "preference": NODE_TERM}],
    },
    "podAffinity": POD_RULES,
    "podAntiAffinity": POD_RULES,
}
SPREAD = {
    "maxSkew": 1,
    "minDomains": 2,
    "topologyKey": "topology.kubernetes.io/zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": SELECTOR,
    "matchLabelKeys": ["dsgen.dev/run"],
    "nodeAffinityPolicy": "Honor",
    "nodeTaintsPolicy": "Ignore",
}
TOLERATIONS = [
    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "spot", "operator": "Equal", "value": "true", "effect": "NoExecute", "tolerationSeconds": 30},
    {"operator": "", "effect": "", "key": "a", "value": ""},
    {"operator": "Exists"},
]
SOURCES: dict[str, dict[str, Any]] = {
    "A": {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": "v1"}},
    "B": {"secretKeyRef": {"name": "a", "key": "b", "optional": True}},
    "C": {"configMapKeyRef": {"name": "a", "key": "b", "optional": False}},
    "D": {"resourceFieldRef": {"resource": "limits.cpu", "containerName": "main", "divisor": "1m"}},
}
ENV_FROM = [
    {"prefix": "A_", "configMapRef": {"name": "a", "optional": True}},
    {"secretRef": {"name": "a", "optional": False}},
]
SECURITY = {
    "allowPrivilegeEscalation": True,
    "appArmorProfile": {"type": "Localhost", "localhostProfile": "a"},
    "capabilities": {"add": ["IPC_LOCK"], "drop": ["ALL"]},
    "privileged": False,
    "procMount": "Default",
    "readOnlyRootFilesystem": False,
    "runAsGroup": 1000,
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "seLinuxOptions": {"level": "s0", "role": "r", "type": "t", "user": "u"},
    "seccompProfile": {"type": "Localhost", "localhostProfile": "a"},
}
POD_SECURITY = {
    "appArmorProfile": {"type": "RuntimeDefault"},
    "fsGroup": 1000,
    "fsGroupChangePolicy": "OnRootMismatch",
    "runAsGroup": 1000,
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "seLinuxOptions": {"level": "s0"},
    "seccompProfile": {"type": "RuntimeDefault"},
    "supplementalGroups": [1, 2],
    "supplementalGroupsPolicy": "Merge",
    "sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}],
}
HANDLERS: list[dict[str, Any]] = [
    {"exec": {"command": ["true"]}},
    {
        "httpGet": {
            "port": "http",
            "path": "/",
            "scheme": "HTTPS",
            "host": "a",
            "httpHeaders": [{"name": "A", "value": "b"}],
        }
    },
    {"httpGet": {"port": 80, "scheme": "", "httpHeaders": [{"name": "A"}]}},
    {"tcpSocket": {"port": 80, "host": "a"}},
]
PROBE = {
    "failureThreshold": 1,
    "initialDelaySeconds": 1,
    "periodSeconds": 1,
    "successThreshold": 1,
    "timeoutSeconds": 1,
    "grpc": {"port": 80, "service": "a"},
}
CONTAINER_FIELDS = {
    "lifecycle": {"preStop": {"sleep": {"seconds": 1}}, "postStart": HANDLERS[0]},
    "livenessProbe": {**PROBE, "terminationGracePeriodSeconds": 1},
    "readinessProbe": HANDLERS[1],
    "startupProbe": HANDLERS[3],
    "stdin": True,
    "stdinOnce": True,
    "terminationMessagePath": "/a",
    "terminationMessagePolicy": "FallbackToLogsOnError",
    "tty": False,
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
}
CONTAINER = {
    "name": "side",
    "image": "a",
    "imagePullPolicy": "Always",
    "command": ["bash"],
    "args": ["-c", "true"],
    "workingDir": "/",
    "env": [{"name": "Z", "value": "x"}, {"name": "Y"}, *({"name": k, "valueFrom": v} for k, v in SOURCES.items())],
    "envFrom": ENV_FROM,
    "ports": [{"containerPort": 80, "hostPort": 8080, "hostIP": "10.0.0.1", "name": "http", "protocol": "TCP"}],
    "resources": {"requests": {"cpu": "100m", "memory": 1e9}, "limits": {"cpu": 2, "memory": "1.5Gi"}},
    "securityContext": SECURITY,
    "volumeMounts": [
        {"name": "v", "mountPath": "/a", "readOnly": True, "subPath": "x", "mountPropagation": "None"},
        {"name": "v", "mountPath": "/b", "subPathExpr": "$(A)"},
    ],
}
SIDECAR = {**CONTAINER, **CONTAINER_FIELDS, "restartPolicy": "Always"}
POD_FIELDS = {
    "activeDeadlineSeconds": 100,
    "dnsConfig": {
        "nameservers": ["10.0.0.1"],
        "searches": ["a"],
        "options": [{"name": "ndots", "value": "2"}, {"name": "a"}],
    },
    "dnsPolicy": "None",
    "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a"]}],
    "hostIPC": True,
    "hostPID": True,
    "hostname": "a",
    "os": {"name": "linux"},
    "readinessGates": [{"conditionType": "example.com/a"}],
    "resourceClaims": [{"name": "a", "resourceClaimTemplateName": "b"}, {"name": "b", "resourceClaimName": "b"}],
    "schedulingGates": [{"name": "example.com/a"}],
    "setHostnameAsFQDN": True,
    "shareProcessNamespace": False,
    "hostUsers": True,
}
ITEMS = [{"key": "a", "path": "b", "mode": 256}, {"key": "c", "path": "d"}]
CLAIM_SPEC = {
    "accessModes": ["ReadWriteOnce"],
    "resources": {"requests": {"storage": "1Gi"}, "limits": {"storage": "2Gi"}},
    "storageClassName": "",
    "volumeMode": "Filesystem",
    "selector": SELECTOR,
    "dataSource": {"kind": "PersistentVolumeClaim", "name": "a"},
}
SIZES = ("1e3", ".5", "5.", "+1", "10u", "1Ei", "1E-3", 5, 0.5)
VOLUMES: dict[str, list[Any]] = {
    "nfs": [{"server": "s", "path": "/", "readOnly": True}],
    "hostPath": [{"path": "/a"}, {"path": "/a", "type": ""}, {"path": "/a", "type": "Directory"}],
    "emptyDir": [{}, {"medium": "HugePages-64Ki"}, *({"sizeLimit": size} for size in SIZES)],
    "ephemeral": [
        {"volumeClaimTemplate": {"spec": CLAIM_SPEC}},
        {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}, "annotations": {"a": ""}}, "spec": CLAIM_SPEC}},
    ],
    "csi": [
        {
            "driver": "a",
            "fsType": "ext4",
            "readOnly": True,
            "volumeAttributes": {"a": "b"},
            "nodePublishSecretRef": {"name": "a"},
        }
    ],
    "configMap": [{"name": "a"}, {"name": "a", "optional": True, "defaultMode": 256, "items": ITEMS}],
    "secret": [{"secretName": "a"}, {"secretName": "a", "optional": True, "defaultMode": 256, "items": ITEMS}],
    "projected": [
        {
            "defaultMode": 256,
            "sources": [
                {"configMap": {"name": "a", "optional": True, "items": ITEMS}},
                {"secret": {"name": "a", "optional": True, "items": [{"key": "a", "path": "e", "mode": 256}]}},
                {"serviceAccountToken": {"path": "token", "audience": "a", "expirationSeconds": 3600}},
                {"downwardAPI": {"items": [
                    {"path": "f", "fieldRef": {"fieldPath": "metadata.labels"}, "mode": 256},
                    {"path": "g", "resourceFieldRef": {**SOURCES["D"]["resourceFieldRef"], "divisor": 1}},
                ]}},
            ],
        },
        {},
    ],
}  # fmt: skip
REFERENCE = {"name": "a", "namespace": "b"}
PERSISTENT: list[dict[str, Any]] = [
    {"nfs": {"server": "s", "path": "/"}, "mountOptions": ["ro"]},
    {"hostPath": {"path": "/a"}},
    {
        "csi": {
            "driver": "a",
            "volumeHandle": "b",
            "fsType": "ext4",
            "readOnly": True,
            "volumeAttributes": {"a": "b"},
            "controllerExpandSecretRef": REFERENCE,
            "controllerPublishSecretRef": REFERENCE,
            "nodeExpandSecretRef": REFERENCE,
            "nodePublishSecretRef": REFERENCE,
            "nodeStageSecretRef": REFERENCE,
        }
    },
    {"local": {"path": "/a", "fsType": "ext4"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [NODE_TERM]}}},
]


def pod(spec: dict[str, Any] | None = None, container: dict[str, Any] | None = None) -> dict[str, Any]:
    """A pod with these fields, and these of its container."""
    main = {"name": "main", "image": "a", **(container or {})}
    whole = {"containers": [main], "volumes": [{"name": "v", "emptyDir": {}}], **(spec or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": POD_NAME}, "spec": whole}


def volume(source: str) -> Callable[[Any], dict[str, Any]]:
    """A pod with a volume of this kind."""
    return lambda value: pod({"volumes": [{"name": "v", source: value}]})


def persistent_volume(value: Any) -> dict[str, Any]:
    """A PersistentVolume with these fields."""
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], **value}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": POD_NAME}, "spec": spec}


def environment(value: Any) -> dict[str, Any]:
    """A pod whose container has a variable from this source."""
    return pod(container={"env": [{"name": "A", "valueFrom": value}]})


Home = tuple[str, Callable[[Any], dict[str, Any]], list[Any]]
HOMES: list[Home] = [
    ("workers.affinity", lambda value: pod({"affinity": value}), [AFFINITY, {}]),
    ("workers.topologySpreadConstraints", lambda value: pod({"topologySpreadConstraints": value}), [[SPREAD]]),
    ("workers.tolerations", lambda value: pod({"tolerations": value}), [TOLERATIONS]),
    ("workers.initContainers", lambda value: pod({"initContainers": value}), [[CONTAINER], [SIDECAR]]),
    ("launcher.sidecars", lambda value: pod({"initContainers": value}), [[{**SIDECAR, "startupProbe": HANDLERS[2]}]]),
    ("workers.securityContext", lambda value: pod(container={"securityContext": value}), [SECURITY]),
    ("security.podSecurityContext", lambda value: pod({"securityContext": value}), [POD_SECURITY]),
    ("workers.extraPodSpec", pod, [POD_FIELDS, {"dnsPolicy": ""}]),
    ("workers.extraContainerSpec", lambda value: pod(container=value), [CONTAINER_FIELDS]),
    ("training.env.A.valueFrom", environment, list(SOURCES.values())),
    ("training.envFrom", lambda value: pod(container={"envFrom": value}), [ENV_FROM]),
    *((f"storage.v.{source}", volume(source), samples) for source, samples in VOLUMES.items()),
    ("storage.v.create.persistentVolume", persistent_volume, PERSISTENT),
]
"""A key of the values, the Kubernetes object in which its value lies, samples that the API server accepts."""
