"""`dsgen stop`, `suspend` and `resume` against recorded answers of a real API server (tests/cluster/exchanges.py)."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from dsgen.cluster import watch
from tests.cli.conftest import Cli, Result
from tests.cluster.exchanges import Replaying, Request, served

JOBS = "/apis/batch/v1/namespaces/cli-stop/jobs/digits-2-"
LAUNCHER, WORKER = JOBS + "launcher", JOBS + "worker"
BOTH = "  job/digits-2-launcher\n  job/digits-2-worker\n"
ARGO = {"argocd.argoproj.io/instance": "jobs"}
KUEUE = {"kueue.x-k8s.io/queue-name": "team"}

Call = Callable[..., tuple[Result, list[Request]]]


@pytest.fixture
def call(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Run a command on a recording; its result, and the requests that change something."""
    monkeypatch.setattr(watch, "SETTLE_SECONDS", 0.0)
    with ExitStack() as stack:

        def run(recording: str, *arguments: str, labels: Mapping[str, str] = {}) -> tuple[Result, list[Request]]:
            server = Replaying(recording, labels)
            kubeconfig = stack.enter_context(served(server, folder))
            result = cli(*arguments, "--kubeconfig", kubeconfig)
            return result, server.changes

        yield run


def patch(path: str, suspend: bool) -> Request:
    return Request("PATCH", f"{path}?fieldManager=dsgen", {"spec": {"suspend": suspend}})


def test_stop_deletes_the_launcher_and_waits_for_the_workers(call: Call) -> None:
    result, changes = call("stop", "stop", "cli-stop/digits", "--yes")

    assert (0, f"stop cli-stop/digits, run 2\n{BOTH}cli-stop/digits, run 2: Stopped\n", "") == result
    assert [Request("DELETE", LAUNCHER, {"propagationPolicy": "Background"})] == changes


def test_suspend_pauses_the_launcher_before_the_workers(call: Call) -> None:
    result, changes = call("suspend", "suspend", "cli-stop/digits", "--yes")

    assert (0, f"suspend cli-stop/digits, run 2\n{BOTH}", "") == result
    assert [patch(LAUNCHER, True), patch(WORKER, True)] == changes


def test_resume_starts_both_jobs(call: Call) -> None:
    result, changes = call("resume", "resume", "cli-stop/digits", "--yes")

    assert (0, f"resume cli-stop/digits, run 2\n{BOTH}", "") == result
    assert [patch(LAUNCHER, False), patch(WORKER, False)] == changes


@pytest.mark.parametrize("command", ["stop", "suspend", "resume"])
def test_without_a_terminal_nothing_is_changed(call: Call, command: str) -> None:
    result, changes = call(command, command, "cli-stop/digits")

    assert (2, "dsgen: there is no terminal to ask for confirmation: use --yes\n") == (result.code, result.err)
    assert [] == changes


@pytest.mark.parametrize(("command", "code"), [("stop", 0), ("suspend", 1), ("resume", 1)])
def test_a_run_that_has_ended_is_not_changed(call: Call, command: str, code: int) -> None:
    result, changes = call("ended", command, "cli-stop/digits", "--yes")

    assert (code, "cli-stop/digits, run 2: it has ended, Stopped\n", "") == result
    assert [] == changes


@pytest.mark.parametrize(("command", "value"), [("stop", "true"), ("suspend", "true"), ("resume", "false")])
def test_a_change_that_argo_cd_would_undo_needs_force(call: Call, command: str, value: str) -> None:
    refused, none = call(command, command, "cli-stop/digits", "--yes", labels=ARGO)
    forced, changes = call(command, command, "cli-stop/digits", "--yes", "--force", labels=ARGO)

    assert (1, "") == (refused.code, refused.out)
    assert refused.err.startswith(
        "dsgen: Argo CD application jobs applies this job and would undo the change. "
        f"Instead, set lifecycle.suspend: {value} in the values file"
    )
    assert [] == none
    assert (0, "") == (forced.code, forced.err)
    assert changes


def test_resume_leaves_the_workers_to_their_queue(call: Call) -> None:
    result, changes = call("resume", "resume", "cli-stop/digits", "--yes", labels=KUEUE)

    assert (0, "resume cli-stop/digits, run 2\n  job/digits-2-launcher\n", "") == result
    assert [patch(LAUNCHER, False)] == changes
