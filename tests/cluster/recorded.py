"""Answers of a real API server, kept as test data, and read again without a cluster.

A file of tests/data/cluster has what one look at one run has read: the lists and objects by path and label selector.
tests/e2e/test_why.py writes them, from jobs that it makes (DSGEN_E2E_KEEP_ANSWERS=1). Left out is what dsgen does not
look at and what would be large: scripts, images of nodes, fields of managers beside their names, what is mounted.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsgen.cluster.models import RunState
from dsgen.cluster.reader import add_surroundings, read_run
from dsgen.errors import ApiError

FOLDER = Path(__file__).parent.parent / "data" / "cluster"
KEPT_DATA = ("settings.json",)
OF_AN_EVENT = {
    "metadata",
    "involvedObject",
    "type",
    "reason",
    "message",
    "lastTimestamp",
    "eventTime",
    "series",
    "count",
}
OF_A_CONTAINER = (
    *("command", "args", "env", "volumeMounts", "readinessProbe", "securityContext", "lifecycle", "ports"),
    *("imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy"),
)
POD = (
    *("terminationGracePeriodSeconds", "dnsPolicy", "enableServiceLinks", "automountServiceAccountToken", "hostname"),
    *("securityContext", "subdomain", "preemptionPolicy", "volumes"),
)
STATUSES = ("status.initContainerStatuses", "status.containerStatuses")
LEFT_OUT = (
    *("involvedObject.apiVersion", "involvedObject.namespace", "involvedObject.resourceVersion", "metadata.generation"),
    *("metadata.resourceVersion", "spec.selector", "spec.podFailurePolicy", "status.conditions.lastHeartbeatTime"),
    *("status.conditions.lastProbeTime", "status.conditions.observedGeneration", "status.podIPs", "status.hostIPs"),
    *(f"spec.{field}" for field in POD),
    *(f"spec.template.spec.{field}" for field in POD),
    *(f"{status}.{field}" for status in STATUSES for field in ("volumeMounts", "imageID", "containerID", "user")),
)


class Keeping:
    """Reads from a cluster and keeps the answers."""

    def __init__(self, cluster: Any) -> None:
        self.cluster = cluster
        self.answers: dict[str, Any] = {}

    def now(self) -> float:
        moment: float = self.cluster.now()
        return moment

    def get(self, path: str) -> dict[str, Any]:
        return self._kept(path, lambda: self.cluster.get(path))

    def list_items(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        yield from self._kept(_key(path, query), lambda: list(self.cluster.list_items(path, **query)))

    def _kept(self, key: str, ask: Any) -> Any:
        try:
            self.answers[key] = json.loads(json.dumps(ask()))
        except ApiError as error:
            self.answers[key] = {"error": error.status, "message": str(error)}
            raise
        return self.answers[key]

    def write(self, name: str, state: RunState) -> None:
        """Keep what was read of this run."""
        for answer in self.answers.values():
            for entry in answer if isinstance(answer, list) else ():
                _trim(entry)
        for key in [key for key in self.answers if key.startswith("/api/v1/namespaces/") and "/events" in key]:
            mine = {event.name for event in state.events}
            self.answers[key] = [e for e in self.answers[key] if e["involvedObject"]["name"] in mine]
        write(name, {"job": state.job, "namespace": state.namespace, "run": state.run, "now": state.now}, self.answers)


def write(name: str, content: dict[str, Any], answers: dict[str, Any]) -> None:
    """A file, with a line for each object."""
    lines = [
        f" {_compact(key)}: "
        + ("[\n  " + ",\n  ".join(map(_compact, each)) + "]" if isinstance(each, list) else _compact(each))
        for key, each in sorted(answers.items())
    ]
    text = _compact(content)[:-1] + ',"answers":{\n' + ",\n".join(lines) + "}}\n"
    assert {**content, "answers": answers} == json.loads(text)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(text)


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


class Kept:
    """Reads kept answers again."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def now(self) -> float:
        return float(self.content["now"])

    def get(self, path: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._answer(path)
        return answer

    def list_items(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        yield from self._answer(_key(path, query))

    def _answer(self, key: str) -> Any:
        answer = self.content["answers"][key]
        if isinstance(answer, dict) and "error" in answer:
            raise ApiError(answer["message"], answer["error"])
        return answer

    def state(self) -> RunState:
        """What is known of the run, as it was."""
        space, job, run = (self.content[key] for key in ("namespace", "job", "run"))
        read = read_run(self, space, job, run)
        assert read
        return add_surroundings(self, read)


def names() -> list[str]:
    """All kept looks."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(name: str) -> Kept:
    """A kept look."""
    return Kept(json.loads((FOLDER / f"{name}.json").read_text()))


def _key(path: str, query: dict[str, str]) -> str:
    return path + "".join(f" {name}={value}" for name, value in sorted(query.items()))


def _trim(entry: dict[str, Any]) -> None:
    meta = entry["metadata"]
    if "involvedObject" in entry:
        entry["metadata"] = {"name": meta["name"]}
        for key in entry.keys() - OF_AN_EVENT:
            del entry[key]
    meta.get("annotations", {}).pop("kubectl.kubernetes.io/last-applied-configuration", None)
    for path in LEFT_OUT:
        _remove(entry, path.split("."))
    for field in meta.get("managedFields", []):
        spec = field.pop("fieldsV1", {}).get("f:spec", {})
        field["fieldsV1"] = {"f:spec": {"f:suspend": {}}} if "f:suspend" in spec else {}
    if "template" not in entry.get("spec", {}):  # who has suspended a Job
        meta.pop("managedFields", None)
    if "data" in entry and not meta["name"].endswith("-status"):
        entry["data"] = {key: text for key, text in (entry["data"] or {}).items() if key in KEPT_DATA}
    for container in _containers(entry):
        for key in OF_A_CONTAINER:
            container.pop(key, None)
    if "allocatable" in entry.get("status", {}):
        kept = ("allocatable", "conditions")
        entry["status"] = {key: entry["status"][key] for key in kept}


def _remove(value: Any, path: list[str]) -> None:
    """Remove a field, of all items where a list stands on the way."""
    if isinstance(value, list):
        for each in value:
            _remove(each, path)
    elif isinstance(value, dict) and len(path) == 1:
        value.pop(path[0], None)
    elif isinstance(value, dict):
        _remove(value.get(path[0]), path[1:])


def _containers(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    spec = entry.get("spec", {})
    spec = spec.get("template", {}).get("spec", spec)
    for key in ("initContainers", "containers"):
        yield from spec.get(key, []) if isinstance(spec, dict) else []
