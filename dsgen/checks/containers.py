"""The user's containers and tolerations: what Kubernetes refuses, and names that a pod does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.pods import CONTAINER_LOOPS, USER_CONTAINERS
from dsgen.checks.row import ROLES, Check, Function, Names, Place, Shortcut, make_diagnostic
from dsgen.problems import Diagnostic, KeyPath

OWN_CONTAINERS = "^(worker|launcher|status|passwd|code|dsgen-.*)$"
UNIQUE = "give each container of the pod its own name"


def list_users_containers(values: Mapping[str, Any], role: str) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
    """The user's containers in the pods of a role, each with its path."""
    for kind in ("initContainers", "sidecars"):
        for number, container in enumerate(values[role][kind]):
            yield (role, kind, number), container


def check_container_names(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Two containers of one list have the same name, which Kubernetes refuses; a row compares the two lists."""
    for role in ("workers", "launcher"):
        seen: set[tuple[str | int, str]] = set()
        for path, container in list_users_containers(values, role):
            name = path[1], container.get("name", "")
            if name in seen:
                message = f'{role}: two containers have the name "{name[1]}"'
                yield make_diagnostic("DS235", (*path, "name"), message, UNIQUE, place)
            seen.add(name)


def check_mounted_volumes(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """A container mounts a volume that its pod does not have."""
    for role in ("workers", "launcher"):
        for path, container in list_users_containers(values, role):
            for number, mount in enumerate(container.get("volumeMounts", ())):
                volume = values["storage"].get(mount.get("name"))
                if volume and volume["mountIn"] not in ("auto", "both", role):
                    message = f"storage.{mount['name']} is mounted only in the {volume['mountIn']} (mountIn)"
                    hint = f"set storage.{mount['name']}.mountIn: both"
                    yield make_diagnostic("DS255", (*path, "volumeMounts", number, "name"), message, hint, place)


def check_used_claims(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """A container uses a claim of dynamic resource allocation that its pod does not have."""
    for role in ("workers", "launcher"):
        known = {claim.get("name") for claim in values[role]["extraPodSpec"].get("resourceClaims", ())}
        for number, claim in enumerate(values[role]["resources"]["claims"]):
            if claim["name"] not in known:
                message = f'{role}.resources.claims: the pod has no resource claim "{claim["name"]}"'
                hint = f"add it to {role}.extraPodSpec.resourceClaims"
                yield make_diagnostic("DS238", (role, "resources", "claims", number, "name"), message, hint, place)


def check_tolerations(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """What ValidateTolerations of Kubernetes checks beyond the schema."""
    for role in ("workers", "launcher"):
        for number, given in enumerate(values[role]["tolerations"]):
            for words, hint in _check_toleration(given):
                yield make_diagnostic(
                    "DS339", (role, "tolerations", number), f"{role}.tolerations: {words}", hint, place
                )


def _check_toleration(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A message and a hint for each problem."""
    operator = given.get("operator") or "Equal"
    if operator == "Exists" and given.get("value"):
        yield "the operator Exists takes no value", "remove value, or use operator: Equal"
    if operator != "Exists" and not given.get("key"):
        yield (
            (f"the operator {operator} needs a key"),
            "set key; only operator: Exists works without one, and matches every taint",
        )
    if given.get("tolerationSeconds") is not None and given.get("effect") != "NoExecute":
        yield (
            ("tolerationSeconds is allowed only with effect: NoExecute"),
            "remove tolerationSeconds, or set effect: NoExecute",
        )


def check_restart_policies(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Init containers and sidecars with a restartPolicy that makes them something else."""
    for role in ("workers", "launcher"):
        for path, container in list_users_containers(values, role):
            policy, name = container.get("restartPolicy", "Always"), container.get("name", "")
            if policy == "Always":
                continue
            where = (*path, "restartPolicy")
            if path[1] == "sidecars":
                message = f'{role}.sidecars: with restartPolicy "{policy}" the pod waits until "{name}" ends'
                yield make_diagnostic(
                    ("DS338"), where, message, "remove restartPolicy, or move the container to initContainers", place
                )
            elif policy in ("Never", "OnFailure"):
                message = f"{role}.initContainers: restartPolicy {policy} needs Kubernetes 1.35 or later"
                yield make_diagnostic("DS338", where, message, "remove it if the cluster is older", place, "warning")
            else:
                message = f'{role}.initContainers: "{policy}" is not a restartPolicy'
                yield make_diagnostic(
                    "DS338", where, message, "remove it: the restartPolicy of the pod is Never", place
                )


def check_pull_secrets(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """The API server warns of names that are in the list twice."""
    seen: set[str] = set()
    for number, secret in enumerate(values["image"]["pullSecrets"]):
        if secret["name"] in seen:
            message = f'image.pullSecrets: "{secret["name"]}" is in the list twice'
            path: KeyPath = ("image", "pullSecrets", number, "name")
            yield make_diagnostic("DS370", path, message, "remove one of them", place, "warning")
        seen.add(secret["name"])


ROWS = (
    Check(
        id="DS234",
        path="<< role >>.<< kind >>[container].name",
        when=f'container.name is string and container.name is matching("{OWN_CONTAINERS}")',
        message="<< role >>.<< kind >>: << container.name | quote >> is the name of one of dsgen's containers",
        hint="choose another name",
        inside=(
            USER_CONTAINERS,
            *CONTAINER_LOOPS,
        ),
    ),
    Check(
        id="DS235",
        path="<< role >>.sidecars[container].name",
        when="container.name is string and other.name is string and container.name == other.name",
        message="<< role >>: two containers have the name << container.name | quote >>",
        hint=UNIQUE,
        inside=(
            Shortcut("if values.workers.sidecars or values.launcher.sidecars"),
            ROLES,
            'for container in values[role]["sidecars"]',
            'for other in values[role]["initContainers"]',
        ),
    ),
    Check(
        id="DS236",
        path="<< role >>.<< kind >>[container].volumeMounts[mount].name",
        when="mount.name is string and not mount.name in values.storage",
        message="<< role >>.<< kind >>: << mount.name | quote >> is not a volume of storage",
        hint="add the volume to storage; the name of a mount is a key of storage",
        inside=(
            USER_CONTAINERS,
            *CONTAINER_LOOPS,
            'for mount in get(container, "volumeMounts", [])',
        ),
    ),
)
FUNCTIONS = (
    Function(check_pull_secrets, {"DS370": ()}),
    Function(check_container_names, {"DS235": ()}),
    Function(check_mounted_volumes, {"DS255": ()}),
    Function(check_used_claims, {"DS238": (("workers", "extraPodSpec"), ("launcher", "extraPodSpec"))}),
    Function(check_tolerations, {"DS339": ()}),
    Function(check_restart_policies, {"DS338": ()}),
)
