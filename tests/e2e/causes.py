"""Jobs that cannot run, each for one reason: what is wrong with its values, or with what is around it."""

from dataclasses import dataclass, field
from typing import Any

EATS_MEMORY = 'exec python3 -c "text = bytearray(400 * 2**20); print(len(text))"'
PODS = {"apiGroups": [""], "operations": ["CREATE"], "resources": ["pods"]}


@dataclass(frozen=True)
class Case:
    """One job. `objects` are applied before it, `without` are kinds of its own objects that are left out.

    SPACE in an object stands for the namespace.
    """

    values: dict[str, Any] = field(default_factory=dict)
    space: str = "plain"
    objects: tuple[dict[str, Any], ...] = ()
    without: tuple[str, ...] = ()


def workers(**values: Any) -> dict[str, Any]:
    return {"workers": values}


def claim(**create: Any) -> dict[str, Any]:
    return {"storage": {"data": {"mountPath": "/checkpoints", "create": {"size": "1Gi", **create}}}}


def queue(name: str) -> dict[str, Any]:
    """Values that put the workers into a queue of their own, named after the case."""
    return {"scheduling": {"queue": name}}


CASES = {
    "NoNodeBigEnough": Case(workers(accelerator={"count": 8})),
    "NoNodeSelected": Case(workers(nodeSelector={"example.com/pool": "none"})),
    "ClaimMissing": Case({"storage": {"data": {"mountPath": "/x", "existingClaim": "nope"}}}),
    "StorageClassMissing": Case(claim(storageClass="nope")),
    "ClaimUnbound": Case(
        claim(storageClass="dsgen-e-none"),
        objects=(
            {
                "apiVersion": "storage.k8s.io/v1",
                "kind": "StorageClass",
                "metadata": {"name": "dsgen-e-none"},
                "provisioner": "example.com/none",
            },
        ),
    ),
    "ImageNotOnNode": Case({"image": {"repository": "dsgen.test/none", "tag": "1", "pullPolicy": "Never"}}),
    "RegistryUnreachable": Case({"image": {"repository": "registry.invalid/team/none", "tag": "1"}}),
    "ConfigMissing": Case({"training": {"envFrom": [{"secretRef": {"name": "nope"}}]}}),
    "ConfigMissing-mount": Case({"storage": {"token": {"mountPath": "/token", "secret": {"secretName": "nope"}}}}),
    "ConfigKeyMissing": Case(
        {"training": {"env": {"TOKEN": {"valueFrom": {"secretKeyRef": {"name": "half", "key": "missing"}}}}}},
        objects=({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "half"}, "stringData": {"other": "x"}},),
    ),
    "RunAsRoot": Case({"security": {"podSecurityContext": {"runAsNonRoot": True}}}),
    "ContainerCannotStart": Case({"image": {"repository": "dsgen.test/busybox", "tag": "1"}}),
    "InitFailed": Case(
        workers(initContainers=[{"name": "fetch", "image": "dsgen.test/busybox:1", "command": ["sh", "-c", "exit 3"]}])
    ),
    "OutOfMemory": Case(
        {
            "training": {"setup": f'[ "$DSGEN_ROLE" = launcher ] || {EATS_MEMORY}'},
            **workers(
                resources={"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
            ),
        }
    ),
    "WorkerUnfit": Case(
        {"training": {"setup": '[ "$DSGEN_ROLE" = launcher ] || rm -f "$(command -v sshd || echo /usr/sbin/sshd)"'}}
    ),
    "SchedulerMissing": Case({"scheduling": {"gang": "volcano"}}),
    "QueueMissing": Case(queue("nope")),
    "QuotaNever": Case(queue("never")),
    "QuotaTaken": Case(queue("taken")),
    "QueueInactive": Case(queue("inactive")),
    "FlavorMismatch": Case(queue("flavor")),
    "QuotaExceeded": Case(
        space="quota",
        objects=(
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "team"},
                "spec": {"hard": {"requests.cpu": "30m"}},
            },
        ),
    ),
    "LimitRange": Case(
        space="limits",
        objects=(
            {
                "apiVersion": "v1",
                "kind": "LimitRange",
                "metadata": {"name": "team"},
                "spec": {"limits": [{"type": "Container", "max": {"memory": "100Mi"}}]},
            },
        ),
    ),
    "PodSecurity": Case(space="restricted"),
    "ServiceAccountMissing": Case(without=("ServiceAccount",)),
    "PolicyDenied": Case(
        space="policy",
        objects=(
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingAdmissionPolicy",
                "metadata": {"name": "SPACE"},
                "spec": {
                    "matchConstraints": {"resourceRules": [PODS | {"apiVersions": ["v1"]}]},
                    "validations": [{"expression": "false", "message": "pods need a cost center"}],
                },
            },
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingAdmissionPolicyBinding",
                "metadata": {"name": "SPACE"},
                "spec": {
                    "policyName": "SPACE",
                    "validationActions": ["Deny"],
                    "matchResources": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "SPACE"}}},
                },
            },
        ),
    ),
    "WebhookUnreachable": Case(
        space="webhook",
        objects=(
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration",
                "metadata": {"name": "SPACE"},
                "webhooks": [
                    {
                        "name": "check.example.com",
                        "clientConfig": {"service": {"name": "nobody", "namespace": "SPACE"}},
                        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "SPACE"}},
                        "rules": [PODS | {"apiVersions": ["v1"]}],
                        "admissionReviewVersions": ["v1"],
                        "sideEffects": "None",
                        "timeoutSeconds": 2,
                    }
                ],
            },
        ),
    ),
    "QueueNamespace": Case(queue("elsewhere")),
    "SpreadImpossible": Case(
        workers(
            replicas=3,
            affinity={
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "labelSelector": {"matchLabels": {"dsgen.dev/job": "spreadimpossible"}},
                            "topologyKey": "kubernetes.io/os",
                        }
                    ]
                }
            },
        )
    ),
    "MountFailed": Case({"storage": {"data": {"mountPath": "/x", "nfs": {"server": "nfs.invalid", "path": "/x"}}}}),
    "RunFailed": Case({"training": {"setup": '[ "$DSGEN_ROLE" = worker ] || exit 1'}}),
    "PriorityClassMissing": Case(workers(priorityClassName="nope")),
    "JobMissing": Case(without=("Job/worker",)),
    "JobSuspended": Case({"lifecycle": {"suspend": True}}),
}
