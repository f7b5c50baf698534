"""A registry of OCI artifacts in a pod, which implements the reading part of the distribution specification."""

import base64
import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.cluster import Namespace, kubectl, soon

PORT = 5000
FLUX = ("application/vnd.cncf.flux.config.v1+json", "application/vnd.cncf.flux.content.v1.tar+gzip")
HELM = ("application/vnd.cncf.helm.config.v1+json", "application/vnd.cncf.helm.chart.content.v1.tar+gzip")
LAYER = ("application/vnd.oci.image.config.v1+json", "application/vnd.oci.image.layer.v1.tar+gzip")
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
SERVER = """
import hashlib, http.server, json, pathlib
folder = pathlib.Path("/artifacts")
known = json.loads((folder / "index.json").read_text())
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        entry = known.get(self.path.split("?")[0])
        body = (folder / entry["file"]).read_bytes() if entry else b"{}"
        self.send_response(200 if entry else 404)
        self.send_header("Content-Type", entry["type"] if entry else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Docker-Content-Digest", "sha256:" + hashlib.sha256(body).hexdigest())
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
    do_HEAD = do_GET
http.server.ThreadingHTTPServer(("", 5000), Handler).serve_forever()
"""


class Registry:
    """What `put` was given, served by a pod of a namespace after `start`."""

    def __init__(self, space: Namespace, image: str) -> None:
        self.space, self.image = space, image
        self._files: dict[str, bytes] = {"empty": b"{}"}
        self._known: dict[str, dict[str, str]] = {"/v2/": {"file": "empty", "type": "application/json"}}

    def put(self, repository: str, tag: str, content: bytes, types: tuple[str, str]) -> None:
        """An artifact of one layer. types: of its configuration and of the layer."""
        manifest: dict[str, Any] = {"schemaVersion": 2, "mediaType": MANIFEST}
        manifest["config"], layer = (
            self._blob(repository, *each) for each in zip((b"{}", content), types, strict=True)
        )
        text = json.dumps(manifest | {"layers": [layer]}).encode()
        digest = self._blob(repository, text, MANIFEST)["digest"]
        tags = json.dumps({"name": repository, "tags": [tag]}).encode()
        for path, body, kind in (
            *((f"manifests/{name}", text, MANIFEST) for name in (tag, digest)),
            ("tags/list", tags, "application/json"),
        ):
            self._serve(f"/v2/{repository}/{path}", body, kind)

    def _blob(self, repository: str, content: bytes, kind: str) -> dict[str, Any]:
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self._serve(f"/v2/{repository}/blobs/{digest}", content, "application/octet-stream")
        return {"mediaType": kind, "digest": digest, "size": len(content)}

    def _serve(self, path: str, content: bytes, kind: str) -> None:
        name = hashlib.sha256(content).hexdigest()
        self._files[name] = content
        self._known[path] = {"file": name, "type": kind}

    def start(self) -> str:
        """Its address for controllers."""
        files = self._files | {"index.json": json.dumps(self._known).encode()}
        encoded = {name: base64.b64encode(content).decode() for name, content in files.items()}
        metadata = {"name": "registry", "namespace": self.space.name}
        made = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "binaryData": encoded}]
        container = {
            "name": "registry",
            "image": self.image,
            "command": ["python3", "-c", SERVER],
            "volumeMounts": [{"name": "artifacts", "mountPath": "/artifacts"}],
            "readinessProbe": {"tcpSocket": {"port": PORT}, "periodSeconds": 1},
        }
        volumes = [{"name": "artifacts", "configMap": {"name": "registry"}}]
        spec = {"containers": [container], "volumes": volumes, "terminationGracePeriodSeconds": 0}
        made.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
        kubectl("apply", "--server-side", "--filename", "-", text=yaml.safe_dump_all(made))
        pod = soon("registry", self._ready, 120)
        return f"oci://{pod.status.pod_ip}:{PORT}"

    def _ready(self) -> Any:
        pod = self.space.core.read_namespaced_pod("registry", self.space.name)
        return (
            pod if any(each.type == "Ready" and each.status == "True" for each in pod.status.conditions or ()) else None
        )


def packed(folder: Path, name: str = "") -> bytes:
    """A folder as an archive, its content below this name."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.add(path, f"{name}/{path.relative_to(folder)}".lstrip("/"))
    return stream.getvalue()
