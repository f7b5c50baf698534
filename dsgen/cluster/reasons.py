"""The reasons of a run: those in its record, and the causes that `dsgen why` finds; `dsgen explain` shows both."""

from __future__ import annotations

import re
from typing import NamedTuple

RECORDED = {
    "LauncherStarting": "the launcher container is starting or runs `training.setup`; see its log",
    "RanksStarting": "the training has been started; not all ranks have reported yet",
    "WaitingForKey": "the Secret does not contain the ssh key yet",
    "WaitingForTurn": "an earlier run of the job has not ended yet; two runs never train at the same time",
    "WaitingForWorkers": "not all workers answer yet; `dsgen why` shows the cause",
    "WorkersSuspended": "a queue or a user has suspended the worker Job; this time does not count towards any timeout",
    "CodeFailed": "`code.git` could not be cloned; the message has the cause, such as a wrong key or a missing commit",
    "Preflight": (
        "the workers test the network in pairs (`launch.preflight.network`). Failed: the message names workers that "
        "cannot exchange data, and there are not enough spares to replace them"
    ),
    "Resizing": (
        "the first worker converts the newest checkpoint, which another number of ranks has saved "
        "(`training.deepspeed.resize`); the message says how much it has written"
    ),
    "ResizeRefused": (
        "the newest checkpoint would not be continued as it was saved, so nothing was started; the message has the "
        "cause. Train with the earlier number of workers, or see [changing-workers.md](changing-workers.md)"
    ),
    "ResizeFailed": (
        "the conversion of the newest checkpoint failed; the message has its last line. The checkpoint is unchanged"
    ),
    "Debug": (
        "`lifecycle.debug` is enabled: all pods run, but no training is started. After the end: the result of the "
        "debug command"
    ),
    "TrainingFailed": (
        "the training program ended with a nonzero exit code; `tail` of the attempt has the last lines of its output"
    ),
    "Hung": (
        "the training printed nothing, or reached no new step, for `lifecycle.hangTimeoutSeconds`; the message names "
        "the rank that the others seem to wait for, and the log has the stacks of all ranks"
    ),
    "WorkersLost": (
        "a worker pod was lost, for example evicted or on a lost node; the launcher waits for its replacement, with "
        "`workers.min` for at most `lifecycle.resizeAfterSeconds`. Failed: more pods were lost than "
        "`lifecycle.workerReplacements` allows"
    ),
    "Growing": (
        "an attempt of fewer workers (`workers.min`) has ended after a checkpoint, because all workers answer again"
    ),
    "WorkersFailed": "the worker Job failed; see the logs of its pods and `kubectl describe job cifar-1-worker`",
    "WorkersUnreachable": "some workers did not answer in time; the message names them",
    "RanksNeverMet": (
        "the training program ended with 0, but its ranks never connected to each other, so each trained alone. Check "
        "that it calls `deepspeed.init_distributed()` and does not change the variables that dsgen sets. For a program "
        "that needs no process group, set `launch.expectWorld: false`"
    ),
    "WorldSize": (
        "the process group has fewer ranks than the values ask for; check that the program calls "
        "`deepspeed.init_distributed()`"
    ),
    "DeadlineExceeded": "the run took longer than `lifecycle.activeDeadlineSeconds`",
    "LauncherTerminated": "the launcher pod was stopped or its node drained; a new pod continues",
    "LauncherLost": "the launcher pod was lost; a new pod continues. Failed: the Job does not allow another pod",
    "JobSuspended": "`lifecycle.suspend` is true, or a user has suspended the launcher Job",
    "JobDeleted": "the launcher Job was deleted, by a user or because the run was pruned",
    "KeygenFailed": "the ssh key could not be generated; the message has the cause",
    "BadKey": "the Secret does not contain a valid key; the message has the details",
    "SetupFailed": "`training.setup` failed in the launcher; the message has the last lines of its output",
    "ToolMissing": "the image lacks a required program; see [image.md](image.md)",
    "LeaseLost": "another run took over the lease of the job while the API could not be reached",
    "RecordUnavailable": (
        "the sidecar cannot read or write the record; check that the ServiceAccount, Role and ConfigMap exist"
    ),
    "RuntimeChanged": (
        "the scripts in the cluster were deleted and created with another content; apply those of the run again, and "
        "use a new `run.id`"
    ),
    "InternalError": "an error in dsgen; please report it with the log of the launcher",
}
"""The reasons of scripts/shared/record.py, in the order of a run, and what they say; a test compares both."""
PHASES_OF = {
    **dict.fromkeys(
        ("LauncherStarting", "WaitingForKey", "WaitingForTurn", "WaitingForWorkers", "LauncherTerminated"), ("Pending",)
    ),
    **dict.fromkeys(("RanksStarting", "Resizing"), ("Starting",)),
    "WorkersSuspended": ("Queued",),
    "Preflight": ("Starting", "Failed"),
    "Debug": ("Running", "Succeeded", "Failed"),
    **dict.fromkeys(("TrainingFailed", "Hung"), ("Restarting", "Failed")),
    **dict.fromkeys(("WorkersLost", "LauncherLost"), ("Pending", "Failed")),
    "Growing": ("Restarting",),
    "JobSuspended": ("Suspended",),
    "JobDeleted": ("Stopped",),
}
"""The phases in which the record has a reason, if these are not Failed alone."""


class CauseRule(NamedTuple):
    """A known cause: a pattern, the message, and the keys of the values file to change."""

    pattern: str
    reason: str
    message: str
    keys: tuple[str, ...] = ()


RESOURCES = ("workers.resources", "workers.accelerator.count")
IMAGE = ("image.repository", "image.tag", "launcher.image", "status.image", "code.git.image")

RULES = {  # where diagnosis looks, root causes first
    "scripts": (
        CauseRule(
            r"(?P<names>.*): (?P<command>.*)",
            "RuntimeMissing",
            "pods of {about} wait for shared scripts that do not exist ({names}), and start by themselves after, with "
            "the dsgen that rendered the run: {command}. No timeout runs while all pods wait, and they hold their "
            "accelerators; if only a replaced worker waits, lifecycle.startTimeoutSeconds ends the run",
            ("runtime.name",),
        ),
    ),
    "creation": (
        CauseRule(
            r"[Ss]ervice ?[Aa]ccount.* \"?(?P<name>[\w.-]+)\"? not found",
            "ServiceAccountMissing",
            "ServiceAccount {name} does not exist, so no pod of {about} can be created",
            ("serviceAccount.name",),
        ),
        CauseRule(
            r"exceeded quota: (?P<name>[\w.-]+), requested: (?P<asked>.*?), used: (?P<used>.*?), "
            r"limited: (?P<limit>.*)",
            "QuotaExceeded",
            "ResourceQuota {name} of the namespace refuses pods: requested {asked}, in use {used}, limit {limit}",
            RESOURCES,
        ),
        CauseRule(
            r"failed quota: (?P<name>[\w.-]+): must specify (?P<what>.*)",
            "QuotaExceeded",
            "ResourceQuota {name} of the namespace requires {what} in every container",
            RESOURCES,
        ),
        CauseRule(
            r"violates PodSecurity \"(?P<level>[^\"]+)\": (?P<what>.*)",
            "PodSecurity",
            "the namespace enforces Pod Security {level}, which refuses the pods: {what}",
            ("security.podSecurityLevel",),
        ),
        CauseRule(
            r"(?:maximum|minimum) \S+ usage per|max(?:imum)? .*limit to request ratio|per (?:Container|Pod) is",
            "LimitRange",
            "a LimitRange of the namespace refuses pods: {text}",
            RESOURCES,
        ),
        CauseRule(
            r"admission webhook \"(?P<name>[^\"]+)\" denied the request: ?(?P<what>.*)",
            "WebhookDenied",
            "the admission webhook {name} refuses pods: {what}",
        ),
        CauseRule(
            r"ValidatingAdmissionPolicy '(?P<name>[^']+)'.*denied request: ?(?P<what>.*)",
            "PolicyDenied",
            "the admission policy {name} refuses pods: {what}",
        ),
        CauseRule(
            r"failed calling webhook \"(?P<name>[^\"]+)\"",
            "WebhookUnreachable",
            "the API server cannot reach the admission webhook {name}; ask the administrator of the cluster",
        ),
        CauseRule(
            r"no PriorityClass with name (?P<name>[\w.-]+)",
            "PriorityClassMissing",
            "PriorityClass {name} does not exist",
            ("scheduling.priorityClass", "workers.priorityClassName"),
        ),
        CauseRule(r"", "PodsRefused", "the API server refuses the pods of {about}: {text}"),
    ),
    "job": (
        CauseRule(r"missing (?P<role>\w+)", "JobMissing", "{about} does not exist: it was deleted, or never applied"),
    ),
    "queue": (
        CauseRule(
            r"no Kueue (?P<queue>\S+)",
            "KueueMissing",
            "{about} names the queue {queue}, but the cluster has no Kueue",
            ("scheduling.queue",),
        ),
        CauseRule(
            r"no Workload (?P<queue>\S+)",
            "KueueSilent",
            "{about} waits for the queue {queue}, but has no Workload; check that Kueue manages the namespace",
            ("scheduling.queue", "lifecycle.suspend"),
        ),
        CauseRule(
            r"LocalQueue (?P<queue>\S+) doesn't exist",
            "QueueMissing",
            "the namespace has no queue {queue}",
            ("scheduling.queue",),
        ),
        CauseRule(
            r"ClusterQueue (?P<queue>\S+) doesn't exist",
            "QueueMissing",
            "the ClusterQueue {queue} behind the queue does not exist",
            ("scheduling.queue",),
        ),
        CauseRule(
            r"(?P<queue>(?:Cluster|Local)Queue \S+) is inactive",
            "QueueInactive",
            "{queue} is inactive and admits no workloads",
        ),
        CauseRule(r"^inactive", "WorkloadInactive", "the Workload of {about} is deactivated (spec.active is false)"),
        CauseRule(
            r"namespace doesn't match",
            "QueueNamespace",
            "the queue does not admit jobs of this namespace",
            ("scheduling.queue",),
        ),
        CauseRule(
            r"insufficient quota for (?P<what>\S+) in flavor (?P<flavor>[^\s,]+).* > maximum capacity "
            r"\((?P<most>[^)]*)\)",
            "QuotaNever",
            "the queue can never admit this run: it requests more {what} than flavor {flavor} has ({most})",
            RESOURCES,
        ),
        CauseRule(
            r"untolerated taint (?P<what>.*?) in flavor (?P<flavor>[^\s,]+)",
            "FlavorMismatch",
            "flavor {flavor} of the queue has the taint {what}, which the workers do not tolerate",
            ("workers.tolerations",),
        ),
        CauseRule(
            r"flavor (?P<flavor>\S+) doesn't match node affinity",
            "FlavorMismatch",
            "the node selector of the workers does not match flavor {flavor} of the queue",
            ("workers.nodeSelector",),
        ),
        CauseRule(
            r"resource (?P<what>\S+) unavailable in ClusterQueue",
            "FlavorMismatch",
            "the queue has no quota for {what}",
            ("scheduling.queue", *RESOURCES),
        ),
        CauseRule(
            r"^Evicted Preempted in \S+ (?P<what>.*)",
            "Preempted",
            "{about} was preempted by another job: {what}",
            ("scheduling.priorityClass",),
        ),
        CauseRule(
            r"insufficient unused quota for (?P<what>\S+) in flavor (?P<flavor>[^\s,]+),? ?(?P<more>[^,;.]*)",
            "QuotaTaken",
            "the quota of flavor {flavor} is in use: {more} ({what}); the run waits for its turn",
        ),
        CauseRule(r"^QuotaReserved (?P<what>.*)", "QueueWaits", "{about} waits in its queue: {what}"),
    ),
    "gang": (
        CauseRule(
            r"no PodGroup (?P<name>\S+)",
            "PodGroupMissing",
            "{about} does not exist: it was deleted, or the cluster does not have the scheduler of scheduling.gang",
            ("scheduling.gang",),
        ),
        CauseRule(
            r"no scheduler (?P<name>\S+)",
            "SchedulerMissing",
            "the scheduler {name} does not handle {about}; check that it is running",
            ("scheduling.gang", "workers.schedulerName"),
        ),
        CauseRule(
            r"Unschedulable (?P<what>.*)",
            "GangUnschedulable",
            "{about}: not all workers fit at the same time: {what}",
            ("workers.replicas", *RESOURCES),
        ),
    ),
    "claim": (
        CauseRule(
            r"storageclass\S* \"(?P<name>[^\"]+)\" not found",
            "StorageClassMissing",
            "{about} uses StorageClass {name}, which does not exist",
            ("storage.NAME.create.storageClass",),
        ),
        CauseRule(
            r"no storage class is set",
            "StorageClassMissing",
            "{about} names no StorageClass, and the cluster has no default one",
            ("storage.NAME.create.storageClass",),
        ),
        CauseRule(
            r"^(?:ProvisioningFailed|ExternalProvisioning): (?P<what>.*)",
            "ClaimUnbound",
            "no volume could be provisioned for {about}: {what}",
            ("storage.NAME.create.storageClass", "storage.NAME.create.accessModes"),
        ),
    ),
    "scheduling": (
        CauseRule(
            r"persistentvolumeclaim \"(?P<name>[^\"]+)\" not found",
            "ClaimMissing",
            "claim {name}, which {about} mounts, does not exist",
            ("storage.NAME.existingClaim",),
        ),
        CauseRule(
            r"unbound immediate PersistentVolumeClaims",
            "ClaimUnbound",
            "a claim of {about} has no volume yet",
            ("storage.NAME.create",),
        ),
        CauseRule(
            r"volume node affinity conflict|didn't match PersistentVolume's node affinity",
            "VolumeZone",
            "the volume of a claim can only be used on nodes on which {about} cannot run",
            ("storage.NAME", "workers.nodeSelector"),
        ),
        # No node takes them.
        CauseRule(
            r"(?i)podgroup|gang|minMember",
            "GangUnschedulable",
            "{about}: not all workers fit at the same time: {text}",
            ("workers.replicas", *RESOURCES),
        ),
        CauseRule(
            r"^too large: (?P<asked>\S+) (?P<what>\S+) of (?P<largest>[^;]+);",
            "NoNodeBigEnough",
            "{asked} {what} requested, no node has more than {largest}",
            RESOURCES,
        ),
        CauseRule(
            r"^taken: (?P<asked>\S+) (?P<what>[^;]+);",
            "NodesFull",
            "{asked} {what} requested, and no node has that many free",
            RESOURCES,
        ),
        CauseRule(
            r"^no label (?P<label>[^;]+); (?P<found>.*)",
            "NoNodeSelected",
            "no node has the label {label}, which {about} selects: {found}",
            ("workers.nodeSelector", "workers.affinity"),
        ),
        CauseRule(
            r"didn't match Pod's node affinity/selector",
            "NoNodeSelected",
            "no free node has the labels that {about} selects",
            ("workers.nodeSelector", "workers.affinity"),
        ),
        CauseRule(
            r"topology spread|anti-?affinity",
            "SpreadImpossible",
            "the remaining nodes do not satisfy the affinity or spread constraints of the workers",
            ("workers.affinity", "scheduling.topology"),
        ),
        CauseRule(
            r"untolerated taint \{[^}]*node\.kubernetes\.io/(?:unreachable|not-ready)",
            "NodeNotReady",
            "the nodes that {about} may run on are not ready",
            ("workers.nodeSelector",),
        ),
        CauseRule(
            r"untolerated taint\(?s?\)? ?(?P<what>\{[^}]*\})?",
            "TaintNotTolerated",
            "the nodes have a taint {what} that {about} does not tolerate",
            ("workers.tolerations",),
        ),
        CauseRule(
            r"^SchedulingGated",
            "SchedulingGated",
            "{about} has a scheduling gate; the controller that added it must remove it",
        ),
        CauseRule(r"", "Unschedulable", "no node fits {about}: {text}"),
    ),
    "container": (
        CauseRule(
            r"^ErrImageNeverPull",
            "ImageNotOnNode",
            "{about}: the image is not on the node, and image.pullPolicy is Never",
            ("image.pullPolicy", *IMAGE),
        ),
        CauseRule(r"^InvalidImageName", "ImageName", "{about}: the name of the image is not valid", IMAGE),
        CauseRule(
            r"(?i)image.*(?:toomanyrequests|429|rate limit)",
            "ImageRateLimit",
            "{about}: the rate limit of the registry is exceeded",
            ("image.pullSecrets",),
        ),
        CauseRule(
            r"(?i)image.*(?:unauthorized|denied|forbidden|\b40[13]\b|authorization failed)",
            "ImageAccess",
            "{about}: the registry refuses the pull",
            ("image.pullSecrets",),
        ),
        CauseRule(
            r"(?i)image.*(?:not found|manifest unknown|no such manifest)",
            "ImageMissing",
            "{about}: the image is not in the registry",
            IMAGE,
        ),
        CauseRule(
            r"(?i)image.*(?:no such host|dial tcp|i/o timeout|connection refused|try again|TLS|x509)",
            "RegistryUnreachable",
            "{about}: the node cannot reach the registry",
            IMAGE,
        ),
        CauseRule(
            r"^(?:ErrImagePull|ImagePullBackOff|ImageInspectError|RegistryUnavailable)",
            "ImagePull",
            "{about}: the image cannot be pulled",
            IMAGE,
        ),
        CauseRule(
            r"^CreateContainerConfigError: (?P<kind>secret|configmap) \"(?P<name>[^\"]+)\" not found",
            "ConfigMissing",
            "{kind} {name}, which {about} reads, does not exist",
            ("training.envFrom", "training.env"),
        ),
        CauseRule(
            r"^CreateContainerConfigError: couldn't find key (?P<key>\S+) in (?P<kind>\w+) (?P<name>\S+)",
            "ConfigKeyMissing",
            "{kind} {name} has no key {key}, which {about} reads",
            ("training.env",),
        ),
        CauseRule(
            r"runAsNonRoot|run as root",
            "RunAsRoot",
            "{about} would run as root, but the pod requires runAsNonRoot",
            ("security.podSecurityContext",),
        ),
        CauseRule(
            r"^(?:RunContainerError|CreateContainerError|StartError|CrashLoopBackOff): ?(?P<what>.*)",
            "ContainerCannotStart",
            "{about} cannot start: {what}",
            IMAGE,
        ),
    ),
    "mount": (
        CauseRule(
            r"(?P<kind>secret|configmap) \"(?P<name>[^\"]+)\" not found",
            "ConfigMissing",
            "{kind} {name}, which {about} mounts, does not exist",
            ("storage.NAME", "code.git.secretName", "ssh.secret.name"),
        ),
        CauseRule(
            r"references non-existent (?P<kind>secret|config) key: (?P<key>\S+)",
            "ConfigKeyMissing",
            "a {kind} that {about} mounts has no key {key}",
            ("storage.NAME",),
        ),
        CauseRule(
            r"^FailedCreatePodSandBox: (?P<what>.*)",
            "SandboxFailed",
            "the node cannot create the sandbox of {about}: {what}",
        ),
        CauseRule(
            r"^\w+: (?P<what>.*)", "MountFailed", "a volume of {about} cannot be mounted: {what}", ("storage.NAME",)
        ),
    ),
    "exit": (
        CauseRule(
            r"^\w+ OOMKilled",
            "OutOfMemory",
            "{about} was killed because it exceeded its memory limit",
            ("workers.resources.limits.memory",),
        ),
        CauseRule(
            r"^\w+ (?:StartError|ContainerCannotRun) \d+ ?(?P<what>.*)",
            "ContainerCannotStart",
            "{about} cannot start: {what}",
            IMAGE,
        ),
        CauseRule(
            r"^\w+ \S* ?78\b.*?(?P<what>there is no python3 in this image|python3 of this image is [^:]*)",
            "PythonMissing",
            "{about}, or its container status: {what}; dsgen needs 3.8 or later",
            ("image", "launcher.image", "status.image"),
        ),
        CauseRule(
            r"^worker \S* ?78\b.*the check of launch\.preflight says: (?P<what>.*)",
            "ImageLacks",
            "{about} lacks what the training needs: {what}",
            ("image", "launch.preflight", "workers.sharedMemory", "training.setup"),
        ),
        CauseRule(r"(?P<what>the scripts in \S+ are not those of this run)", "RuntimeChanged", "{about}: {what}"),
        CauseRule(
            r"^worker \S* ?78\b ?(?P<what>.*)",
            "WorkerUnfit",
            "{about} cannot use the image or the key; see the last line of its log. {what}",
            ("image", "launch.method"),
        ),
        CauseRule(
            r"^worker \S* ?75\b",
            "WorkerOrphaned",
            "{about} ended because no launcher had contacted it for lifecycle.orphanTimeoutSeconds",
            ("lifecycle.orphanTimeoutSeconds",),
        ),
        CauseRule(
            r"^init \S* ?(?P<code>\d+) ?(?P<what>.*)",
            "InitFailed",
            "{about} ended with exit code {code}; see its log. {what}",
            ("code.git", "workers.initContainers", "launcher.initContainers"),
        ),
    ),
    "node": (CauseRule(r"NotReady (?P<role>\w+)", "NodeNotReady", "{about} is not ready; a {role} pod is on it"),),
    # What the run itself says.
    "wait": (
        CauseRule(r"^key", "KeyEmpty", "{about} contains no ssh key", ("ssh.secret",)),
        CauseRule(
            r"^(?P<count>\d+) workers",
            "WorkersNotReached",
            "all {count} workers run, but the launcher cannot reach them; check whether a network policy blocks ssh",
            ("network.policy",),
        ),
        CauseRule(
            r"^ranks (?P<seconds>\d+)",
            "RanksSilent",
            "the training was started {seconds} s ago, and its ranks have not met: the program has not called "
            "deepspeed.init_distributed() yet, or the ranks cannot reach each other",
            ("launch.expectWorld", "network.socketInterface"),
        ),
    ),
    "phase": (
        CauseRule(
            r"^Pending WaitingForTurn (?P<what>.*)",
            "WaitingForTurn",
            "{what}; two runs of a job never train at the same time",
        ),
        CauseRule(
            r"^Unknown (?P<reason>\w+) (?P<what>.*)", "LauncherSilent", "the state of the run is not known: {what}"
        ),
        CauseRule(
            r"^Suspended \w* ?(?P<what>.*)", "JobSuspended", "the run is suspended: {what}", ("lifecycle.suspend",)
        ),
        CauseRule(
            r"^Queued WorkersSuspended (?P<what>.*)",
            "WorkersSuspended",
            "the workers are suspended: {what}",
            ("scheduling.queue", "lifecycle.suspend"),
        ),
        CauseRule(
            r"^Failed WorkersUnreachable (?P<what>.*)",
            "WorkersUnreachable",
            "not all workers answered in time: {what}",
            ("lifecycle.startTimeoutSeconds",),
        ),
        CauseRule(
            r"^Failed DeadlineExceeded",
            "DeadlineExceeded",
            "the run took longer than lifecycle.activeDeadlineSeconds",
            ("lifecycle.activeDeadlineSeconds",),
        ),
        CauseRule(r"^Failed (?P<reason>\w+) (?P<what>.*)", "RunFailed", "the run has failed, {reason}: {what}"),
        CauseRule(
            r"^Stopped",
            "RunStopped",
            "the launcher Job was deleted, by a user or because the run was pruned",
            ("run.id",),
        ),
    ),
    "held": (
        CauseRule(
            r"^(?P<count>\d+) (?P<devices>\d+)",
            "LauncherNotUp",
            "{about} has no running launcher, but {count} workers are running and hold {devices} accelerators",
            ("launcher.resources",),
        ),
    ),
}

GENERAL = ("WorkersSuspended", "ClaimUnbound")
"""Causes that are shown only if no other cause is found."""

PLACEHOLDERS = "Words in capitals are placeholders for names and numbers."


def list_reasons() -> list[str]:
    return list(dict.fromkeys([*RECORDED, *(rule.reason for rules in RULES.values() for rule in rules)]))


def explain_reason(reason: str) -> list[str]:
    """The explanation of a known reason, as lines."""
    lines = [reason, ""]
    if recorded := RECORDED.get(reason):
        phases = " or ".join(PHASES_OF.get(reason, ("Failed",)))
        lines += [f"In the record, with the phase {phases}: {recorded}"]
    rules = [rule for place in RULES.values() for rule in place if rule.reason == reason]
    lines += [f"From dsgen why: {capitalize_placeholders(rule.message)}" for rule in rules]
    keys = dict.fromkeys(key for rule in rules for key in rule.keys)
    if keys:
        lines += [f"In the values file: {', '.join(keys)}"]
    return [*lines, *([PLACEHOLDERS] if any("{" in rule.message for rule in rules) else [])]


def capitalize_placeholders(sentence: str) -> str:
    """A sentence of the table, with its placeholders in capitals."""
    words = {"about": "OBJECT", "text": "MESSAGE"}
    return re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[1].upper()), sentence).rstrip(":. ")
