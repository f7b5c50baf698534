"""Reads the pods of the workers: why they do not run, and on which nodes they are."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from shared import exchange, settings
from status import api

INDEX = "batch.kubernetes.io/job-completion-index"
LIMIT = 5  # pods that are named
CHARACTERS = 600
PLACED = 50  # workers of a message whose nodes are asked for
# The kubelet's own words for "in a moment".
ORDINARY = ("ContainerCreating", "PodInitializing")


class Nodes:
    """Adds the node of the newest pod to each worker in a message."""

    def __init__(self, configured: settings.Settings, client: api.Api) -> None:
        self.configured = configured
        self.client = client
        run = re.escape(configured.run_name)
        self.worker = re.compile(rf"(?<![\w.-]){run}-worker-([0-9]{{1,6}})(?:\.{run})?(?![\w-])")
        self.before = ("", "")  # the last message, without and with the nodes: asked for once

    def add_nodes(self, message: str) -> str:
        """The message with ` (node NAME)` after the names of workers. Raises ApiError."""
        if message != self.before[0]:
            indices = list(dict.fromkeys(self.worker.findall(message)))[:PLACED]
            nodes = describe_nodes(read_pods(self.client, self.configured, *indices)) if indices else {}
            named = self.worker.sub(lambda match: match.group() + nodes.get(match.group(1), ""), message)
            self.before = (message, named)
        return self.before[1]


def read_pods(client: api.Api, configured: settings.Settings, *indices: str) -> list[dict[str, Any]]:
    """The pods of the workers, or of these; none if the cluster does not let the sidecar read pods. Raises ApiError."""
    selector = f"batch.kubernetes.io/job-name={configured.worker_job}"
    if indices:
        selector += f",{INDEX} in ({','.join(indices)})"
    query = f"?labelSelector={quote(selector, safe='')}&limit=2000"
    path = f"/api/v1/namespaces/{configured.namespace}/pods{query}"
    return list(client.get(path, absent=(403,)).get("items", []))


def describe_nodes(pods: list[dict[str, Any]]) -> dict[str, str]:
    """Completion index -> ` (node NAME)` of its newest pod that has a node."""
    placed = [pod for pod in pods if pod.get("spec", {}).get("nodeName")]
    placed.sort(key=lambda pod: str(pod["metadata"].get("creationTimestamp", "")))
    return {pod["metadata"]["labels"][INDEX]: f" (node {pod['spec']['nodeName']})" for pod in placed}


def list_problems(pods: list[dict[str, Any]]) -> list[str]:
    """One line for each pod that has failed or does not start, the one that failed first before the others.

    Pods that were stopped with SIGTERM (143) are left out, because they are not the cause.
    """
    lines = [problem for pod in pods for problem in _find_problems(pod)]
    return [words for _, words in sorted(lines)[:LIMIT]]


def _find_problems(pod: dict[str, Any]) -> list[tuple[str, str]]:
    status = pod.get("status", {})
    name = re.sub("-[a-z0-9]{5}$", "", pod.get("metadata", {}).get("name", ""))  # without the random end
    states = [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]
    for container in states:
        ended = container.get("state", {}).get("terminated") or {}
        if ended.get("exitCode") not in (None, 0, 143):
            return [(f"1 {ended.get('finishedAt', '')}", f"{name}: {_describe_end(container.get('name', ''), ended)}")]
    if status.get("reason"):  # Evicted and its like
        return [("2", _format_line(f"{name}: {status['reason']}: {status.get('message', '')}"))]
    for container in states:
        waiting = container.get("state", {}).get("waiting") or {}
        if waiting.get("reason") and waiting["reason"] not in ORDINARY:
            return [("3", _format_line(f"{name}: {waiting['reason']}: {waiting.get('message', '')}"))]
    for condition in status.get("conditions") or []:
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return [("4", _format_line(f"{name}: {condition.get('reason', '')}: {condition.get('message', '')}"))]
    return []


def _describe_end(container: str, ended: dict[str, Any]) -> str:
    """The exit code of a container, and its termination message."""
    where = "" if container == "worker" else f"container {container} "
    reason = ended.get("reason", "")
    because = f" ({reason})" if reason not in ("", "Error", "Completed") else ""
    words = f": {ended['message']}" if ended.get("message") else ""
    return _format_line(f"{where}ended with exit code {ended['exitCode']}{because}{words}")


def _format_line(text: str) -> str:
    return exchange.clean_text(" ".join(text.split()), CHARACTERS).rstrip(": ")
