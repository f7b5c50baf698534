"""Jobs that cannot run, each for one reason: what is wrong with its values, or with what is around it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.e2e import provoked
from tests.e2e.training import Job

Step = Callable[[Job], None]
EATS_MEMORY = 'exec python3 -c "text = bytearray(400 * 2**20); print(len(text))"'
PODS = {"apiGroups": [""], "operations": ["CREATE"], "resources": ["pods"]}


@dataclass(frozen=True)
class Case:
    """One job. `objects` are applied before it, `without` are kinds of its own objects that are left out.

    SPACE in an object stands for the namespace. `before` is done first, `after` once the job is applied, and `clean`
    at the end.
    """

    values: dict[str, Any] = field(default_factory=dict)
    space: str = "plain"
    objects: tuple[dict[str, Any], ...] = ()
    without: tuple[str, ...] = ()
    before: Step | None = None
    after: Step | None = None
    clean: Step | None = None
    seconds: float = 60


def workers(**values: Any) -> dict[str, Any]:
    return {"workers": values}


def claim(**create: Any) -> dict[str, Any]:
    return {"storage": {"data": {"mountPath": "/checkpoints", "create": {"size": "1Gi", **create}}}}


def queue(name: str) -> dict[str, Any]:
    """Values that put the workers into a queue of their own, named after the case."""
    return {"scheduling": {"queue": name}}


def nowhere(labels: dict[str, str]) -> dict[str, Any]:
    """Values with which nodes must have labels."""
    return workers(nodeSelector=labels)


SLEEPS = {"name": "wait", "image": "dsgen.test/busybox:1", "command": ["sleep", "600"]}

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
    "TaintNotTolerated": Case(
        nowhere(provoked.LABEL), objects=(provoked.node([{**provoked.TAINT, "value": "other"}]),)
    ),
    "NodeNotReady": Case(
        {
            "launcher": nowhere(provoked.LABEL)["workers"],
            **workers(nodeSelector=provoked.LABEL, tolerations=[{"key": provoked.TAINT["key"], "operator": "Exists"}]),
        },
        objects=(provoked.node([provoked.TAINT]),),
        after=provoked.not_ready,
    ),
    "NodesFull": Case(
        workers(accelerator={"resource": "example.com/gpu", "count": 1}),
        before=provoked.one_device,
        clean=provoked.no_device,
    ),
    "VolumeZone": Case(
        {"storage": {"data": {"mountPath": "/x", "existingClaim": "elsewhere"}}}, objects=provoked.VOLUME
    ),
    "SchedulingGated": Case(after=provoked.gated_pod),
    "PodGroupMissing": Case({"scheduling": {"gang": "volcano"}}, without=("PodGroup",)),
    "GangUnschedulable": Case({"scheduling": {"gang": "volcano"}}, after=provoked.gang_does_not_fit),
    "Preempted": Case(
        queue("order") | nowhere({"example.com/pool": "none"}),
        space="preempt",
        before=provoked.order,
        after=provoked.preempted,
        clean=provoked.no_order,
    ),
    "WorkloadInactive": Case(queue("taken"), after=provoked.switched_off),
    "WebhookDenied": Case(space="denied", objects=provoked.WEBHOOK, before=provoked.webhook, clean=provoked.no_webhook),
    **{
        reason: Case(
            {"image": {"repository": f"127.0.0.1:{provoked.PORT}/{path}", "tag": "1"}},
            space="registry",
            objects=provoked.REGISTRY,
            seconds=120,
        )
        for reason, path in provoked.IMAGES.items()
    },
    "WaitingForTurn": Case(before=provoked.other_run_has_the_turn),
    "KeyEmpty": Case({"ssh": {"secret": {"mode": "existing", "name": "nobody-fills-it"}}}, seconds=120),
    "LauncherNotUp": Case({"launcher": {"initContainers": [SLEEPS]}}, seconds=180),
    "WorkerOrphaned": Case(
        {"launcher": {"initContainers": [SLEEPS]}, "lifecycle": {"orphanTimeoutSeconds": 30}}, seconds=180
    ),
    "RanksSilent": Case(
        {
            "training": {
                "python": "/job/files/silent.py",
                "args": [],
                "files": {"silent.py": "import time\ntime.sleep(600)\n"},
            },
        },
        seconds=240,
    ),
}
