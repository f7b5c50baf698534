"""A namespace of a real cluster, and requests to it."""

import json
import math
import os
import shlex
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import urllib3
import yaml
from kubernetes import client, watch

live: list["Namespace"] = []


class TooLateError(AssertionError):
    """What a test waited for did not come in time."""


NO_ANSWER = (
    "Unable to connect to the server",
    "Kubernetes cluster unreachable",
    "TLS handshake timeout",
    "in the time allotted",
)
"""What kubectl and Helm say when the API server has too much to do."""
TRIES = 8
REPEATABLE = {"get", "logs", "diff", "annotate", "patch", "apply"}
"""What kubectl may do twice."""


def answered(command: list[str], text: str | None = None) -> subprocess.CompletedProcess[str]:
    """How a command ends that may run twice: where the API server had no answer, it runs again, for half a minute."""
    for left in reversed(range(TRIES)):
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if not left or not (done.returncode and any(words in done.stderr for words in NO_ANSWER)):
            break
        time.sleep(4)
    return done


def kubectl(*arguments: str, text: str | None = None) -> str:
    """Standard output of one kubectl call; a failed one raises with what kubectl said."""
    command = ["kubectl", *arguments]
    if REPEATABLE.intersection(arguments):
        done = answered(command, text)
    else:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"kubectl {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def soon(what: str, look: Callable[[], Any], seconds: float) -> Any:
    """The first answer that is not empty, asked for twice a second."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if answer := look():
            return answer
        time.sleep(0.5)
    raise TooLateError(f"no {what} after {seconds} s")


HOST = "DSGEN_E2E_HOST"  # a command, to which a command is appended that runs as root on the pods' node
# The process that is number 1 in a container, as its node counts it.
FIRST_PROCESS = """
for group in $(grep --files-with-matches --no-messages {} /proc/[0-9]*/cgroup); do
  if grep -q '^NSpid:.*[[:space:]]1$' "${{group%cgroup}}status"; then process=$(basename "${{group%/cgroup}}"); fi
done
"""


class Namespace:
    """A namespace that enforces a Pod Security level."""

    def __init__(self, purpose: str, level: str) -> None:
        self.name = f"dsgen-e-{purpose}-{uuid.uuid4().hex[:5]}"
        self.core, self.batch = client.CoreV1Api(), client.BatchV1Api()
        labels = {"pod-security.kubernetes.io/enforce": level, "pod-security.kubernetes.io/enforce-version": "latest"}
        self.core.create_namespace({"metadata": {"name": self.name, "labels": labels}})
        live.append(self)

    def delete(self) -> None:
        kubectl("delete", "namespace", self.name, "--wait=false", "--ignore-not-found")

    def kubectl(self, *arguments: str, text: str | None = None) -> str:
        return kubectl("--namespace", self.name, *arguments, text=text)

    def watched(self, kind: str, name: str, wanted: Callable[[Any], bool], seconds: float) -> Any:
        """The job, pod or config_map NAME, as soon as it is as wanted: a watch, so no state in between is missed."""
        api = self.batch if kind == "job" else self.core
        listing = getattr(api, f"list_namespaced_{kind}")
        deadline = time.monotonic() + seconds
        last = None
        while (left := deadline - time.monotonic()) > 0:
            stream = watch.Watch().stream(
                listing, self.name, field_selector=f"metadata.name={name}", timeout_seconds=math.ceil(left)
            )
            try:
                for event in stream:
                    last = event["object"]
                    if wanted(last):
                        return last
            except urllib3.exceptions.HTTPError:  # the API server has too much to do
                time.sleep(1)
        raise TooLateError(f"{kind} {name} of {self.name} is not as wanted after {seconds} s: {last}")

    def pods(self, **labels: str) -> list[client.V1Pod]:
        selector = ",".join(f"dsgen.dev/{name}={value}" for name, value in labels.items())
        return self.core.list_namespaced_pod(self.name, label_selector=selector).items

    def log(self, pod: str, container: str, **options: Any) -> str:
        """What the container has said so far; nothing when it has not begun."""
        try:
            read: Any = self.core.read_namespaced_pod_log
            answer = read(pod, self.name, container=container, _preload_content=False, **options)
        except client.ApiException as error:
            if error.status in (400, 404):
                return ""
            raise
        return str(answer.data.decode(errors="replace"))

    def logs(self) -> dict[str, str]:
        """What every container of every pod said, by POD/CONTAINER."""
        return {
            f"{pod.metadata.name}/{container.name}": self.log(pod.metadata.name, container.name)
            for pod in self.pods()
            for container in [*(pod.spec.init_containers or []), *pod.spec.containers]
        }

    def processes(self, pod: str) -> list[str]:
        """Command lines of the processes in a worker, as its own /proc shows them."""
        program = (
            "import pathlib\n"
            "for path in pathlib.Path('/proc').glob('[0-9]*/cmdline'):\n"
            "    try: print(path.read_bytes().replace(bytes(1), b' ').replace(bytes([10]), b' ').decode())\n"
            "    except OSError: pass\n"
        )
        return self.kubectl("exec", pod, "--container", "worker", "--", "python3", "-c", program).splitlines()

    def on_host(self, pod: str, container: str, command: str) -> None:
        """Run a shell command on the pod's node, where `process` is the first process of the container."""
        status = self.core.read_namespaced_pod_status(pod, self.name).status
        every = [*status.container_statuses, *(status.init_container_statuses or [])]
        name = next(one.container_id for one in every if one.name == container).rpartition("/")[2]
        script = FIRST_PROCESS.format(name) + command
        subprocess.run([*shlex.split(os.environ[HOST]), "sh", "-c", script], check=True, capture_output=True)

    def secret(self, name: str) -> client.V1Secret:
        return self.core.read_namespaced_secret(name, self.name)

    def record(self, job: str) -> dict[str, dict[str, Any]]:
        """The job's record: run id -> what became of the run."""
        data = self.core.read_namespaced_config_map(f"{job}-status", self.name).data or {}
        return runs_of(data)

    def identities(self) -> dict[str, tuple[str, str]]:
        """Uid and resource version of everything in the namespace that dsgen renders or that a Job makes."""
        kinds = "jobs,pods,configmaps,secrets,services,persistentvolumeclaims,roles,rolebindings,networkpolicies"
        items = json.loads(self.kubectl("get", kinds, "--output", "json"))["items"]
        return {
            f"{item['kind']}/{item['metadata']['name']}": (item["metadata"]["uid"], item["metadata"]["resourceVersion"])
            for item in items
        }

    def describe(self) -> Iterator[tuple[str, str]]:
        """Title and text of what a person would look at first when a test failed here."""
        yield "pods and jobs", self.kubectl("get", "pods,jobs", "--output", "wide")
        for job in self.batch.list_namespaced_job(self.name).items:
            yield f"conditions of {job.metadata.name}", yaml.safe_dump(job.to_dict()["status"])
        for entry in self.core.list_namespaced_config_map(self.name).items:
            if entry.metadata.name.endswith("-status"):
                yield entry.metadata.name, "\n".join(f"{key}: {value}" for key, value in (entry.data or {}).items())
        yield "events", self.kubectl("get", "events", "--sort-by=.lastTimestamp")
        for name, text in self.logs().items():
            yield f"log of {name}", "\n".join(text.splitlines()[-60:])


def runs_of(data: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The record's runs; keys that begin with an underscore are not runs."""
    return {key: json.loads(value) for key, value in data.items() if not key.startswith("_")}
