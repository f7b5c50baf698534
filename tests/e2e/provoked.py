"""The environment of jobs that cannot run: nodes, volumes, a registry and a webhook that refuse, other runs."""

import base64
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.cluster import kubectl, soon
from tests.e2e.queues import GROUP, api_version, delete, queue_objects
from tests.e2e.training import Job

LABEL = {"example.com/dsgen": "SPACE"}
TAINT = {"key": "example.com/dsgen", "value": "SPACE", "effect": "NoSchedule"}
BUSYBOX = "dsgen.test/busybox:1"


def parse(text: str) -> tuple[dict[str, Any], ...]:
    """Objects that are written in YAML."""
    return tuple(yaml.safe_load_all(text))


# Nodes that no machine is behind, and what nodes have


def node(taints: list[dict[str, str]]) -> dict[str, Any]:
    """A node without a kubelet: its taint keeps the pods of others away."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "SPACE", "labels": LABEL},
        "spec": {"taints": taints},
    }


def not_ready(job: Job) -> None:
    """Give the node room for pods, and when they are bound to it, take its kubelet away."""
    room = {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "10Gi"}
    ready = {"type": "Ready", "reason": "KubeletReady", "status": "True"}
    _status("node", job.space.name, {"capacity": room, "allocatable": room, "conditions": [ready]})
    soon("pod on the node", lambda: all(pod.spec.node_name for pod in job.pods("1", "worker")), 60)
    _status("node", job.space.name, {"conditions": [ready | {"status": "Unknown", "reason": "NodeStatusUnknown"}]})


def one_device(_: Job) -> None:
    """Let one node have one device of a resource that no kubelet looks at."""
    _devices("1")


def no_device(_: Job) -> None:
    """Take it back."""
    _devices(None)


def _devices(count: str | None) -> None:
    nodes = json.loads(kubectl("get", "nodes", "--output", "json"))["items"]
    name = next(one["metadata"]["name"] for one in nodes if not one["spec"].get("taints"))
    _status("node", name, {"capacity": {"example.com/gpu": count}, "allocatable": {"example.com/gpu": count}})


def _status(kind: str, name: str, status: dict[str, Any], *where: str) -> None:
    patch = json.dumps({"status": status})
    kubectl("patch", kind, name, "--subresource=status", "--type=strategic", "--patch", patch, *where)


def gated_pod(job: Job) -> None:
    """Replace a worker by one with a scheduling gate, as an admission webhook adds it."""
    first = soon("worker", lambda: job.pods("1", "worker"), 30)[0]
    pod = json.loads(job.space.kubectl("get", "pod", first.metadata.name, "--output", "json"))
    metadata = {key: pod["metadata"][key] for key in ("labels", "annotations", "ownerReferences", "finalizers")}
    spec = {key: value for key, value in pod["spec"].items() if key not in ("nodeName", "tolerations")}
    spec["schedulingGates"] = [{"name": "example.com/later"}]
    job.space.kubectl("delete", "pod", first.metadata.name, "--wait=false", "--grace-period=0")
    name = {"name": f"{first.metadata.name}-gated"}
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata | name, "spec": spec}
    job.space.kubectl("create", "--filename", "-", text=json.dumps(made))


VOLUME = parse("""
apiVersion: v1
kind: PersistentVolume
metadata: {name: SPACE}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteMany]
  storageClassName: ""
  hostPath: {path: /tmp/nothing}
  claimRef: {namespace: SPACE, name: elsewhere}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [nowhere]}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: elsewhere, namespace: SPACE}
spec: {accessModes: [ReadWriteMany], storageClassName: "", volumeName: SPACE, resources: {requests: {storage: 1Gi}}}
""")


def no_such_access(job: Job) -> None:
    """Say of the claim what a driver says that cannot share a volume."""
    space, name = job.space.name, f"{job.name}-data"
    uid = job.space.kubectl("get", "persistentvolumeclaim", name, "--output", "jsonpath={.metadata.uid}")
    driver = "example.com/one-writer"
    message = 'failed to provision volume with StorageClass "dsgen-e-access": rpc error: code = InvalidArgument desc = '
    made = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"generateName": f"{name}.", "namespace": space},
        "involvedObject": {"kind": "PersistentVolumeClaim", "name": name, "namespace": space, "uid": uid},
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": f"{message}volume capability MULTI_NODE_MULTI_WRITER is not supported",
        "source": {"component": driver},
        "lastTimestamp": _now(3600),  # the newest: the controller speaks of the same claim now and then
        "count": 1,
    }
    job.space.kubectl("create", "--filename", "-", text=json.dumps(made))


# Gangs and queues


def gang_does_not_fit(job: Job) -> None:
    """Say of the PodGroup what Volcano says."""
    message = "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable"
    condition = {"type": "Unschedulable", "status": "True", "reason": "NotEnoughResources", "message": message}
    now = {"lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "transitionID": "1"}
    patch = json.dumps({"status": {"phase": "Pending", "conditions": [condition | now]}})
    selector = f"dsgen.dev/job={job.name}"
    name = job.space.kubectl("get", "podgroups.scheduling.volcano.sh", "-l", selector, "--output", "name").strip()
    job.space.kubectl("patch", name, "--type=merge", "--patch", patch)


def members_are_missing(job: Job) -> None:
    """Say of the pods what the scheduler of scheduler-plugins says while not all of a gang are there."""
    message = "0/1 nodes are available: pre-filter pod digits cannot find enough sibling pods, minMember of group: 2"
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    for pod in soon("workers", lambda: job.pods("1", "worker"), 30):
        _status("pod", pod.metadata.name, {"conditions": [condition]}, "--namespace", job.space.name)


def order(job: Job) -> None:
    """A queue with quota for one run, in which higher priorities preempt."""
    name, version = job.space.name, api_version()
    local = {"apiVersion": version, "kind": "LocalQueue", "metadata": {"name": "order", "namespace": name}}
    made = [*queue_objects(name, version), {**local, "spec": {"clusterQueue": name}}]
    text = yaml.safe_dump_all(made)
    soon("webhook of Kueue", lambda: kubectl("apply", "--filename", "-", text=text), 60)


def no_order(job: Job) -> None:
    """Delete what belongs to no namespace."""
    delete(queue_objects(job.space.name, api_version()))


def preempted(job: Job) -> None:
    """Let a Job of higher priority take the quota, once the run has it."""
    from tests.e2e.test_kueue import Queue

    job.space.watched("job", f"{job.name}-1-worker", lambda seen: not seen.spec.suspend, 60)
    Queue(job.space, BUSYBOX, "order").take("urgent", **{f"{GROUP}/priority-class": job.space.name})


def kueue_defined(_: Job) -> None:
    """Define Workloads, which nobody makes."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1beta1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    made = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"workloads.{GROUP}", "annotations": {"api-approved.kubernetes.io": "unapproved, a test"}},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"kind": "Workload", "plural": "workloads", "singular": "workload"},
            "versions": [version],
        },
    }
    kubectl("apply", "--filename", "-", text=yaml.safe_dump(made))
    kubectl("wait", "--for=condition=Established", f"crd/workloads.{GROUP}", "--timeout=30s")


def kueue_undefined(_: Job) -> None:
    """Take the definition away."""
    kubectl("delete", "crd", f"workloads.{GROUP}", "--wait=true")


def switched_off(job: Job) -> None:
    """Deactivate the Workload, as an administrator does."""
    name = soon(
        "Workload",
        lambda: [
            line
            for line in job.space.kubectl("get", f"workloads.{GROUP}", "--output", "name").split()
            if job.name in line
        ],
        30,
    )[0]
    job.space.kubectl("patch", name, "--type=merge", "--patch", '{"spec": {"active": false}}')


def _now(later: int = 0) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + later))


def other_run_has_the_turn(job: Job) -> None:
    """Write a lease that another run has renewed just now."""
    _record(job, _lease={"run": "0", "pod": "other", "renewals": 1, "time": _now()})


def launcher_fell_silent(job: Job) -> None:
    """Write the record of a run that trained five minutes ago, and nothing since."""
    run = {"version": 1, "phase": "Running", "reason": "", "startTime": _now(-600), "attempts": []}
    _record(job, **{"1": run, "_lease": {"run": "1", "pod": "gone", "renewals": 5, "time": _now(-300)}})


def _record(job: Job, **entries: dict[str, Any]) -> None:
    labels = {"dsgen.dev/job": job.name, "app.kubernetes.io/component": "status"}
    data = {key: json.dumps(entry) for key, entry in entries.items()}
    made = {"apiVersion": "v1", "kind": "ConfigMap", "data": data}
    made["metadata"] = {"name": f"{job.name}-status", "labels": labels}
    job.space.kubectl("create", "--filename", "-", text=json.dumps(made))


def workers_suspended(job: Job) -> None:
    """Suspend the workers, as a person does who means the run."""
    job.space.kubectl("patch", "job", f"{job.name}-1-worker", "--patch", '{"spec": {"suspend": true}}')


def launcher_deleted(job: Job) -> None:
    """Delete the launcher's Job once the record has begun."""
    job.recorded("1", bool, 60)
    job.space.kubectl("delete", "job", f"{job.name}-1-launcher")


# A registry and a webhook that say no

PORT = 5999
IMAGES = {"ImageMissing": "missing", "ImageAccess": "denied", "ImageRateLimit": "limited"}
ANSWERS = """
import http.server, json

ANSWERS = {
    "missing": (404, "MANIFEST_UNKNOWN", "manifest unknown"),
    "denied": (403, "DENIED", "requested access to the resource is denied"),
    "limited": (429, "TOOMANYREQUESTS", "You have reached your pull rate limit."),
}

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.split("/")[2] if self.path.count("/") > 2 else ""
        status, code, message = ANSWERS.get(name, (200, "", ""))
        body = json.dumps({"errors": [{"code": code, "message": message}]} if code else {}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
    do_HEAD = do_GET

http.server.HTTPServer(("127.0.0.1", 5999), Handler).serve_forever()
"""
REGISTRY = parse(
    """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: registry, namespace: SPACE}
spec:
  selector: {matchLabels: {app: registry}}
  template:
    metadata: {labels: {app: registry}}
    spec:
      hostNetwork: true
      terminationGracePeriodSeconds: 0
      containers:
      - name: registry
        image: IMAGE
        command: [python3, -c, ANSWERS]
        readinessProbe: {tcpSocket: {host: 127.0.0.1, port: 5999}, periodSeconds: 1}
""".replace("ANSWERS", json.dumps(ANSWERS))
)


def registry(job: Job) -> None:
    """Run the registry on every node."""
    job.space.kubectl("apply", "--filename", "-", text=around(REGISTRY, job))
    job.space.kubectl("rollout", "status", "daemonset/registry", "--timeout=240s")


DENIES = """
import http.server, json, ssl

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        response = {"uid": asked["request"]["uid"], "allowed": False, "status": {"message": "pods need a cost center"}}
        body = json.dumps({"apiVersion": asked["apiVersion"], "kind": asked["kind"], "response": response}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

server = http.server.HTTPServer(("", 8443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/tls/tls.crt", "/tls/tls.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""
WEBHOOK = parse(
    """
apiVersion: v1
kind: Service
metadata: {name: check, namespace: SPACE}
spec: {selector: {app: check}, ports: [{port: 443, targetPort: 8443}]}
---
apiVersion: v1
kind: Pod
metadata: {name: check, namespace: SPACE, labels: {app: check}}
spec:
  terminationGracePeriodSeconds: 0
  volumes: [{name: tls, secret: {secretName: check}}]
  containers:
  - name: check
    image: IMAGE
    command: [python3, -c, DENIES]
    readinessProbe: {tcpSocket: {port: 8443}, periodSeconds: 1}
    volumeMounts: [{name: tls, mountPath: /tls}]
""".replace("DENIES", json.dumps(DENIES))
)


def webhook(job: Job) -> None:
    """Run the webhook with a certificate of its own, and let it judge the pods of dsgen in the namespace."""
    space, name = job.space, f"check.{job.space.name}.svc"
    with tempfile.TemporaryDirectory() as folder:
        key, crt = Path(folder) / "tls.key", Path(folder) / "tls.crt"
        made = ["-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(crt), "-days", "2"]
        named = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
        subprocess.run(["openssl", "req", "-x509", *made, *named], check=True, capture_output=True)
        space.kubectl("create", "secret", "tls", "check", "--key", str(key), "--cert", str(crt))
        bundle = base64.b64encode(crt.read_bytes()).decode()
    space.kubectl("apply", "--filename", "-", text=around(WEBHOOK, job))
    space.kubectl("wait", "--for=condition=Ready", "pod/check", "--timeout=180s")
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    entry = {
        "name": "cost.example.com",
        "clientConfig": {"service": {"name": "check", "namespace": space.name}, "caBundle": bundle},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": space.name}},
        "rules": [rule],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
    }
    kind = "ValidatingWebhookConfiguration"
    config = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": space.name},
        "webhooks": [entry],
    }
    kubectl("apply", "--filename", "-", text=yaml.safe_dump(config))


def no_webhook(job: Job) -> None:
    """Delete it: it belongs to no namespace."""
    kubectl("delete", "validatingwebhookconfiguration", job.space.name, "--ignore-not-found")


def around(objects: tuple[dict[str, Any], ...], job: Job) -> str:
    """Objects with the names of the namespace and of the training image in them."""
    image = job.values["image"]
    reference = f"{image['repository']}:{image['tag']}" + (f"@{image['digest']}" if image["digest"] else "")
    return yaml.safe_dump_all(objects).replace("SPACE", job.space.name).replace("IMAGE", reference)
