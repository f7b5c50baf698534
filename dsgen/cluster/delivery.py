"""Who keeps a job's objects as they are: Argo CD, Flux, Helm or kubectl, from what they leave on an object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from dsgen.cluster.facts import Job

ARGO_ID, ARGO_LABEL = "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance"
FLUX, FLUX_HELM = "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"
HELM = "meta.helm.sh"


class Marked(Protocol):
    """Any object, such as a Job: tools leave their marks in its metadata."""

    @property
    def labels(self) -> Mapping[str, str]: ...

    @property
    def annotations(self) -> Mapping[str, str]: ...


class Owner(NamedTuple):
    """A tool, how it shows itself, how a change is made under it, and how a job is removed."""

    title: str
    name: Callable[[Marked], str]
    change: str
    removal: str


def _flux(prefix: str) -> Callable[[Marked], str]:
    def name(marked: Marked) -> str:
        found = marked.labels.get(f"{prefix}/name", "")
        return f"{marked.labels.get(f'{prefix}/namespace', '')}/{found}" if found else ""

    return name


def _argo(marked: Marked) -> str:
    return marked.annotations.get(ARGO_ID, "").partition(":")[0] or marked.labels.get(ARGO_LABEL, "")


CHANGE, REMOVAL = "{what} in the values file, render it and commit", "remove the job's folder and commit"
OWNERS = (
    Owner("Argo CD application", _argo, CHANGE, REMOVAL),
    Owner(
        "Flux HelmRelease",
        _flux(FLUX_HELM),
        "{what} in the values of the HelmRelease and commit",
        "remove the HelmRelease and commit",
    ),
    Owner("Flux Kustomization", _flux(FLUX), CHANGE, REMOVAL),
    Owner(
        "Helm release",
        lambda marked: marked.annotations.get(f"{HELM}/release-name", ""),
        "{what} in the values and run helm upgrade {name}",
        "run helm uninstall {name}",
    ),
)
"""In this order: Argo CD and Flux leave their marks beside Helm's."""


def owner(marked: Marked | None) -> tuple[Owner, str] | None:
    """The tool that would undo a change of this object, and the name of its application or release."""
    found = ((one, one.name(marked)) for one in OWNERS) if marked else ()
    return next(((one, name) for one, name in found if name), None)


def manager(job: Job | None) -> str:
    """Who has made a Job, in words; empty when that cannot be seen."""
    if found := owner(job):
        return f"{found[0].title} {found[1]}"
    managers = job.managers if job else ()
    if any(name.startswith("kubectl") for name in managers):
        return "kubectl"
    return "dsgen apply" if "dsgen" in managers else ""
