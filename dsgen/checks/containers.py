"""The user's containers and tolerations: what Kubernetes refuses, and what a pod does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.pods import UNIQUE
from dsgen.checks.row import Function, Names, Place, found
from dsgen.problems.diagnostics import Diagnostic, Path


def users_containers(values: Mapping[str, Any], role: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The user's containers in the pods of a role, each with its path."""
    for kind in ("initContainers", "sidecars"):
        for number, container in enumerate(values[role][kind]):
            yield (role, kind, number), container


def same_container_name(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Kubernetes refuses a pod with two containers of one name; those in two lists have a row."""
    for role in ("workers", "launcher"):
        seen: set[tuple[str | int, str]] = set()
        for path, container in users_containers(values, role):
            this = path[1], container.get("name", "")
            if this in seen:
                message = f'{role}: two containers have the name "{this[1]}"'
                yield found("DS235", (*path, "name"), message, UNIQUE, place)
            seen.add(this)


def volume_of_other_pods(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """A container mounts a volume that its pod does not have."""
    for role in ("workers", "launcher"):
        for path, container in users_containers(values, role):
            for number, mount in enumerate(container.get("volumeMounts", ())):
                volume = values["storage"].get(mount.get("name"))
                if volume and volume["mountIn"] not in ("both", role):
                    message = f"storage.{mount['name']} is only in the pods of {volume['mountIn']}"
                    hint = f"set storage.{mount['name']}.mountIn: both"
                    yield found("DS255", (*path, "volumeMounts", number, "name"), message, hint, place)


def claim_of_nobody(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """A container uses a claim of dynamic resource allocation that its pod does not have."""
    for role in ("workers", "launcher"):
        known = {claim.get("name") for claim in values[role]["extraPodSpec"].get("resourceClaims", ())}
        for number, claim in enumerate(values[role]["resources"]["claims"]):
            if claim["name"] not in known:
                message = f'{role}.resources.claims: the pod has no claim "{claim["name"]}"'
                hint = f"describe it in {role}.extraPodSpec.resourceClaims"
                yield found("DS238", (role, "resources", "claims", number, "name"), message, hint, place)


def tolerations(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """What ValidateTolerations of Kubernetes says beyond the schema."""
    for role in ("workers", "launcher"):
        for number, given in enumerate(values[role]["tolerations"]):
            for words, hint in _toleration(given):
                yield found("DS339", (role, "tolerations", number), f"{role}.tolerations: {words}", hint, place)


def _toleration(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong, and what to do."""
    operator = given.get("operator") or "Equal"
    if operator == "Exists" and given.get("value"):
        yield "with operator Exists there can be no value", "leave value out, or use operator: Equal"
    if operator != "Exists" and not given.get("key"):
        yield f"operator {operator} needs a key", "give a key; operator: Exists without one means every taint"
    if given.get("tolerationSeconds") is not None and given.get("effect") != "NoExecute":
        yield "tolerationSeconds is for effect: NoExecute alone", "leave one of them out"


def restart_policies(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Init containers of their own restartPolicy."""
    for role in ("workers", "launcher"):
        for path, container in users_containers(values, role):
            policy, name = container.get("restartPolicy", "Always"), container.get("name", "")
            if policy == "Always":
                continue
            where = (*path, "restartPolicy")
            if path[1] == "sidecars":
                message = f'{role}.sidecars: with restartPolicy "{policy}" the pod waits until "{name}" has ended'
                yield found("DS338", where, message, "leave it out, or move the container to initContainers", place)
            elif policy in ("Never", "OnFailure"):
                message = f"{role}.initContainers: Kubernetes takes restartPolicy {policy} only from 1.35 on"
                yield found("DS338", where, message, "leave it out where the cluster is older", place, "warning")
            else:
                message = f'{role}.initContainers: there is no restartPolicy "{policy}"'
                yield found("DS338", where, message, "leave it out: the pod's is Never", place)


FUNCTIONS = (
    Function(same_container_name, {"DS235": ()}),
    Function(volume_of_other_pods, {"DS255": ()}),
    Function(claim_of_nobody, {"DS238": (("workers", "extraPodSpec"), ("launcher", "extraPodSpec"))}),
    Function(tolerations, {"DS339": ()}),
    Function(restart_policies, {"DS338": ()}),
)
