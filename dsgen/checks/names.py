"""Names of objects and pods, labels and annotations, the image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsgen.checks.row import ROLES, Check, Shared, Shortcut
from dsgen.problems import KeyPath

MOVING_TAG = "^((.*-)?(latest|nightly)|main|master|develop|dev|devel|edge|head|stable)?$"
"""Tags that most registries move to the newest image."""
JOB = "set job = job_name(values, release)"
OTHER_IMAGES: dict[str, tuple[str, ...]] = {
    "code.git.image": ("if values.code.git.repository",),
    "launcher.image": (),
    "status.image": (),
    "monitoring.tensorboard.image": ("if values.monitoring.tensorboard.enabled",),
}
"""The keys of images besides `image`, and the conditions under which they are used."""


KUEUE = "kueue.x-k8s.io/"
WRITTEN_FROM = {
    f"{KUEUE}queue-name": "scheduling.queue",
    f"{KUEUE}priority-class": "scheduling.priorityClass",
    f"{KUEUE}podset-required-topology": "scheduling.topology.required",
    f"{KUEUE}podset-preferred-topology": "scheduling.topology.preferred",
}
"""Labels and annotations that dsgen writes, and the keys from which it does."""


def _suggest_key(_: Mapping[str, Any], path: KeyPath) -> str:
    key = WRITTEN_FROM.get(str(path[-1]))
    return f"use {key}" if key else ""


def _refuse_reserved_keys(path: str, *around: str, keys: str = "") -> Check:
    keys = keys or f"values.{path}"
    return Check(
        id="DS230",
        path=f"{path}.<< key >>",
        when="reserved_key(key)",
        message=f"{path}: << key | quote >> is written by dsgen or Kubernetes",
        hint="use a key in a domain of your own, such as example.com/team",
        exact_hint=_suggest_key,
        inside=(*around, f"for key, value in {keys} | items"),
        at_key=True,
        shared=(Shared(path, len(around), "keys", "the keys of labels or annotations, `keys`", (("keys", keys),)),),
    )


def _warn_of_no_version(path: str, *inside: str) -> Check:
    return Check(
        id="DS250",
        path=path,
        when=(
            f'values.{path} and not values.{path} is matching("^.*(@.*|:[^/]*)$")'
            f' or values.{path} is matching("^.*:latest$")'
        ),
        message=f"{path}: the image has no fixed version",
        hint="use a tag that is never moved, or a digest: the same run id should always mean the same code",
        inside=inside,
        severity="warning",
    )


ROWS = (
    Check(
        id="DS201",
        path="image.repository",
        when="not values.image.repository",
        message="image.repository is required",
        hint="set it to the image of the training, such as registry.example.com/team/cifar",
    ),
    Check(
        id="DS250",
        path="image.tag",
        when=f'values.image.repository and not values.image.digest and values.image.tag is matching("{MOVING_TAG}")',
        message="the image has no fixed version",
        hint="use a tag that is never moved, or a digest: the same run id should always mean the same code",
        severity="warning",
    ),
    *(_warn_of_no_version(path, *inside) for path, inside in OTHER_IMAGES.items()),
    Check(
        id="DS204",
        path="name",
        when="run | length + last | length > 63",
        message=(
            "the names of the pods are too long: << run | quote >> has << run | length >> characters and << last >> has"
            " << last | length >>, but together they can have at most 63"
        ),
        hint="shorten the name of the job or run.id",
        inside=(
            "set run = run_name(values, release)",
            'set last = "-worker-" ~ (worker_pods(values) | int - 1)',
        ),
    ),
    Check(
        id="DS382",
        path="namespace",
        when='namespace(values, release) in ["kube-system", "kube-public", "kube-node-lease"]',
        message="<< namespace(values, release) | quote >> is a namespace of Kubernetes itself",
        hint="use a namespace of your own: many policies, quotas and log collectors leave this one out",
        severity="warning",
    ),
    Check(
        id="DS340",
        path="name",
        when="job | length > 51",
        message=(
            "<< job | quote >> has << job | length >> characters and -tensorboard has 12, but the name of a Service can"
            " have at most 63"
        ),
        hint="shorten the name of the job",
        inside=(
            "if values.monitoring.tensorboard.enabled",
            JOB,
        ),
    ),
    Check(
        id="DS343",
        path="run.id",
        when='run_id(values) == "tensorboard"',
        message="run.id: the Service of the run tensorboard would have the same name as TensorBoard's Service",
        hint="choose another run.id",
        inside=("if values.monitoring.tensorboard.enabled",),
    ),
    Check(
        id="DS205",
        path="name",
        when='job and not job is matching("^[a-z]([-a-z0-9]*[a-z0-9])?$")',
        message="<< job | quote >> is not a valid job name",
        hint="use lower-case letters, digits and hyphens; begin with a letter, and do not end with a hyphen",
        inside=(JOB,),
    ),
    _refuse_reserved_keys("labels"),
    _refuse_reserved_keys("annotations"),
    _refuse_reserved_keys(
        "<< role >>.podLabels",
        Shortcut("if values.workers.podLabels or values.launcher.podLabels"),
        ROLES,
        keys='values[role]["podLabels"]',
    ),
    _refuse_reserved_keys("<< role >>.podAnnotations", ROLES, keys='values[role]["podAnnotations"]'),
    _refuse_reserved_keys("serviceAccount.annotations"),
    Check(
        id="DS231",
        path="serviceAccount.annotations.<< key >>",
        when="key in values.annotations",
        message="serviceAccount.annotations: << key | quote >> is also in annotations",
        hint="keep one of them",
        inside=("for key, value in values.serviceAccount.annotations | items",),
        at_key=True,
    ),
)
