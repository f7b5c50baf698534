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


Facts = dict[str, Fact]
"""What a source says about the pods of one role, by subject.

Subjects are `env.NAME` (a value from elsewhere is the data of `valueFrom`), `requests.NAME` and `limits.NAME` of the
main container, `mounts.PATH`, `image`, and the names in PLACES.
"""


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
    workers: Facts | None = None
    launcher: Facts | None = None


def read_facts(spec: Any, container: Any, at: str = "", main: str = "", amounts: str = "resources") -> Facts:
    """What a pod and its main container say; at and main: how the report names them.

    amounts: the field of the container with requests and limits.
    """
    spec, container = _as_map(spec), _as_map(container)
    found: Facts = {}
    for number, one in _number_maps(container.get("env")):
        value = one.get("valueFrom") or format_scalar(one.get("value"))
        found[f"env.{format_scalar(one.get('name'))}"] = Fact(value, f"{main}.env[{number}]")
    # A limit is a request, too, and no value of a device is one.
    for kind, given in (("requests", "limits"), ("requests", "requests"), ("limits", "limits")):
        for name, value in _as_map(_as_map(container.get(amounts)).get(given)).items():
            place = f"{main}.{path_text((amounts, given, name))}"
            found[f"{kind}.{name}"] = Fact(1 if value is None else value, place)
    volumes = {format_scalar(one.get("name")): one for _, one in _number_maps(spec.get("volumes"))}
    for number, one in _number_maps(container.get("volumeMounts")):
        volume, path = volumes.get(format_scalar(one.get("name")), {}), format_scalar(one.get("mountPath")).rstrip("/")
        found[f"mounts.{path}"] = Fact(_describe_volume(volume), f"{main}.volumeMounts[{number}]")
    if image := format_scalar(container.get("image")):
        found["image"] = Fact(image, f"{main}.image")
    return found | {key: Fact(spec[key], f"{at}.{key}") for key in PLACES if spec.get(key)}


def list_variables(facts: Facts) -> dict[str, Any]:
    """The values of the variables."""
    return {subject[4:]: one.value for subject, one in facts.items() if subject.startswith("env.")}


def _as_map(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _number_maps(items: Any) -> list[tuple[int, dict[str, Any]]]:
    """The maps of a list, each with its index."""
    return [(at, one) for at, one in enumerate(items if isinstance(items, list) else ()) if isinstance(one, dict)]


def _describe_volume(volume: Mapping[str, Any]) -> str:
    """What a volume is, as one text: its kind and its name or path."""
    kind, value = next(((kind, _as_map(value)) for kind, value in volume.items() if kind != "name"), ("", {}))
    names = ("claimName", "path", "secretName", "name", "driver")
    return f"{kind} {next((value[name] for name in names if name in value), '')}".strip()


@dataclass(frozen=True)
class JobSize:
    """What an origin knows about the size of a job. None: the origin does not say.

    slots: processes on each node; 0 if the source says them, but not as a number. devices: of each node. runs_ranks: a
    program without a launcher is started once for each process; otherwise once on each node. is_batch: paths and
    programs are those of a cluster, not of an image. is_launcher: the command runs once, beside the workers, and not on
    each of them. joins: and it is a rank, too. passes_environment: mpirun is one that gives the ranks all of its
    environment.
    """

    nodes: int | None = None
    slots: int | None = None
    devices: int | None = None
    runs_ranks: bool = True
    is_batch: bool = False
    is_launcher: bool = False
    joins: bool = False
    passes_environment: bool = False
