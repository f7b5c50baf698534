"""The sidecar without an API server: how it interprets Jobs, pods and the files of other containers."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shared import settings
from shared.record import TRANSITIONS
from status import main, record
from status import pods as status_pods

GONE = {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"backoffLimit": 3}, "status": {}}


def condition(kind: str, value: str = "True") -> dict[str, str]:
    return {"type": kind, "status": value, "reason": "PodFailurePolicy", "message": "code 75"}


@pytest.mark.parametrize(
    ("spec", "said", "expected"),
    [
        ({}, {}, (False, 0, 0, "active", "")),
        ({}, {"ready": 2, "succeeded": 1}, (False, 3, 0, "active", "")),
        ({"suspend": True}, {"failed": 2}, (True, 0, 2, "active", "")),
        ({"suspend": False}, {"conditions": [condition("Suspended", "False")]}, (False, 0, 0, "active", "")),
        ({}, {"conditions": [condition("FailureTarget")]}, (False, 0, 0, "failed", "PodFailurePolicy: code 75")),
        ({}, {"conditions": [condition("Failed", "False")]}, (False, 0, 0, "active", "")),
        ({}, {"conditions": [condition("SuccessCriteriaMet")]}, (False, 0, 0, "complete", "PodFailurePolicy: code 75")),
    ],
)
def test_the_worker_job(spec: dict[str, Any], said: dict[str, Any], expected: tuple[bool, int, int, str, str]) -> None:
    names = ("suspended", "ready", "failed", "state", "message")

    assert dict(zip(names, expected, strict=True)) == main.extract_job_state({"spec": spec, "status": said})


@pytest.mark.parametrize(
    ("launcher", "launcher_job", "event"),
    [
        ({}, None, "stopped"),
        ({"terminated": True}, GONE, "stopped"),
        ({"terminated": True}, {"spec": {"backoffLimit": 3}}, "terminated"),
        ({}, {"spec": {"backoffLimit": 3}}, "launcher-lost"),
        ({}, {"spec": {"backoffLimit": 3}, "status": {"failed": 2}}, "launcher-lost"),
        ({}, {"spec": {"backoffLimit": 3}, "status": {"failed": 3}}, "last-launcher-lost"),
        ({"terminated": True}, {"spec": {"backoffLimit": 3}, "status": {"failed": 3}}, "last-launcher-lost"),
        ({"terminated": True}, {"spec": {"backoffLimit": 3, "suspend": True}, "status": {"failed": 3}}, "suspended"),
    ],
)
def test_a_launcher_that_is_gone(launcher: dict[str, Any], launcher_job: dict[str, Any] | None, event: str) -> None:
    assert event == record.find_loss_event(launcher, launcher_job)


def test_after_a_loss_the_attempt_is_closed() -> None:
    launcher = {"phase": "Running", "worldSize": 2, "attempts": [{"startTime": "2026-01-01T00:00:00Z"}]}

    after = record.compose_after_loss(launcher, None)

    assert (after["phase"], after["reason"], after["worldSize"]) == ("Stopped", "JobDeleted", 2)
    assert after["attempts"][0]["reason"] == "JobDeleted"
    assert after["attempts"][0]["endTime"] > "2026"


def test_a_launcher_that_was_terminated_has_closed_its_attempt() -> None:
    closed = [{"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:01:00Z", "reason": "LauncherTerminated"}]

    assert record.compose_after_loss({"terminated": True, "attempts": closed}, None)["attempts"] == closed
    assert len(record.compose_after_loss({"terminated": True, "attempts": []}, None)["attempts"]) == 1


@pytest.mark.parametrize(
    ("container", "name", "reason", "code"),
    [
        ("launcher", "setup-failed", "SetupFailed", 1),
        ("code", "code-failed", "CodeFailed", 78),
    ],
)
def test_a_launcher_that_was_never_started_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, container: str, name: str, reason: str, code: int
) -> None:
    monkeypatch.setattr(settings, "ROOT", tmp_path)
    folder = tmp_path / f"run/dsgen-{container}"
    folder.mkdir(parents=True)
    assert record.compose_never_started() == {}
    (folder / name).write_bytes(b"it ended with exit code 3\npip: no such \xff\nlast words\n")

    after = record.compose_never_started()

    assert (after["phase"], after["reason"], after["message"]) == ("Failed", reason, "it ended with exit code 3")
    assert after["attempts"][0]["tail"] == ["pip: no such \ufffd", "last words"]
    assert TRANSITIONS[name].exit == code


@pytest.mark.parametrize("name", ["code-failed"])
def test_the_launcher_does_not_speak_for_other_containers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(settings, "ROOT", tmp_path)
    (tmp_path / "run/dsgen-launcher").mkdir(parents=True)
    (tmp_path / "run/dsgen-launcher" / name).write_text("forged\n")

    assert record.compose_never_started() == {}


def pod_of(name: str, **status: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "status": status}


def container(kind: str, **state: Any) -> dict[str, Any]:
    return {"name": "worker", "state": {kind: state}}


def test_the_last_words_of_the_worker_that_failed_first_come_first() -> None:
    late = container("terminated", exitCode=1, reason="Error", finishedAt="2026-01-01T00:00:09Z", message="lost\npeer")
    first = container("terminated", exitCode=78, finishedAt="2026-01-01T00:00:01Z", message="there is no sshd")
    stopped = container("terminated", exitCode=143, finishedAt="2026-01-01T00:00:00Z", message="told to stop")
    eaten = container("terminated", exitCode=137, reason="OOMKilled", finishedAt="2026-01-01T00:00:02Z")
    pods = [
        pod_of(f"cifar-1-worker-{index}-x7k2p", containerStatuses=[state])
        for index, state in enumerate([late, first, stopped, eaten])
    ]

    assert status_pods.list_problems(pods) == [
        "cifar-1-worker-1: ended with exit code 78: there is no sshd",
        "cifar-1-worker-3: ended with exit code 137 (OOMKilled)",
        "cifar-1-worker-0: ended with exit code 1: lost peer",
    ]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({}, []),
        ({"containerStatuses": [container("waiting", reason="ContainerCreating")]}, []),
        ({"containerStatuses": [container("running")]}, []),
        (
            {"containerStatuses": [container("waiting", reason="ErrImagePull", message="not found")]},
            ["w-0: ErrImagePull: not found"],
        ),
        (
            {
                "initContainerStatuses": [
                    {"name": "code", "state": {"terminated": {"exitCode": 78, "message": "no key"}}}
                ]
            },
            ["w-0: container code ended with exit code 78: no key"],
        ),
        (
            {
                "conditions": [
                    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no gpu"}
                ]
            },
            ["w-0: Unschedulable: no gpu"],
        ),
        ({"phase": "Failed", "reason": "Evicted", "message": "disk"}, ["w-0: Evicted: disk"]),
        (
            {"containerStatuses": [container("waiting", reason="Bad\x1b[0m", message="y" * 999)]},
            [f"w-0: Bad [0m: {'y' * 586}"],
        ),
    ],
)
def test_why_a_worker_does_not_run(status: dict[str, Any], expected: list[str]) -> None:
    assert expected == status_pods.list_problems([pod_of("w-0-abcde", **status)])


class Pods:
    """Answers any request with these pods, and keeps what was asked."""

    def __init__(self, *placed: tuple[str, str, str]) -> None:
        self.asked: list[str] = []
        self.items = [
            {
                "metadata": {"creationTimestamp": time, "labels": {status_pods.INDEX: index}},
                "spec": {"nodeName": node} if node else {},
            }
            for index, time, node in placed
        ]

    def get(self, path: str, absent: object) -> dict[str, Any]:  # noqa: ARG002  # as Api.get
        self.asked.append(path)
        return {"items": self.items}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("no worker is named", None),
        ("a-1-worker-0.a-1 exchanges no data", "a-1-worker-0.a-1 (node old) exchanges no data"),
        ("a-1-worker-0: it is slow, a-1-worker-2.a-1", "a-1-worker-0 (node old): it is slow, a-1-worker-2.a-1"),
        ("a-1-worker-1.a-1.", "a-1-worker-1.a-1 (node new)."),
        ("b-a-1-worker-1.a-1, a-1-worker-1-abcde", "b-a-1-worker-1.a-1, a-1-worker-1-abcde"),
    ],
)
def test_a_message_that_names_a_worker_gets_its_node(message: str, expected: str | None) -> None:
    """The last one that it had; a replacement that waits for a node has none yet. The API is asked once."""
    client = Pods(("0", "2026-01-01T00:00:01Z", "old"), ("0", "2026-01-01T00:00:02Z", ""))
    client.items += Pods(("1", "2026-01-01T00:00:02Z", "new"), ("1", "2026-01-01T00:00:01Z", "old")).items
    configured = SimpleNamespace(run_name="a-1", namespace="n", worker_job="a-1-worker")
    nodes = status_pods.Nodes(configured, client)  # type: ignore[arg-type]  # they have all that it reads

    assert [expected or message] * 2 == [nodes.add_nodes(message), nodes.add_nodes(message)]
    assert len(client.asked) <= (expected is not None)


def test_a_signal_during_the_imports_is_not_lost(pod: Any) -> None:
    """The kernel drops a signal to process 1 that has no handler yet, and the last state would not be written."""
    imported, program = pod.scripts / "status/lease.py", pod.scripts / "status/main.py"  # the last of the imports
    rest = imported.read_text().partition("import annotations")[2]
    imported.write_text(f"import os, signal; os.kill(os.getpid(), signal.SIGTERM)\n{rest}")
    program.write_text(program.read_text().replace("FINAL_SECONDS = 25", "FINAL_SECONDS = 1"))

    process = pod.start("python3", "-ESs", program, KUBERNETES_SERVICE_HOST="127.0.0.1", KUBERNETES_SERVICE_PORT="1")

    assert process.wait(30) == 1, "it has tried to write the last state, in vain"


RESTING = """
import os, signal, sys, threading
sys.path.append({scripts!r})
from shared import exchange, settings
from status import main, api
signal.alarm(60)
main.TICK_SECONDS = 3600
signal.pthread_sigmask(signal.SIG_BLOCK, main.WAKES)
folder = settings.locate_volume("launcher")
folder.mkdir()
exchange.watch(folder)
sidecar = main.Sidecar(settings.load(), api.make_api())
threading.Timer(0.2, lambda: {event}).start()
sidecar.rest(())
print(sidecar.stopping, bool(sidecar.identify_launcher_file()))
"""


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("exchange.write(folder / exchange.LAUNCHER, {})", "False True"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "True False"),
    ],
)
def test_what_the_launcher_writes_wakes_the_sidecar_and_so_does_a_signal(event: str, expected: str, pod: Any) -> None:
    """Otherwise it rests for an hour, and the alarm ends it."""
    assert expected == pod.python(RESTING.format(scripts=str(pod.scripts), event=event))
