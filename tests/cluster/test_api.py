"""The Python API for runs in a cluster: the same data as the commands, from recorded answers of a real API server."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from dsgen import api
from tests.cli.conftest import Cli
from tests.cluster.server import RecordedServer

VALUES = {
    "name": "mnist",
    "namespace": "training",
    "image": {"repository": "r/x", "tag": "v1"},
    "training": {"python": "train.py"},
}


def test_status_is_that_of_the_command(server: RecordedServer, cli: Cli) -> None:
    shown = json.loads(cli("status", "cifar", "-o", "json").out)

    assert shown == api.status("cifar") == api.status("training/cifar", run="1", context="recorded")
    assert ("Running", 2) == (shown["phase"], shown["workers"]["ready"])
    assert [] == server.changes


def test_causes_are_those_of_the_command(server: RecordedServer, cli: Cli) -> None:
    shown = json.loads(cli("why", "research/llama", "-o", "json").out)

    assert shown == api.why("research/llama")
    assert ["NoNodeBigEnough"] == [cause["reason"] for cause in shown["causes"]]
    assert [] == api.why("cifar")["causes"]
    assert server


@pytest.mark.parametrize(
    ("arguments", "flags", "expected"),
    [
        ({}, (), ["cifar"]),
        ({"all_namespaces": True}, ("-A",), ["llama", "cifar"]),
        ({"namespace": "research"}, ("-n", "research"), ["llama"]),
        ({"selector": "dsgen.dev/job=nope"}, ("-l", "dsgen.dev/job=nope"), []),
    ],
)
def test_the_list_is_that_of_the_command(
    server: RecordedServer, cli: Cli, arguments: dict[str, Any], flags: tuple[str, ...], expected: list[str]
) -> None:
    shown = json.loads(cli("list", *flags, "-o", "json").out)

    assert shown == api.list_jobs(**arguments)
    assert expected == [run["job"] for run in shown]
    assert server


def test_wait_returns_the_state(server: RecordedServer) -> None:
    assert "Running" == api.wait("cifar", "running", timeout=60)["phase"]
    assert "Running" == api.wait("cifar", "admitted", timeout=60)["phase"]
    with pytest.raises(
        api.WaitTimeoutError, match=r"^training/cifar: the state 'end' was not reached in 0\.5 seconds$"
    ):
        api.wait("cifar", timeout=0.5)
    assert server


def test_wait_returns_the_state_of_a_failed_run(make_server: Callable[..., RecordedServer]) -> None:
    make_server(cifar="failed")

    assert "Failed" == api.wait("cifar", timeout=60)["phase"]


def test_without_pods_the_log_is_that_of_the_record(make_server: Callable[..., RecordedServer], cli: Cli) -> None:
    server = make_server(cifar="failed")
    for path in [path for path in server.objects if "/pods/" in path]:
        del server.objects[path]

    lines = [line.text for line in api.logs("cifar")]

    assert lines == cli("logs", "cifar").out.splitlines()
    assert len(lines) > 2


def test_a_job_can_be_a_loaded_one(server: RecordedServer) -> None:
    job = api.load({**VALUES, "name": "cifar"})

    assert api.status("cifar") == api.status(job)
    assert server


def test_a_job_is_applied_once(server: RecordedServer) -> None:
    job = api.load(VALUES)
    expected = [document.text.splitlines()[1].removeprefix("kind: ").lower() for document in api.render(job)]

    planned = api.apply(job, dry_run=True)
    assert [] == server.changes
    done = api.apply(job)
    again = api.apply(job)

    assert planned == done
    assert [(kind, "created") for kind in expected] == [(one.name.partition("/")[0], one.action) for one in done]
    assert [(one.name, "unchanged") for one in done] == again


def test_a_run_with_other_values_is_not_applied(server: RecordedServer) -> None:
    api.apply(api.load(VALUES))
    del server.changes[:]

    with pytest.raises(api.InvalidJobError, match=r'run "1" would change: workers.replicas: 1 -> 4') as raised:
        api.apply(api.load(VALUES, {"workers": {"replicas": 4}}))
    assert ["DS903"] == [problem.id for problem in raised.value.problems]
    assert [] == server.changes


def test_a_run_that_has_not_ended_is_ended_only_on_demand(server: RecordedServer) -> None:
    job = api.load({**VALUES, "name": "cifar", "run": {"id": "2"}})

    with pytest.raises(api.ApplyError, match="this would end run 1, which has not ended: use end_runs=True"):
        api.apply(job, force=True)
    assert [] == server.changes

    done = api.apply(job, force=True, end_runs=True)
    assert {"job/cifar-1-launcher", "job/cifar-1-worker"} <= {one.name for one in done if one.action == "pruned"}
    assert "2" == api.status("cifar")["run"]


def test_a_missing_namespace_is_named(server: RecordedServer) -> None:
    with pytest.raises(api.ApplyError, match="there is no namespace nope: kubectl create namespace nope"):
        api.apply(api.load({**VALUES, "namespace": "nope"}))
    assert [] == server.changes


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: api.status("cifar", run="9"), "job training/cifar has no run 9; possible runs: 1"),
        (lambda: api.status("nope/cifar"), "the namespace nope does not exist"),
        (lambda: api.status("cifar", context="nope"), "there is no context nope; possible: recorded"),
    ],
)
def test_what_the_cluster_does_not_have_is_told(server: RecordedServer, call: Callable[[], Any], message: str) -> None:
    with pytest.raises(api.DsgenError) as raised:
        call()
    assert str(raised.value).endswith(message)
    assert [] == server.changes
