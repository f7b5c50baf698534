"""Another pod of the cluster, without key and nonce, connects to the launcher and the workers of a run without end.

With DSGEN_E2E_POLICIES, the network of the cluster enforces NetworkPolicies: then a run that has one is out of reach.
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from kubernetes import client

from tests.e2e.cluster import Namespace, soon
from tests.e2e.conftest import unavailable
from tests.e2e.training import Job

pytestmark = pytest.mark.by_turns

# Holds as many connections as it can to each address, and says nothing.
ATTACK = """
import socket, sys, time
ADDRESSES = [(host, int(port)) for host, _, port in (word.rpartition(":") for word in sys.argv[1:])]
held = {address: [] for address in ADDRESSES}
begun = time.monotonic()
while time.monotonic() - begun < 240:
    for address, connections in held.items():
        kept = []
        for connection in connections:
            connection.setblocking(False)
            try:
                if connection.recv(4096):
                    kept.append(connection)
            except BlockingIOError:
                kept.append(connection)
            except OSError:
                pass
        while len(kept) < 300:
            try:
                kept.append(socket.create_connection(address, timeout=0.5))
            except OSError:
                break
        held[address] = kept
    print("held", *map(len, held.values()), flush=True)
    time.sleep(0.2)
"""


@pytest.fixture(scope="module")
def neighbour(namespaces: Callable[..., Namespace], image: str) -> Namespace:
    """A namespace with a pod that has nothing to do with any run."""
    space = namespaces("neighbour")
    container = {"name": "main", "image": image, "command": ["sleep", "3600"]}
    pod = {"metadata": {"name": "neighbour"}, "spec": {"containers": [container], "terminationGracePeriodSeconds": 0}}
    space.core.create_namespaced_pod(space.name, pod)
    space.watched("pod", "neighbour", lambda pod: pod.status.phase == "Running", 60)
    return space


@contextmanager
def attacked(neighbour: Namespace, *addresses: str) -> Iterator[None]:
    """Meanwhile, the neighbour connects to these addresses."""
    argv = ["kubectl", "--namespace", neighbour.name, "exec", "neighbour", "--", "python3", "-c", ATTACK, *addresses]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(b"held")
            yield
        finally:
            process.kill()


def count(job: Job, pod: str, container: str, what: str) -> int:
    return int(job.space.kubectl("exec", pod, "--container", container, "--", "bash", "-c", what))


def list_workers(job: Job) -> list[client.V1Pod]:
    """The pods of both workers when they have addresses; else none."""
    pods = [pod for pod in job.pods("1", "worker") if pod.status.pod_ip]
    return pods if len(pods) == 2 else []


def test_the_port_of_the_launcher_stays_open_for_workers(make_job: Callable[..., Job], neighbour: Namespace) -> None:
    """Those connections have few threads, and the workers find their launcher and train."""
    job = make_job("port", "--pause", "1")
    job.values["launch"] = {"method": "torchrun"}
    job.apply()
    record = job.recorded("1", lambda record: bool(record.get("launcher")), 120)

    with attacked(neighbour, record["launcher"].partition("/")[0]):
        job.trained(role="worker")
        (pod,) = job.pods("1", "launcher")
        threads = count(job, pod.metadata.name, "launcher", "awk '/^Threads:/ {print $2}' /proc/1/status")
        run = job.ended()

    assert threads < 20
    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert 1 == len(run.record["attempts"])


def test_the_ports_of_workers_stay_open_for_the_launcher(make_job: Callable[..., Job], neighbour: Namespace) -> None:
    """Those of sshd, of the readiness probe, where the launcher announces the end, and of the check of the network.

    Each login that proves nothing would be a process of one and a half megabytes.
    """
    job = make_job("logins", "--pause", "1")
    job.values["launch"] = {"preflight": {"network": True}}
    job.apply()
    workers = soon("addresses", lambda: list_workers(job), 120)
    sshd = "cat /proc/[0-9]*/comm | grep -c ^sshd"

    with attacked(neighbour, *(f"{pod.status.pod_ip}:{port}" for pod in workers for port in (2222, 2223, 29500))):
        job.trained()
        processes = [count(job, pod.metadata.name, "worker", sshd) for pod in workers]
        run = job.ended()

    assert all(1 < number <= 45 for number in processes), processes
    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert 1 == len(run.record["attempts"])
    assert "exchanges no data" not in run.record["message"]
    ends = [text for name, text in run.logs.items() if name.endswith("/worker")]
    assert [True, True] == ["the launcher says that the run is over (Succeeded)" in text for text in ends]


# Whether somebody answers at each address.
REACH = """
import socket, sys
def reaches(host, port):
    try:
        return socket.create_connection((host, int(port)), timeout=3) is not None
    except TimeoutError:
        return False
print(*(reaches(*word.rsplit(":", 1)) for word in sys.argv[1:]))
"""


@pytest.mark.parametrize("policy", [True, False])
@pytest.mark.parametrize("method", ["torchrun", "pdsh"])
def test_a_policy_keeps_other_pods_away(
    make_job: Callable[..., Job], neighbour: Namespace, method: str, policy: bool
) -> None:
    """Neither the launcher's port, nor sshd, nor the port on which the ranks meet. The run has all its connections."""
    if not os.environ.get("DSGEN_E2E_POLICIES"):
        unavailable("the network of the cluster may not enforce NetworkPolicies: if it does, set DSGEN_E2E_POLICIES")
    job = make_job(f"policy-{method}", "--pause", "2")
    job.values["launch"] = {"method": method}
    job.values["network"] = {"policy": policy}
    job.apply()
    job.trained(role="worker" if method == "torchrun" else "launcher")
    address = job.space.record(job.name)["1"].get("launcher", "").partition("/")[0]
    first, second = sorted(job.pods("1", "worker"), key=lambda pod: pod.metadata.name)
    ports = {
        "torchrun": (address, f"{first.status.pod_ip}:29500"),
        "pdsh": (f"{first.status.pod_ip}:2222", f"{second.status.pod_ip}:2222"),
    }

    reached = neighbour.kubectl("exec", "neighbour", "--", "python3", "-c", REACH, *ports[method]).split()

    assert [str(not policy)] * 2 == reached
    run = job.ended()
    assert ("Succeeded", 2) == (run.record["phase"], run.record["worldSize"])
