"""Jobs that cannot run, each for one reason, in its values or in its environment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.e2e import provoked
from tests.e2e.provoked import parse
from tests.e2e.training import Job

Step = Callable[[Job], None]
EATS_MEMORY = 'exec python3 -c "text = bytearray(400 * 2**20); print(len(text))"'


@dataclass(frozen=True)
class Case:
    """One job. `objects` are applied before it, `without` are kinds of its own objects that are left out.

    SPACE in an object stands for the namespace. `before` is done first, `after` once the job is applied, and `clean`
    at the end. `seconds`: how soon the cause must be named; more than half a minute where pods must start first, or
    where a healthy run may be so for a while. `says`: words of the message. `bare`: in a cluster without the
    definitions of Kueue and PodGroup.
    """

    values: dict[str, Any] = field(default_factory=dict)
    space: str = "plain"
    objects: tuple[dict[str, Any], ...] = ()
    without: tuple[str, ...] = ()
    before: Step | None = None
    after: Step | None = None
    clean: Step | None = None
    seconds: float = 30
    says: str = ""
    bare: bool = False


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


def required(key: str, value: str) -> dict[str, Any]:
    """An affinity to nodes with a label."""
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def starts(**fields: Any) -> dict[str, Any]:
    """Values of workers with an init container that has these fields."""
    return workers(initContainers=[{"name": "fetch", "image": "dsgen.test/busybox:1", **fields}])


def requires(resource: str) -> tuple[dict[str, Any], ...]:
    """A quota that allows little of a resource, of which each container must say how much it needs."""
    spec = {"hard": {resource: "30m"}}
    return ({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": spec},)


def storage_class(name: str, provisioner: str) -> tuple[dict[str, Any], ...]:
    """A class whose provisioner does not exist."""
    metadata = {"name": name}
    kind = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass"}
    return ({**kind, "metadata": metadata, "provisioner": provisioner},)


def image_check(
    method: str, config: dict[str, Any] | None = None, setup: str = "", modules: Sequence[str] = ()
) -> dict[str, Any]:
    """Values with launch.preflight.image, and this part of DeepSpeed's configuration."""
    launch: dict[str, Any] = {"method": method, "preflight": {"image": True, "modules": [*modules]}}
    training: dict[str, Any] = {"setup": setup, "deepspeed": {"config": config or {}}}
    if method == "worker-command":
        launch["command"], training["python"], training["args"] = ["true"], "", []
    return {"launch": launch, "training": training}


HALF = ({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "half"}, "stringData": {"other": "x"}},)
"""A Secret without the key that is wanted."""
STARTED = 120
"""Seconds until pods have started on a busy machine, and the cause is named."""
LIMITS = parse("""
apiVersion: v1
kind: LimitRange
metadata: {name: team}
spec: {limits: [{type: Container, max: {memory: 100Mi}}]}
""")
DENIES_ALL = parse("""
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: SPACE}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], operations: [CREATE], resources: [pods], apiVersions: [v1]}]
  validations: [{expression: "false", message: pods need a cost center}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: SPACE}
spec:
  policyName: SPACE
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: SPACE}}}
""")
NOBODY_ANSWERS = parse("""
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: SPACE}
webhooks:
- name: check.example.com
  clientConfig: {service: {name: nobody, namespace: SPACE}}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: SPACE}}
  rules: [{apiGroups: [""], operations: [CREATE], resources: [pods], apiVersions: [v1]}]
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 2
""")
SLEEPS = {"name": "wait", "image": "dsgen.test/busybox:1", "command": ["sleep", "600"]}

SILENT = {
    "python": "/job/files/silent.py",
    "args": [],
    "files": {"silent.py": "import time\ntime.sleep(600)\n"},
}

OWN_ADAM = {"optimizer": {"params": {"torch_adam": False}}}
ON_NVME = {"stage": 3, "offload_param": {"device": "nvme", "nvme_path": "/nvme"}}
NO_PROGRAM = "DeepSpeed compiles {} for this training: no program {}"
LACKS: dict[str, tuple[dict[str, Any], str]] = {
    # The image of the tests has neither a program ninja nor a compiler.
    "ninja": (image_check("torchrun", OWN_ADAM), NO_PROGRAM.format("fused_adam", "ninja")),
    "compiler": (
        image_check(
            "worker-command",
            OWN_ADAM | {"zero_optimization": {"offload_optimizer": {"device": "cpu"}}},
            setup="ln -s /bin/true /usr/local/bin/ninja",
        ),
        NO_PROGRAM.format("cpu_adam", "c++"),
    ),
    "mpi4py": (image_check("openmpi", modules=["mpi4py"]), "finds no module mpi4py"),
    "shared-memory": (
        image_check("pdsh") | workers(slots=4, sharedMemory=""),
        "/dev/shm has 64 MiB for 4 processes",
    ),
    "nvme": (
        image_check("deepspeed-no-ssh", {"zero_optimization": ON_NVME}),
        "nvme_path /nvme does not exist, and is on no volume",
    ),
}
"""Values with which launch.preflight.image finds something, by what is lacking, and what it says."""

CASES = {
    "NoNodeBigEnough": Case(workers(accelerator={"count": 8})),
    "NoNodeSelected": Case(
        workers(nodeSelector={"example.com/pool": "none", "kubernetes.io/os": "plan9"}),
        says="example.com/pool=none and kubernetes.io/os=plan9, which pod nonodeselected-1-worker",
    ),
    "NoNodeSelected-affinity": Case(workers(affinity=required("kubernetes.io/arch", "s390x")), says="arch is amd64"),
    "ClaimMissing": Case({"storage": {"data": {"mountPath": "/x", "existingClaim": "nope"}}}),
    "StorageClassMissing": Case(claim(storageClass="nope")),
    "ClaimUnbound": Case(
        claim(storageClass="dsgen-e-none"),
        objects=storage_class("dsgen-e-none", "example.com/none"),
    ),
    "ClaimUnbound-access": Case(
        claim(storageClass="dsgen-e-access"),
        objects=storage_class("dsgen-e-access", "example.com/one-writer"),
        after=provoked.no_such_access,
        says="MULTI_NODE_MULTI_WRITER",
    ),
    "StorageClassMissing-none": Case(claim(storageClass="")),
    "ImageNotOnNode": Case({"image": {"repository": "dsgen.test/none", "tag": "1", "pullPolicy": "Never"}}),
    "RegistryUnreachable": Case({"image": {"repository": "registry.invalid/team/none", "tag": "1"}}),
    "ConfigMissing": Case({"training": {"envFrom": [{"secretRef": {"name": "nope"}}]}}),
    "ConfigMissing-mount": Case({"storage": {"token": {"mountPath": "/token", "secret": {"secretName": "nope"}}}}),
    "ConfigKeyMissing": Case(
        {"training": {"env": {"TOKEN": {"valueFrom": {"secretKeyRef": {"name": "half", "key": "missing"}}}}}},
        objects=HALF,
    ),
    "ConfigKeyMissing-mount": Case(
        {
            "storage": {
                "token": {
                    "mountPath": "/token",
                    "secret": {"secretName": "half", "items": [{"key": "no", "path": "no"}]},
                }
            }
        },
        objects=HALF,
    ),
    "SandboxFailed": Case(
        workers(extraPodSpec={"runtimeClassName": "dsgen-e-none"}),
        objects=parse(
            "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: dsgen-e-none}, handler: none}"
        ),
    ),
    "RunAsRoot": Case({"security": {"podSecurityContext": {"runAsNonRoot": True}}}),
    "ContainerCannotStart": Case({"image": {"repository": "dsgen.test/busybox", "tag": "1"}}),
    "PythonMissing": Case({"status": {"image": "dsgen.test/busybox:1"}}, seconds=STARTED, says="there is no python3"),
    "InitFailed": Case(starts(command=["sh", "-c", "exit 3"])),
    "ImageName": Case(starts(image="Not:a:Name")),
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
    "ImageLacks": Case(LACKS["shared-memory"][0], says=LACKS["shared-memory"][1], seconds=STARTED),
    "SchedulerMissing": Case({"scheduling": {"gang": "volcano"}}),
    "QueueMissing": Case(queue("nope")),
    "QuotaNever": Case(queue("never")),
    "QuotaTaken": Case(queue("taken")),
    "QueueMissing-cluster": Case(queue("orphan"), says="the ClusterQueue SPACE-orphan"),
    "QueueInactive": Case(queue("inactive")),
    "FlavorMismatch": Case(queue("flavor"), says="has the taint"),
    "FlavorMismatch-selector": Case(
        queue("free") | workers(nodeSelector={"kubernetes.io/os": "none"}), says="does not match flavor"
    ),
    "FlavorMismatch-resource": Case(
        queue("free") | workers(accelerator={"count": 1}), says="no quota for nvidia.com/gpu"
    ),
    "QuotaExceeded": Case(space="quota", objects=requires("requests.cpu"), says="requested requests.cpu"),
    "QuotaExceeded-unset": Case(space="quota-limits", objects=requires("limits.cpu"), says="requires limits.cpu"),
    "LimitRange": Case(space="limits", objects=LIMITS),
    "PodSecurity": Case(space="restricted"),
    "ServiceAccountMissing": Case(without=("ServiceAccount",)),
    "PolicyDenied": Case(space="policy", objects=DENIES_ALL),
    "WebhookUnreachable": Case(space="webhook", objects=NOBODY_ANSWERS),
    "QueueNamespace": Case(queue("elsewhere")),
    "KueueMissing": Case(queue("gpus"), after=provoked.workers_suspended, bare=True),  # it was there before
    "KueueSilent": Case(
        queue("gpus"),
        space="silent",
        before=provoked.kueue_defined,
        after=provoked.workers_suspended,
        clean=provoked.kueue_undefined,
        bare=True,
    ),
    **{
        f"PodGroupMissing-{gang}-undefined": Case({"scheduling": {"gang": gang}}, without=("PodGroup",), bare=True)
        for gang in ("volcano", "coscheduling")
    },
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
    "LauncherSilent": Case(without=("Job",), before=provoked.launcher_fell_silent),
    "WorkersSuspended": Case(after=provoked.workers_suspended),
    "RunStopped": Case(after=provoked.launcher_deleted),
    "WorkersUnreachable": Case(
        nowhere({"example.com/pool": "none"}) | {"lifecycle": {"startTimeoutSeconds": 1}}, seconds=STARTED
    ),
    "DeadlineExceeded": Case({"training": SILENT, "lifecycle": {"activeDeadlineSeconds": 1}}, seconds=STARTED),
    "InitFailed-code": Case(
        {"code": {"git": {"repository": "https://git.invalid/none.git", "revision": "main"}}},
        seconds=STARTED,
        says="container code",
    ),
    "WorkersNotReached": Case({"training": {"setup": '[ "$DSGEN_ROLE" = launcher ] || sleep 600'}}, seconds=180),
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
    **{
        f"PodGroupMissing-{gang}": Case({"scheduling": {"gang": gang}}, without=("PodGroup",))
        for gang in ("volcano", "coscheduling")
    },
    "GangUnschedulable-volcano": Case({"scheduling": {"gang": "volcano"}}, after=provoked.gang_does_not_fit),
    "GangUnschedulable-coscheduling": Case(
        {"scheduling": {"gang": "coscheduling"}}, after=provoked.members_are_missing
    ),
    "Preempted": Case(
        queue("order") | nowhere({"example.com/pool": "none"}),
        space="preempt",
        before=provoked.order,
        after=provoked.preempted,
        clean=provoked.no_order,
        says="to accommodate job urgent",
    ),
    "WorkloadInactive": Case(queue("taken"), after=provoked.switched_off),
    "WebhookDenied": Case(space="denied", objects=provoked.WEBHOOK, before=provoked.webhook, clean=provoked.no_webhook),
    **{
        reason: Case(
            {"image": {"repository": f"127.0.0.1:{provoked.PORT}/{path}", "tag": "1"}},
            space="registry",
            before=provoked.registry,
        )
        for reason, path in provoked.IMAGES.items()
    },
    "WaitingForTurn": Case(before=provoked.other_run_has_the_turn),
    "KeyEmpty": Case({"ssh": {"secret": {"mode": "existing", "name": "nobody-fills-it"}}}, seconds=120),
    "LauncherNotUp": Case({"launcher": {"initContainers": [SLEEPS]}}, seconds=180),
    "WorkerOrphaned": Case(
        {"launcher": {"initContainers": [SLEEPS]}, "lifecycle": {"orphanTimeoutSeconds": 30}}, seconds=180
    ),
    "RanksSilent": Case({"training": SILENT}, seconds=240),
}
