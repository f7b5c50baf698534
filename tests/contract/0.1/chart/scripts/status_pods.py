# Generated from dsgen/scripts/status_pods.py, which has the comments.

from __future__ import annotations

import re
from typing import Any

import shared_exchange as exchange

LIMIT = 5
CHARACTERS = 600

ORDINARY = ("ContainerCreating", "PodInitializing")


def problems(pods: list[dict[str, Any]]) -> list[str]:




    found = [problem for pod in pods for problem in _problems(pod)]
    return [words for _, words in sorted(found)[:LIMIT]]


def _problems(pod: dict[str, Any]) -> list[tuple[str, str]]:
    status = pod.get("status", {})
    name = _worker(pod.get("metadata", {}).get("name", ""))
    states = [
        container for kind in ("initContainerStatuses", "containerStatuses") for container in status.get(kind) or []
    ]
    for container in states:
        ended = container.get("state", {}).get("terminated") or {}
        if ended.get("exitCode") not in (None, 0, 143):
            return [(f"1 {ended.get('finishedAt', '')}", f"{name}: {_end(container.get('name', ''), ended)}")]
    if status.get("reason"):
        return [("2", _line(f"{name}: {status['reason']}: {status.get('message', '')}"))]
    for container in states:
        waiting = container.get("state", {}).get("waiting") or {}
        if waiting.get("reason") and waiting["reason"] not in ORDINARY:
            return [("3", _line(f"{name}: {waiting['reason']}: {waiting.get('message', '')}"))]
    for condition in status.get("conditions") or []:
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return [("4", _line(f"{name}: {condition.get('reason', '')}: {condition.get('message', '')}"))]
    return []


def _end(container: str, ended: dict[str, Any]) -> str:

    where = "" if container == "worker" else f"container {container} "
    reason = ended.get("reason", "")
    because = f" ({reason})" if reason not in ("", "Error", "Completed") else ""
    words = f": {ended['message']}" if ended.get("message") else ""
    return _line(f"{where}ended with exit code {ended['exitCode']}{because}{words}")


def _worker(pod: str) -> str:

    return re.sub("-[a-z0-9]{5}$", "", pod)


def _line(text: str) -> str:
    return exchange.text(" ".join(text.split()), CHARACTERS).rstrip(": ")
