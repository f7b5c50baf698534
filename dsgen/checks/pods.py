"""Resources of workers and launcher, and what users add to their pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsgen.checks.row import ANY_TEXT, ROLES, Check, Shortcut, quote_text
from dsgen.problems import KeyPath, Severity

GPUS = "^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$"
DEVICES = "^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$"
SEVERAL_EACH = "^([a-z.]*/neuron.*|.*[.]shared)$"
"""One Neuron device has several cores; shares are checked by another row."""
POD_FIELDS = (
    *("activeDeadlineSeconds", "affinity", "automountServiceAccountToken", "containers", "dnsPolicy"),
    *("enableServiceLinks", "ephemeralContainers", "hostNetwork", "hostname", "hostnameOverride", "imagePullSecrets"),
    *("initContainers", "nodeSelector", "priorityClassName", "restartPolicy", "runtimeClassName", "schedulerName"),
    *("securityContext", "serviceAccount", "serviceAccountName", "subdomain", "terminationGracePeriodSeconds"),
    *("tolerations", "topologySpreadConstraints", "volumes"),
)
"""Fields of a pod that dsgen writes, or that would break what it writes."""
CONTAINER_FIELDS = (
    *("args", "command", "env", "envFrom", "image", "imagePullPolicy", "name", "ports", "readinessProbe", "resources"),
    *("restartPolicy", "restartPolicyRules", "securityContext", "terminationMessagePath", "volumeMounts", "workingDir"),
)
"""Fields of the main container that dsgen writes, or that would break what it writes."""
USER_CONTAINERS = Shortcut(
    "if values.workers.initContainers or values.workers.sidecars"
    " or values.launcher.initContainers or values.launcher.sidecars"
)
SEVERAL = ("if values.workers.slots > 1",)
CONTAINER_LOOPS = (ROLES, 'for kind in ["initContainers", "sidecars"]', "for container in values[role][kind]")
RESOURCE = "<< values.workers.accelerator.resource | quote >>"


FEWER_DEVICES = tuple(
    f'values.workers.slots > {count} and value is matching("^[^,]*(,[^,]*){{0,{count - 1}}}$")'
    for count in (1, 2, 3, 4, 6, 7)
)
"""A list of so many devices at most, for more processes."""


def _suggest_cpus(values: Mapping[str, Any], _: KeyPath) -> str:
    return f"set workers.resources.requests.cpu: {values['workers']['slots']}, or more for data loaders"


def _warn_of_shared_device(when: str, what: str, hint: str = "", severity: Severity = "error") -> Check:
    """More processes than accelerators."""
    return Check(
        id="DS206",
        path="workers.slots",
        when=(
            "values.workers.accelerator.count is not none and values.workers.accelerator.count > 0"
            f" and values.workers.slots > values.workers.accelerator.count and {when}"
        ),
        message=(
            "workers.slots: << values.workers.slots >> processes would share"
            f" << values.workers.accelerator.count >> {what}"
        ),
        hint=hint or "set workers.accelerator.count to the same number; count: 0 trains on CPUs",
        inside=SEVERAL,
        severity=severity,
    )


def _test_resource(pattern: str) -> str:
    return f'values.workers.accelerator.resource is matching("{pattern}")'


def _test_no_resource(*patterns: str) -> str:
    return " and ".join(f"not {_test_resource(one)}" for one in patterns)


def _refuse_own_resource(path: str) -> Check:
    return Check(
        id="DS208",
        path=f"{path}.<< values.workers.accelerator.resource >>",
        when=f"values.workers.accelerator.resource in values.{path}",
        message=(
            f"{path}: << values.workers.accelerator.resource | quote >> is written by dsgen from workers.accelerator"
        ),
        hint=(
            "use workers.slots, one for each device, or workers.accelerator.count if that is not the number of slots"
        ),
        inside=(f"if values.{path}",),
        at_key=True,
    )


def _suggest_own_key(_: Mapping[str, Any], path: KeyPath) -> str:
    from dsgen.schema import suggestions  # imported late: only problems need it

    return suggestions.suggest_field(*map(str, path))


def _refuse_extra_fields(id_: str, key: str, fields: tuple[str, ...], what: str) -> Check:
    return Check(
        id=id_,
        path=f"<< role >>.{key}.<< field >>",
        when=f"field in [{', '.join(map(quote_text, fields))}]",
        message=f"<< role >>.{key}: << field | quote >> {what}",
        hint="use the key that dsgen has for it, if there is one; `dsgen explain KEY` lists the keys",
        exact_hint=_suggest_own_key,
        inside=(
            Shortcut(f"if values.workers.{key} or values.launcher.{key}"),
            ROLES,
            f'for field, value in values[role]["{key}"] | items',
        ),
        at_key=True,
    )


ROWS = (
    Check(
        id="DS361",
        path="workers.accelerator.count",
        when=(
            "values.workers.accelerator.count is not none"
            f" and values.workers.accelerator.count > values.workers.slots and ({_test_resource(GPUS)}"
            f" or {_test_resource(DEVICES)})"
        ),
        message=(
            "workers.accelerator.count: << values.workers.slots >> of << values.workers.accelerator.count >> devices"
            " would be used, one for each process"
        ),
        hint=(
            "set workers.slots to the number of devices; if each process uses several, set training.env."
            "CUDA_VISIBLE_DEVICES"
        ),
        inside=(
            "if not runs_command(values)",
            'if not "CUDA_VISIBLE_DEVICES" in values.training.env',
        ),
        severity="warning",
    ),
    Check(
        id="DS368",
        path="workers.accelerator.count",
        when=(
            "values.workers.accelerator.count is not none and values.workers.accelerator.count == 0"
            ' and not "DS_ACCELERATOR" in values.training.env and not requests_devices(values.workers)'
            f' and not values.training.setup is matching("^{ANY_TEXT}DS_ACCELERATOR{ANY_TEXT}$")'
        ),
        message="workers.accelerator.count is 0, but DeepSpeed may choose GPUs that the image or the node exposes",
        hint="set training.env.DS_ACCELERATOR: cpu to train on CPUs",
        inside=("if not runs_command(values)",),
        severity="warning",
    ),
    _warn_of_shared_device(
        _test_resource(GPUS),
        ("GPUs"),
        "each process needs its own GPU: set workers.accelerator.count to the same number; count: 0 trains on CPUs",
    ),
    _warn_of_shared_device(_test_resource(DEVICES), f"of {RESOURCE}"),
    _warn_of_shared_device(_test_no_resource(GPUS, DEVICES, SEVERAL_EACH), f"of {RESOURCE}", severity="warning"),
    Check(
        id="DS207",
        path="workers.slots",
        when=(
            'values.workers.accelerator.resource is matching("^nvidia[.]com/mig-.*$")'
            " and (values.workers.accelerator.count is none or values.workers.accelerator.count > 0)"
        ),
        message=(
            "workers.slots: a process can use only one MIG slice of its pod, so << values.workers.slots >>"
            " processes would share it"
        ),
        hint="use workers.slots: 1 and more workers.replicas",
        inside=SEVERAL,
    ),
    Check(
        id="DS209",
        path="workers.slots",
        when=(
            'values.workers.accelerator.resource is matching("^.*[.]shared$")'
            " and (values.workers.accelerator.count is none or values.workers.accelerator.count > 0)"
        ),
        message=(
            "workers.slots: several shares of << values.workers.accelerator.resource | quote >> may belong to one GPU,"
            " which << values.workers.slots >> processes would then share"
        ),
        hint="use workers.slots: 1, or GPUs that are not shared",
        inside=SEVERAL,
        severity="warning",
    ),
    _refuse_own_resource("workers.resources.requests"),
    _refuse_own_resource("workers.resources.limits"),
    Check(
        id="DS237",
        path="workers.spread",
        when='"podAntiAffinity" in values.workers.affinity',
        message="workers.spread becomes a podAntiAffinity, but workers.affinity already has one",
        hint="keep one of them",
        inside=('if values.workers.spread != "none"',),
    ),
    _refuse_extra_fields("DS232", "extraPodSpec", POD_FIELDS, "is a field of the pod that dsgen writes"),
    _refuse_extra_fields(
        "DS233", "extraContainerSpec", CONTAINER_FIELDS, "is a field of the container that dsgen writes"
    ),
    Check(
        id="DS385",
        path="workers.resources.requests.cpu",
        when="cpus < values.workers.slots",
        message=(
            "workers.resources.requests.cpu: a worker has << values.workers.slots >> processes and requests fewer CPUs"
        ),
        hint="request at least one CPU for each process, and one for each of its data loaders",
        exact_hint=_suggest_cpus,
        inside=(
            *SEVERAL,
            'if "cpu" in values.workers.resources.requests',
            'set cpus = requested(values.workers, "worker", "cpu") | int',
        ),
        severity="warning",
    ),
    Check(
        id="DS386",
        path="training.env.CUDA_VISIBLE_DEVICES",
        when="value is string and (" + " or ".join(FEWER_DEVICES) + ")",
        message=(
            "training.env.CUDA_VISIBLE_DEVICES: << value | quote >> names fewer devices than the"
            " << values.workers.slots >> processes of a worker need"
        ),
        hint="remove it: each process uses the device of its own number",
        inside=(
            *SEVERAL,
            'if "CUDA_VISIBLE_DEVICES" in values.training.env',
            'set value = values.training.env["CUDA_VISIBLE_DEVICES"]',
        ),
        severity="warning",
    ),
)
