"""The numbers of `dsgen top`, and the order of `dsgen events`."""

from typing import Any

import pytest

from dsgen.cluster.capacity import Devices, list_devices, sum_devices
from dsgen.cluster.models import format_time
from dsgen.cluster.report import list_entries, report_timeline
from dsgen.cluster.requirements import sum_memory_limit, sum_request, sum_requests
from tests.cluster import recorded
from tests.cluster.test_phase import state

GPU = "nvidia.com/gpu"


def container(count: int, **other: str) -> dict[str, Any]:
    return {"resources": {"limits": {GPU: str(count)}}, **other}


@pytest.mark.parametrize(
    ("expected", "spec"),
    [
        (3, {"containers": [container(1), container(2)]}),
        (4, {"containers": [container(1)], "initContainers": [container(4)]}),
        (3, {"containers": [container(1)], "initContainers": [container(2, restartPolicy="Always")]}),
        (
            5,
            {
                "containers": [container(1)],
                "initContainers": [container(2, restartPolicy="Always"), container(3), container(1)],
            },
        ),
        (0, {"containers": [{}]}),
    ],
)
def test_devices_of_a_pod_are_counted_as_the_scheduler_counts(expected: int, spec: dict[str, Any]) -> None:
    assert expected == int(sum_request(spec, GPU))


def test_requests_and_limits_are_those_of_all_containers() -> None:
    main = {"resources": {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"memory": "2Gi"}}}
    helper = {"resources": {"requests": {"cpu": "1", "memory": "128Mi"}, "limits": {"memory": "256Mi", GPU: "1"}}}
    sidecar = {"resources": {"limits": {"memory": "100Mi"}}, "restartPolicy": "Always"}
    spec = {"containers": [main, helper], "initContainers": [sidecar, {"resources": {"requests": {"cpu": "500m"}}}]}

    assert {"cpu": "1250m", "memory": "1252Mi", GPU: "1"} == sum_requests(spec)
    assert "2404Mi" == sum_memory_limit(spec)
    assert ["", "2Gi"] == [sum_memory_limit({"containers": [main, *more]}) for more in ([{}], [])]


def pod(name: str, node: str, count: int, phase: str = "Running", **labels: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "training", "labels": labels},
        "spec": {"nodeName": node, "containers": [container(count)]},
        "status": {"phase": phase},
    }


def node(name: str, **allocatable: str) -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": "True"}]
    return {"metadata": {"name": name}, "spec": {}, "status": {"allocatable": allocatable, "conditions": conditions}}


def test_what_nodes_have_and_who_holds_it() -> None:
    run = {"dsgen.dev/job": "cifar", "dsgen.dev/run": "1"}
    nodes = [node("a", **{GPU: "8", "amd.com/gpu": "2"}), node("b", cpu="4")]
    pods = [
        pod("cifar-1-worker-0", "a", 2, **run),
        pod("cifar-1-worker-1", "a", 2, **run),
        pod("other", "a", 1),
        pod("done", "a", 3, phase="Succeeded"),
        pod("waits", "", 3, phase="Pending"),
    ]

    rows = list_devices(nodes, pods)

    assert [
        Devices("a", "Ready", GPU, 8, 5, {"training/cifar:1": 2, "training/other": 1}),
        Devices("a", "Ready", "amd.com/gpu", 2, 0, {}),
        Devices("b", "Ready", "", 0, 0, {}),
    ] == rows
    assert {GPU: (5, 8), "amd.com/gpu": (0, 2)} == sum_devices(rows)


def test_a_node_that_takes_no_pods_is_told() -> None:
    cordoned = node("a")
    cordoned["spec"] = {"unschedulable": True}

    assert ["Ready,SchedulingDisabled"] == [row.state for row in list_devices([cordoned], [])]


@pytest.mark.parametrize("name", ["running", "failed", "QuotaTaken"])
def test_what_happened_is_told_in_order_and_once(name: str) -> None:
    seen = recorded.load(name).state()
    listed = list_entries(seen)
    times = [one.time for one in listed]

    assert sorted(times) == times
    assert {event.message for event in seen.events} <= {one.message for one in listed}
    assert len(listed) == len({*listed})
    assert report_timeline(seen, listed)["events"][0]["time"] == format_time(times[0])


def test_attempts_are_told_with_their_numbers_and_ends() -> None:
    now = state().now
    attempts = [
        {
            "startTime": format_time(now - 90),
            "endTime": format_time(now - 60),
            "reason": "TrainingFailed",
            "exitCode": 9,
        },
        {"startTime": format_time(now - 50), "workers": 3},
    ]
    record = {"version": 1, "phase": "Running", "attempts": attempts, "totals": {"attempts": 5}}
    told = list_entries(state(record=record))

    assert [
        ("AttemptStarted", "attempt 4"),
        ("AttemptEnded", "attempt 4: TrainingFailed, exit code 9"),
        ("AttemptStarted", "attempt 5 with 3 workers"),
    ] == [(one.reason, one.message) for one in told if one.about == "run/1"]
