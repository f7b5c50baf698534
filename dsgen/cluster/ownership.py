"""Finds the tool that applies a job, Argo CD, Flux, Helm or kubectl, from labels, annotations and field managers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from dsgen.cluster.models import JobState

ARGO_ID, ARGO_LABEL = "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance"
FLUX, FLUX_HELM = "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"
HELM = "meta.helm.sh"


class Marked(Protocol):
    """An object with labels and annotations, such as a Job."""

    @property
    def labels(self) -> Mapping[str, str]: ...

    @property
    def annotations(self) -> Mapping[str, str]: ...


class Owner(NamedTuple):
    """A tool: its title, how it is recognised, and how to change and remove a job with it."""

    title: str
    name: Callable[[Marked], str]
    change: str
    removal: str


def _flux(prefix: str) -> Callable[[Marked], str]:
    def name(marked: Marked) -> str:
        resource = marked.labels.get(f"{prefix}/name", "")
        return f"{marked.labels.get(f'{prefix}/namespace', '')}/{resource}" if resource else ""

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
"""Argo CD and Flux come first, because their objects may also have the annotations of Helm."""


def find_owner(marked: Marked | None) -> tuple[Owner, str] | None:
    """The tool that would undo a change of this object, and the name of its application or release."""
    owners = ((one, one.name(marked)) for one in OWNERS) if marked else ()
    return next(((one, name) for one, name in owners if name), None)


def name_manager(job: JobState | None) -> str:
    """The tool that created a Job, as text; empty if it is unknown."""
    if owned := find_owner(job):
        return f"{owned[0].title} {owned[1]}"
    managers = job.managers if job else ()
    if any(name.startswith("kubectl") for name in managers):
        return "kubectl"
    return "dsgen apply" if "dsgen" in managers else ""
