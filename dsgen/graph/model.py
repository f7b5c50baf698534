"""Converts objects to nodes and arrows. An arrow is a reference of one object to another, or traffic to a port."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dsgen.catalogue import KINDS
from dsgen.schema import look_up

Object = Mapping[str, Any]

PODS, LABELS = ("Job", "Deployment"), ("spec", "template", "metadata", "labels")
"""Kinds with a pod template."""
SELECTING = {
    "Service": ("names", ("spec", "selector")),
    "NetworkPolicy": ("guards", ("spec", "podSelector", "matchLabels")),
    "PodMonitor": ("scrapes", ("spec", "selector", "matchLabels")),
}
"""Kind -> what the object does to the pods that it selects, and the path of its label selector."""
USES = {
    ("status", "Secret"): "makes the key",
    ("status", "ConfigMap"): "writes the record",
    ("status", "Job"): "watches",
}
"""What a container with an API token does with an object that its Roles allow, by container and kind."""
PLURALS = {kind.plural: kind.name for kind in KINDS}
BY_THE_CLUSTER = ("kube-root-ca.crt",)
"""ConfigMaps that Kubernetes creates in every namespace."""


class Key(NamedTuple):
    """Kind and name of an object in the namespace."""

    kind: str
    name: str


@dataclass(frozen=True)
class Node:
    """One object. parts: its containers. is_made: False for an object that must exist before."""

    key: Key
    text: str = ""
    parts: tuple[str, ...] = ()
    is_made: bool = True


class Arrow(NamedTuple):
    """From one object to another; part: the container at which it begins, "" for the whole object."""

    source: Key
    target: Key
    text: str
    part: str = ""
    is_traffic: bool = False


@dataclass(frozen=True)
class Graph:
    """All objects of a job and those to which they refer, and all arrows, in the order of the objects."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]


def make_graph(objects: Iterable[Object]) -> Graph:
    known = {Key(each["kind"], each["metadata"]["name"]): each for each in objects}
    arrows = tuple(dict.fromkeys(arrow for key, each in known.items() for arrow in _list_arrows(key, each, known)))
    others = dict.fromkeys(arrow.target for arrow in arrows if arrow.target not in known)
    made = [_make_node(key, each) for key, each in known.items()]
    return Graph((*made, *(Node(key, "exists already", is_made=False) for key in others)), arrows)


def _make_node(key: Key, each: Object) -> Node:
    spec = each.get("spec", {})
    if key.kind == "PersistentVolumeClaim":
        return Node(key, f"{spec['resources']['requests']['storage']}, {', '.join(spec['accessModes'])}")
    if key.kind not in PODS:
        return Node(key, "")
    pod, pods = spec["template"]["spec"], spec.get("completions") or 1
    container = pod["containers"][0]
    limits = container.get("resources", {}).get("limits", {})
    devices = [f"{count} {name}" for name, count in limits.items() if "/" in name]
    text = ", ".join([f"{pods} pod{'s' if pods > 1 else ''}", *(f"{device} each" for device in devices)])
    return Node(key, text, tuple(one["name"] for one in _list_containers(pod)))


def _list_containers(pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*pod.get("initContainers", ()), *pod["containers"]]


def _list_arrows(key: Key, each: Object, known: Mapping[Key, Object]) -> Iterator[Arrow]:
    if key.kind in PODS:
        pod = each["spec"]["template"]["spec"]
        yield from _list_traffic(key, pod, known)
        yield from (Arrow(key, target, text) for target, text in _list_mounted(pod))
        yield from _list_api_use(key, pod, known)
    elif key.kind in SELECTING:
        text, path = SELECTING[key.kind]
        pods = ((one, look_up(other, LABELS)) for one, other in known.items() if one.kind in PODS)
        labels = look_up(each, path).items()
        yield from (Arrow(key, target, text) for target, those in pods if labels <= those.items())
    elif key.kind == "RoleBinding":
        yield Arrow(key, Key("Role", each["roleRef"]["name"]), "grants")
        yield from (Arrow(key, Key(subject["kind"], subject["name"]), "to") for subject in each["subjects"])
    elif key.kind == "PersistentVolumeClaim" and each["spec"].get("volumeName"):
        yield Arrow(key, Key("PersistentVolume", each["spec"]["volumeName"]), "binds")


def _list_traffic(key: Key, pod: Mapping[str, Any], known: Mapping[Key, Object]) -> Iterator[Arrow]:
    """The traffic to the ports of a pod: ssh from the launcher, and the traffic between the workers."""
    ports = {port["name"]: port["containerPort"] for one in _list_containers(pod) for port in one.get("ports", ())}
    if "ssh" in ports:
        yield from (
            Arrow(other, key, f"ssh, port {ports['ssh']}", "launcher", is_traffic=True)
            for other, each in known.items()
            if other != key and _read_role(each) == "launcher"
        )
    if _read_role(known[key]) == "worker" and (known[key]["spec"].get("completions") or 1) > 1:
        meeting = f", meet at port {ports['master']}" if "master" in ports else ""
        yield Arrow(key, key, f"collectives{meeting}", is_traffic=True)


def _read_role(each: Object) -> str:
    return str(look_up(each, LABELS).get("dsgen.dev/role", "")) if each["kind"] in PODS else ""


def _list_mounted(pod: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """The objects that a pod mounts or reads variables from, each with a text for the arrow."""
    for volume in pod.get("volumes", ()):
        for source in (volume, *volume.get("projected", {}).get("sources", ())):
            for key in _list_sources(source):
                mounts = [mount for each in _list_containers(pod) for mount in each.get("volumeMounts", ())]
                paths = dict.fromkeys(mount["mountPath"] for mount in mounts if mount["name"] == volume["name"])
                yield key, "mounts" if key.kind != "PersistentVolumeClaim" else f"mounts at {', '.join(paths)}"
    for container in _list_containers(pod):
        for variable in (*container.get("env", ()), *container.get("envFrom", ())):
            source = variable.get("valueFrom", variable)
            for word, kind in (("secret", "Secret"), ("configMap", "ConfigMap")):
                reference = source.get(f"{word}KeyRef") or source.get(f"{word}Ref")
                if reference:
                    yield Key(kind, reference["name"]), "reads"


def _list_sources(source: Mapping[str, Any]) -> Iterator[Key]:
    references = {
        "ConfigMap": source.get("configMap", {}).get("name"),
        "Secret": source.get("secret", {}).get("secretName") or source.get("secret", {}).get("name"),
        "PersistentVolumeClaim": source.get("persistentVolumeClaim", {}).get("claimName"),
    }
    for kind, name in references.items():
        if name and name not in BY_THE_CLUSTER:
            yield Key(kind, name)


def _list_api_use(key: Key, pod: Mapping[str, Any], known: Mapping[Key, Object]) -> Iterator[Arrow]:
    """The ServiceAccount of a pod, and how each container with a token uses the objects that its Roles allow."""
    account = pod.get("serviceAccountName")
    if not account:
        return
    yield Arrow(key, Key("ServiceAccount", account), "runs as")
    tokens = {
        volume["name"]
        for volume in pod.get("volumes", ())
        if any("serviceAccountToken" in source for source in volume.get("projected", {}).get("sources", ()))
    }
    for container in _list_containers(pod):
        if not tokens & {mount["name"] for mount in container.get("volumeMounts", ())}:
            continue
        for target in _list_opened(Key("ServiceAccount", account), known):
            if (text := USES.get((container["name"], target.kind))) and target != key:
                yield Arrow(key, target, text, container["name"])


def _list_opened(account: Key, known: Mapping[Key, Object]) -> Iterator[Key]:
    for key, each in known.items():
        if key.kind != "RoleBinding" or account not in {Key(one["kind"], one["name"]) for one in each["subjects"]}:
            continue
        for rule in known.get(Key("Role", each["roleRef"]["name"]), {}).get("rules", ()):
            for resource in rule["resources"]:
                kind = PLURALS.get(resource)
                yield from (Key(kind, name) for name in rule.get("resourceNames", ()) if kind)
