"""Where each second of a start went: states of containers, and what dsgen's containers say in their logs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import datetime
from typing import Any

OTHERS = 2
"""Workers whose logs are shown, beside the launcher."""


def lines(namespace: str, begun: float) -> Iterator[str]:
    """Lines `SECONDS POD CONTAINER WHAT` in the order of time. `begun`: seconds since 1970."""
    found = json.loads(_kubectl(namespace, "get", "pods", "-o", "json"))["items"]
    rows = [row for pod in found for row in _states(pod)]
    pods = [pod["metadata"]["name"] for pod in found]
    launchers = [name for name in pods if "launcher" in name]
    for name in [*launchers, *sorted(set(pods) - set(launchers))[:OTHERS]]:
        rows += _words(namespace, name)
    for moment, words in sorted(rows):
        yield f"{moment - begun:6.1f}  {words}"


def _kubectl(namespace: str, *words: str) -> str:
    return subprocess.run(["kubectl", "-n", namespace, *words], capture_output=True, text=True, check=False).stdout


def _seconds(text: str) -> float:
    """RFC 3339, of which Kubernetes writes nanoseconds."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{whole}+00:00").timestamp() + float(f"0.{fraction or 0}")


def _states(pod: dict[str, Any]) -> Iterator[tuple[float, str]]:
    name, status = pod["metadata"]["name"], pod["status"]
    for condition in status.get("conditions", []):
        if condition["type"] == "PodScheduled":
            yield _seconds(condition["lastTransitionTime"]), f"{name} is scheduled"
    for container in [*status.get("initContainerStatuses", []), *status.get("containerStatuses", [])]:
        state = container["state"].get("running") or container["state"].get("terminated") or {}
        for key, word in (("startedAt", "starts"), ("finishedAt", "ends")):
            if state.get(key):
                yield _seconds(state[key]), f"{name} {container['name']} {word}"


def _words(namespace: str, pod: str) -> Iterator[tuple[float, str]]:
    text = _kubectl(namespace, "logs", pod, "--all-containers", "--prefix", "--timestamps")
    for line in text.splitlines():
        prefix, _, rest = line.partition(" ")
        moment, _, words = rest.partition(" ")
        if "[dsgen]" in words or words.startswith(("MET", "END", "Accepted")):
            yield _seconds(moment), f"{prefix.strip('[]').removeprefix('pod/')}: {words[:120]}"
