"""Who keeps a job's objects as they are: Argo CD, Flux, Helm or kubectl, from what they leave on an object."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dsgen.cluster.facts import Job

ARGO_ID, ARGO_LABEL = "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance"
FLUX, FLUX_HELM = "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"
HELM = "meta.helm.sh"


class Owner(NamedTuple):
    """A tool, how it shows itself, and how a change is made under it."""

    title: str
    name: Callable[[Job], str]
    change: str


def _flux(prefix: str) -> Callable[[Job], str]:
    def name(job: Job) -> str:
        found = job.labels.get(f"{prefix}/name", "")
        return f"{job.labels.get(f'{prefix}/namespace', '')}/{found}" if found else ""

    return name


def _argo(job: Job) -> str:
    return job.annotations.get(ARGO_ID, "").partition(":")[0] or job.labels.get(ARGO_LABEL, "")


COMMIT = "change the values file, render it and commit"
OWNERS = (
    Owner("Argo CD application", _argo, COMMIT),
    Owner("Flux HelmRelease", _flux(FLUX_HELM), COMMIT),
    Owner("Flux Kustomization", _flux(FLUX), COMMIT),
    Owner(
        "Helm release", lambda job: job.annotations.get(f"{HELM}/release-name", ""), "change the values, helm upgrade"
    ),
)
"""In this order: Argo CD and Flux leave their marks beside Helm's."""


def owner(job: Job | None) -> tuple[Owner, str] | None:
    """The tool that would undo a change of this Job, and the name of its application or release."""
    found = ((one, one.name(job)) for one in OWNERS) if job else ()
    return next(((one, name) for one, name in found if name), None)


def manager(job: Job | None) -> str:
    """Who has made a Job, in words; empty when that cannot be seen."""
    if found := owner(job):
        return f"{found[0].title} {found[1]}"
    return "kubectl" if job and any(name.startswith("kubectl") for name in job.managers) else ""
