"""Workers on two nodes, and a kubelet that refreshes mounted objects once a minute, as real clusters do."""

import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import kubectl, soon
from tests.e2e.conftest import unavailable
from tests.e2e.training import Job, Run, moment

pytestmark = pytest.mark.by_turns

HOW_NODES = "this test needs two nodes, one of which refreshes mounted objects once a minute (tests/e2e/README.md)"
TAINT = "dsgen.dev/e2e"
SEAT = "dsgen.dev/e2e-seat"
# Nothing knows the nodes' own names, and their interfaces have different ones.
FIRST_INTERFACE = "export GLOO_SOCKET_IFNAME=$(awk 'NR > 1 && $1 != \"lo\" {print $1; exit}' /proc/net/route)"
PLACED = {"tolerations": [{"key": TAINT, "operator": "Exists"}]}


def usable_nodes() -> list[str]:
    """Nodes that take the pods of these tests."""
    nodes = json.loads(kubectl("get", "nodes", "--output", "json"))["items"]
    return [
        node["metadata"]["name"]
        for node in nodes
        if not any(taint["key"] != TAINT for taint in node["spec"].get("taints", []))
        and any(
            ready["type"] == "Ready" and ready["status"] == "True" for ready in node["status"].get("conditions", [])
        )
    ]


def refresh_seconds(node: str) -> float:
    """How often the node's kubelet looks at mounted ConfigMaps and Secrets."""
    text = json.loads(kubectl("get", "--raw", f"/api/v1/nodes/{node}/proxy/configz"))["kubeletconfig"]["syncFrequency"]
    return sum(
        float(number) * {"h": 3600, "m": 60, "s": 1}[unit] for number, unit in re.findall(r"([\d.]+)([hms])", text)
    )


@pytest.fixture(scope="module")
def slow_node() -> str:
    """A node whose kubelet is slow, beside another node."""
    nodes = usable_nodes()
    slow = [node for node in nodes if refresh_seconds(node) >= 60]
    if not slow or len(nodes) < 2:
        unavailable(HOW_NODES)
    return slow[0]


def offer(node: str, seats: int | None) -> None:
    """Make a node offer so many of an extended resource that nobody else asks for."""
    offered = {SEAT: None if seats is None else str(seats)}
    patch = json.dumps({"status": {"capacity": offered, "allocatable": offered}})
    kubectl("patch", "node", node, "--subresource=status", "--type=merge", "--patch", patch)


@pytest.fixture(scope="module")
def seats(slow_node: str) -> Iterator[None]:
    """One seat on each node: two workers that need one each must be on two nodes."""
    nodes = usable_nodes()
    assert slow_node in nodes
    for node in nodes:
        offer(node, 1)
    yield
    for node in nodes:
        offer(node, None)


def placed(run: Run, role: str) -> list[str]:
    return [pod.spec.node_name for pod in run.pods_of(role)]


def succeeded(run: Run) -> dict[str, Any]:
    return {
        "exits": run.exit_codes,
        "phase": run.record["phase"],
        "world": run.record["worldSize"],
        "steps": len(run.losses),
    }


GOOD = {"exits": {"launcher": [0], "worker": [0, 0]}, "phase": "Succeeded", "world": 2, "steps": 20}


@pytest.mark.usefixtures("seats")
def test_workers_on_two_nodes_train_together(make_job: Callable[..., Job]) -> None:
    """An accelerator of which each node has one puts the workers on two nodes, and they train as on one."""
    job = make_job("nodes")
    job.values["workers"] |= PLACED | {"accelerator": {"resource": SEAT, "count": 1}}
    job.apply()

    run = job.ended()

    assert 2 == len(set(placed(run, "worker")))
    assert GOOD == succeeded(run)


def test_workers_on_the_network_of_their_nodes(make_job: Callable[..., Job], slow_node: str) -> None:
    """They have the nodes' addresses, their ports keep them on nodes of their own, and names lead there."""
    job = make_job("node-network", level="privileged")
    job.values["workers"] |= PLACED
    job.values |= {"network": {"hostNetwork": True}, "security": {"podSecurityLevel": "privileged"}}
    job.values |= {"ssh": {"port": 42222}, "launch": {"masterPort": 42950}}
    job.values["training"]["setup"] = FIRST_INTERFACE
    job.apply()

    run = job.ended()

    assert slow_node in placed(run, "worker")
    assert 2 == len({pod.status.pod_ip for pod in run.pods_of("worker")})
    assert all(pod.status.host_ip == pod.status.pod_ip for pod in run.pods_of("worker"))
    assert GOOD == succeeded(run)


def key_made(job: Job) -> datetime:
    """When the job's Secret got its key."""
    fields = job.space.secret(f"{job.name}-ssh").metadata.managed_fields
    return next(field.time for field in fields if field.manager == "dsgen-keygen")


def test_a_kubelet_that_refreshes_once_a_minute(make_job: Callable[..., Job], slow_node: str) -> None:
    """Workers that wait for a key change their readiness, so the kubelet refreshes their volumes at once."""
    job = make_job("slow")
    for role in ("workers", "launcher"):
        job.values[role] |= PLACED | {"nodeSelector": {"kubernetes.io/hostname": slow_node}}
    early = [entry for entry in yaml.safe_load_all(job.render()) if entry["metadata"]["name"] != "digits-1-launcher"]
    job.space.kubectl("apply", "--filename", "-", text=yaml.safe_dump_all(early))
    soon("workers without a key", lambda: sum("waiting" in log for log in job.space.logs().values()) == 2, 60)
    # What follows the start of a container refreshes its volumes too; then the kubelet rests.
    time.sleep(10)
    job.apply()

    run = job.ended()

    assert [slow_node] * 3 == placed(run, "worker") + placed(run, "launcher")
    assert GOOD == succeeded(run)
    waited = moment(run.record["attempts"][0]["startTime"]) - key_made(job)
    assert waited.total_seconds() < refresh_seconds(slow_node) / 2
