# dsgen/scripts/shared_api.py without its comments.

from __future__ import annotations

import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

TOKEN_FOLDER = Path("/var/run/secrets/dsgen")
TIMEOUT_SECONDS = 5
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


class ApiError(Exception):


  def __init__(self, status, message):
    super().__init__(message)
    self.status = status


class Api:


  def __init__(self, host, port, folder = TOKEN_FOLDER):
    address = f"[{host}]" if ":" in host else host
    self.base = f"https://{address}:{port}"
    self.folder = folder

  def get(self, path):

    return self._call("GET", path, None, "")

  def patch(self, path, body, content_type, manager):

    return self._call("PATCH", f"{path}?fieldManager={manager}", json.dumps(body).encode(), content_type)

  def _call(self, method, path, body, content_type):
    try:
      with self._open(method, path, body, content_type) as answer:
        content = json.load(answer)
    except urllib.error.HTTPError as error:
      raise ApiError(error.code, f"{method} {path}: {error.code} {_reason(error)}") from error
    except (OSError, ValueError) as error:
      raise ApiError(0, f"{method} {path}: {error}") from error
    if not isinstance(content, dict):
      raise ApiError(0, f"{method} {path}: the answer is no object")
    return content

  def _open(self, method, path, body, content_type):

    token = (self.folder / "token").read_text(encoding="utf-8").strip()
    context = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
    opener = urllib.request.build_opener(
      urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
    )
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    if body is not None:
      headers["Content-Type"] = content_type
    request = urllib.request.Request(self.base + path, data=body, headers=headers, method=method)
    return opener.open(request, timeout=TIMEOUT_SECONDS)


def in_cluster():

  host = os.environ.get("KUBERNETES_SERVICE_HOST", "kubernetes.default.svc")
  return Api(host, os.environ.get("KUBERNETES_SERVICE_PORT", "443"))


def secret_path(namespace, name):
  return f"/api/v1/namespaces/{namespace}/secrets/{name}"


def configmap_path(namespace, name):
  return f"/api/v1/namespaces/{namespace}/configmaps/{name}"


def job_path(namespace, name):
  return f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}"


def pods_path(namespace, job, *indices):

  selector = f"batch.kubernetes.io/job-name={job}"
  if indices:
    selector += f",batch.kubernetes.io/job-completion-index in ({','.join(indices)})"
  return f"/api/v1/namespaces/{namespace}/pods?labelSelector={urllib.parse.quote(selector, safe='')}&limit=2000"


def _reason(error):

  try:
    content = json.loads(error.read(65536))
    return str(content.get("reason") or error.reason)
  except (OSError, ValueError, AttributeError):
    return str(error.reason)
