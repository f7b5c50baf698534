"""The network check and spare workers, in real pods: worker 0 cannot listen on the port of the training, or is slow."""

import os
import re
from collections.abc import Callable

import pytest
from kubernetes import client

from dsgen.cluster.client import Cluster
from tests.e2e.causes import LACKS
from tests.e2e.cluster import HOST, soon
from tests.e2e.conftest import unavailable
from tests.e2e.test_launch_methods import COMMAND, job_of
from tests.e2e.test_why import look
from tests.e2e.training import Job, Run, condition, ended, moment

pytestmark = pytest.mark.by_turns

TAKEN = """\
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
  python3 -c 'import socket, time; port = socket.create_server(("", 29500)); time.sleep(100000)' &
fi
"""


def index(pod: client.V1Pod) -> int:
    return int(pod.metadata.labels["batch.kubernetes.io/job-completion-index"])


@pytest.fixture(scope="module")
def job(make_job: Callable[..., Job]) -> Job:
    # The training is longer than a worker without a session waits before it takes itself for an orphan: the idle one.
    job = make_job("preflight", "--pause", "4")
    job.values["lifecycle"]["orphanTimeoutSeconds"] = 60
    job.values["training"]["setup"] = TAKEN
    job.values["launch"] = {"preflight": {"network": True, "spares": 1}}
    return job


@pytest.fixture(scope="module")
def spared(job: Job) -> Run:
    job.apply()
    return job.ended()


def test_a_spare_trains_in_the_place_of_a_dead_worker(spared: Run) -> None:
    """The world is the one that was asked for, and all three workers end with the run."""
    assert ("Succeeded", 0, 2) == tuple(spared.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert list(range(20)) == list(spared.losses)
    assert {"launcher": [0], "worker": [0, 0, 0]} == spared.exit_codes
    (log,) = [text for name, text in spared.logs.items() if name.endswith("/launcher")]
    started = sorted(line.split(" started on ")[1].split(".")[0] for line in log.splitlines() if " started on " in line)
    assert ["digits-1-worker-1", "digits-1-worker-2"] == started
    assert "network: the median of the workers is " in log
    check_message(spared)


def check_message(run: Run) -> None:
    """The record names the dead worker and its spare."""
    host, said = "digits-1-worker-{}.digits-1", run.record["message"]
    nodes = {index(pod): pod.spec.node_name for pod in run.pods_of("worker")}
    assert said.startswith(f"network: {host.format(0)} (node {nodes[0]}) exchanges no data: Address already in use")
    assert said.endswith(f"; in their place: {host.format(2)} (node {nodes[2]})")


def test_without_a_spare_a_dead_worker_fails_the_run(job: Job, spared: Run) -> None:
    """Of two workers nobody can tell which of them it is."""
    assert spared.launcher
    elsewhere = job.values["workers"] | {"excludeNodes": ["another"]}  # the rule is one that nodes satisfy
    job.apply("2", launch={"preflight": {"network": True, "spares": 0}}, workers=elsewhere)

    run = job.ended("2")

    assert ("Failed", "Preflight") == (run.record["phase"], run.record["reason"])
    assert ["digits-2-worker-0", "digits-2-worker-1"] == [
        word.split(".")[0] for word in run.record["message"].split() if ".digits-2" in word
    ]
    assert "exit code 1 " in condition(run.launcher).message
    assert {} == run.losses
    assert {"launcher": [1], "worker": [0, 0]} == run.exit_codes


def preflight_job(make_job: Callable[..., Job], purpose: str, method: str, setup: str) -> Job:
    """A job of two workers and a spare without ssh, which checks the network."""
    by_command = method == "worker-command"
    job = job_of(make_job, purpose, method, **({"python": "", "args": []} if by_command else {}))
    job.values["launch"] |= {"command": COMMAND} if by_command else {}
    job.values["launch"]["preflight"] = {"network": True, "spares": 1}
    job.values["training"]["setup"] = setup
    return job


@pytest.mark.by_turns("method")
@pytest.mark.parametrize("method", ["torchrun", "worker-command"])
def test_without_ssh_a_spare_trains_in_the_place_of_a_dead_worker(make_job: Callable[..., Job], method: str) -> None:
    job = preflight_job(make_job, f"preflight-{method}", method, TAKEN)
    job.apply()

    run = job.ended()

    assert ("Succeeded", 0) == (run.record["phase"], run.record["exitCode"])
    assert list(range(20)) == list(run.losses)
    assert {"launcher": [0], "worker": [0, 0, 0]} == run.exit_codes
    check_message(run)


SHAPES = {"a slow link": {1: 40}, "half the rate": {0: 400, 1: 180, 2: 400}}
"""Megabits a second that a worker can send, by its index."""
WAITS = '[ "$DSGEN_ROLE" = launcher ] || until [ -e /tmp/shaped ]; do sleep 0.2; done'


@pytest.mark.by_turns("shape")
@pytest.mark.parametrize("method", ["torchrun", "worker-command"])
@pytest.mark.parametrize("shape", SHAPES)
def test_without_ssh_a_spare_trains_in_the_place_of_a_slow_worker(
    make_job: Callable[..., Job], method: str, shape: str
) -> None:
    """Worker 1 is slow, because tc shapes what it sends."""
    if not os.environ.get(HOST):
        unavailable(f"{HOST} is not set")
    job = preflight_job(make_job, f"slow-{method}", method, WAITS)
    job.apply()
    for pod in soon("workers", lambda: running(job), 120):
        if rate := SHAPES[shape].get(index(pod)):
            shaped = f"tc qdisc add dev eth0 root tbf rate {rate}mbit burst 256kb latency 400ms"
            job.space.on_host(pod.metadata.name, "worker", f"nsenter --target $process --net {shaped}")
        job.space.kubectl("exec", pod.metadata.name, "--container", "worker", "--", "touch", "/tmp/shaped")

    run = job.ended()

    assert ("Succeeded", 0) == (run.record["phase"], run.record["exitCode"])
    assert list(range(20)) == list(run.losses)
    said = run.record["message"]
    slow, place = said.split("; in their place: ")
    assert re.fullmatch(r"network: digits-1-worker-1\.digits-1 \(node .+\) is slow: \d+ MiB/s, median \d+", slow)
    assert place.startswith("digits-1-worker-2.digits-1 ")


def running(job: Job) -> list[client.V1Pod]:
    """The workers, when the containers of all three run."""
    pods = job.pods("1", "worker")
    up = [pod for pod in pods if any(one.state.running for one in pod.status.container_statuses or [])]
    return up if len(up) == 3 else []


@pytest.mark.by_turns("lacks")
@pytest.mark.parametrize("lacks", LACKS)
def test_what_an_image_lacks_is_named_in_the_first_seconds(make_job: Callable[..., Job], lacks: str) -> None:
    """In the record 20 s after the first pod runs, and by dsgen why; no training is started."""
    values, says = LACKS[lacks]
    job = make_job(f"lacks-{lacks}")
    del job.values["storage"]
    job.apply(**values)

    run = job.ended()

    assert ("Failed", "WorkersFailed") == (run.record["phase"], run.record["reason"])
    assert says in run.record["message"]
    containers = [container for pod in run.pods_of("worker") if (container := ended(pod))]
    first = min(container.started_at for container in containers if container.started_at)
    assert 20 > (moment(run.record["endTime"]) - first).total_seconds()
    assert {} == run.losses
    _, causes, _ = look(Cluster(), job)
    assert "ImageLacks" == causes[0].reason
    assert says in causes[0].message
