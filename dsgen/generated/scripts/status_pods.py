# dsgen/scripts/status_pods.py without its comments.

from __future__ import annotations

import re
from typing import Any

import shared_api as api
import shared_exchange as exchange
import shared_settings as settings

INDEX = "batch.kubernetes.io/job-completion-index"
LIMIT = 5
CHARACTERS = 600
PLACED = 50

ORDINARY = ("ContainerCreating", "PodInitializing")


class Nodes:


  def __init__(self, configured, client):
    self.configured = configured
    self.client = client
    run = re.escape(configured.run_name)
    self.worker = re.compile(rf"(?<![\w.-]){run}-worker-([0-9]{{1,6}})(?:\.{run})?(?![\w-])")
    self.before = ("", "")

  def named(self, message):

    if message != self.before[0]:
      self.before = (message, self._named(message))
    return self.before[1]

  def _named(self, message):
    indices = list(dict.fromkeys(self.worker.findall(message)))[:PLACED]
    if not indices:
      return message
    try:
      pods = self.client.get(api.pods_path(self.configured.namespace, self.configured.worker_job, *indices))
    except api.ApiError as error:
      if error.status == 403:
        return message
      raise
    nodes = nodes_of(pods.get("items", []))
    return self.worker.sub(lambda match: match.group() + nodes.get(match.group(1), ""), message)


def nodes_of(pods):

  placed = [pod for pod in pods if pod.get("spec", {}).get("nodeName")]
  placed.sort(key=lambda pod: str(pod["metadata"].get("creationTimestamp", "")))
  return {pod["metadata"]["labels"][INDEX]: f" (node {pod['spec']['nodeName']})" for pod in placed}


def problems(pods):




  lines = [problem for pod in pods for problem in _problems(pod)]
  return [words for _, words in sorted(lines)[:LIMIT]]


def _problems(pod):
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


def _end(container, ended):

  where = "" if container == "worker" else f"container {container} "
  reason = ended.get("reason", "")
  because = f" ({reason})" if reason not in ("", "Error", "Completed") else ""
  words = f": {ended['message']}" if ended.get("message") else ""
  return _line(f"{where}ended with exit code {ended['exitCode']}{because}{words}")


def _worker(pod):

  return re.sub("-[a-z0-9]{5}$", "", pod)


def _line(text):
  return exchange.text(" ".join(text.split()), CHARACTERS).rstrip(": ")
