"""What a source says about its size, its pods and processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dsgen.importers.documents import format_scalar
from dsgen.problems import path_text

PLACES = (
    *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "schedulerName", "priorityClassName"),
    *("runtimeClassName", "hostNetwork"),
)
"""Fields of a pod that choose its node."""


@dataclass(frozen=True)
class Fact:
    """A value of the source, and how the report names the place that it is from."""

    value: Any
    source: str = ""


@dataclass
class Role:
    """The pods of one role, as the source describes them; an empty field is not described.

    env: by name; a value from elsewhere is the data of `valueFrom`. requests and limits: of the main container, devices
    included. mounts: what is mounted, by path. placement: node selector, tolerations and so on, by the field of a pod.
    """

    image: Fact | None = None
    env: dict[str, Fact] = field(default_factory=dict)
    requests: dict[str, Fact] = field(default_factory=dict)
    limits: dict[str, Fact] = field(default_factory=dict)
    mounts: dict[str, Fact] = field(default_factory=dict)
    placement: dict[str, Fact] = field(default_factory=dict)


@dataclass
class JobFacts:
    """The job of a source.

    replicas: pods that train, 0 if it is not known; slots: processes in each, 0 if it is not known. command: the words
    of one process, or of one worker for launch.command, without the launcher; empty if they are not known. workers and
    launcher: the pods; None for a source without them.
    """

    replicas: int = 0
    slots: int = 0
    command: list[str] = field(default_factory=list)
    workers: Role | None = None
    launcher: Role | None = None


def read_role(spec: Any, container: Any, at: str = "", main: str = "", amounts: str = "resources") -> Role:
    """What a pod and its main container say; at and main: how the report names them.

    amounts: the field of the container with requests and limits.
    """
    spec, container = (one if isinstance(one, dict) else {} for one in (spec, container))
    image, role = format_scalar(container.get("image")), Role()
    role.image = Fact(image, f"{main}.image") if image else None
    for number, one in _number_maps(container.get("env")):
        value = one.get("valueFrom") or format_scalar(one.get("value"))
        role.env[format_scalar(one.get("name"))] = Fact(value, f"{main}.env[{number}]")
    for kind, known in (("requests", role.requests), ("limits", role.limits)):
        values = (container.get(amounts) or {}).get(kind) if isinstance(container.get(amounts), dict) else None
        for name, value in values.items() if isinstance(values, dict) else ():
            known[name] = Fact(value, f"{main}.{path_text((amounts, kind, name))}")
    volumes = {format_scalar(one.get("name")): one for _, one in _number_maps(spec.get("volumes"))}
    for number, one in _number_maps(container.get("volumeMounts")):
        volume = describe_volume(volumes.get(format_scalar(one.get("name")), {}))
        role.mounts[format_scalar(one.get("mountPath")).rstrip("/")] = Fact(volume, f"{main}.volumeMounts[{number}]")
    role.placement = {key: Fact(spec[key], f"{at}.{key}") for key in PLACES if spec.get(key)}
    return role


def _number_maps(items: Any) -> list[tuple[int, dict[str, Any]]]:
    """The maps of a list, each with its index."""
    return [(at, one) for at, one in enumerate(items if isinstance(items, list) else ()) if isinstance(one, dict)]


def describe_volume(volume: Mapping[str, Any]) -> str:
    """What a volume is, as one text: its kind and its name or path."""
    for kind, value in volume.items():
        if kind != "name":
            data = value if isinstance(value, dict) else {}
            names = ("claimName", "path", "secretName", "name", "driver")
            return f"{kind} {next((data[name] for name in names if name in data), '')}".strip()
    return ""


@dataclass
class JobSize:
    """What an origin knows about the size of a job. None: the origin does not say.

    slots: processes on each node. devices: of each node. runs_ranks: a program without a launcher is started once for
    each process; otherwise once on each node. is_batch: paths and programs are those of a cluster, not of an image.
    is_launcher: the command runs once, beside the workers, and not on each of them. joins: and it is a rank, too.
    passes_environment: mpirun is one that gives the ranks all of its environment.
    """

    nodes: int | None = None
    slots: int | None = None
    devices: int | None = None
    runs_ranks: bool = True
    is_batch: bool = False
    is_launcher: bool = False
    joins: bool = False
    passes_environment: bool = False
