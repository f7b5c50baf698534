"""The preparation of a checkpoint before an attempt, on a real worker, with ssh and without."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from launcher import control
from launcher.outcome import AttemptEnd
from launcher.resize import CheckpointPreparation
from shared import exchange
from tests.resize.reduce import unpack
from tests.scripts.conftest import program
from tests.scripts.launcher.test_preflight import Pods, pods  # noqa: F401 - a fixture
from tests.scripts.trainings import HOSTS, configured, make_wait, tell


def conversion(**changes: Any) -> CheckpointPreparation:
    return CheckpointPreparation(make_wait(configured(resize_checkpoint="/c", **changes), HOSTS))


@pytest.mark.parametrize(
    ("report", "end", "configuration"),
    [
        ({"result": "nothing"}, None, ""),
        ({"result": "ready", "message": "m", "configuration": "/c/.d/ds_config.json"}, None, "/c/.d/ds_config.json"),
        ({"result": "ready", "message": "m", "configuration": "/c; reboot"}, "resize-failed", ""),
        ({"result": "ready", "message": "m", "configuration": "/c%h"}, "resize-failed", ""),
        ({"result": "refused", "message": "m"}, "resize-refused", ""),
        ({"result": "failed", "message": "m"}, "resize-failed", ""),
        ({}, "workers-lost", ""),
    ],
)
def test_what_follows_from_a_report(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch, report: dict[str, Any], end: str | None, configuration: str
) -> None:
    tell(run_folder)
    made = conversion()
    made.wait.journal.begin_attempt()
    monkeypatch.setattr(made, "ask", lambda *_: report)

    result = made.run(1, 2, "cifar-1-worker-0")

    assert end == (result and result.event)
    assert configuration == made.configuration
    assert bool(end) == ("endTime" in made.wait.journal.attempts[-1])


def test_progress_is_recorded(run_folder: Path) -> None:
    tell(run_folder)
    made = conversion()

    made.record_progress({"message": "converting a from 4 to 2 ranks: 0.10 GiB of about 0.20 GiB written"})

    said = exchange.read_launcher(run_folder)
    assert ("Starting", "Resizing") == (said["phase"], said["reason"])
    assert said["message"].startswith("converting a")
    assert made.begun


@pytest.mark.parametrize(
    ("said", "changes", "end"),
    [
        ({"lease": "lost", "holder": "2"}, {}, AttemptEnd("lease-lost", "run 2 of this job has taken over", None)),
        (
            {},
            {"active_deadline_seconds": 90},
            AttemptEnd("deadline", "the training ran longer than lifecycle.activeDeadlineSeconds (90)", None),
        ),
    ],
)
def test_what_ends_it(run_folder: Path, said: dict[str, Any], changes: dict[str, Any], end: AttemptEnd) -> None:
    tell(run_folder, earlier={"seconds": 100}, **said)

    made = conversion(**changes)
    made.wait.journal.begin_attempt()
    made.wait.workers.control.members["cifar-1-worker-0"].gone_at = time.monotonic()

    assert end == made.run(1, 2, "cifar-1-worker-0")


def prepare(pod: Any, name: str) -> Path:
    """Give a pod a checkpoint of real DeepSpeed, without its numbers; its folder."""
    unpack(pod.root / "all")
    folder = pod.root / "all" / name
    (pod.root / "job").mkdir(exist_ok=True)
    (pod.root / "job/ds_config.json").write_text(json.dumps({"zero_optimization": {"stage": 2}}))
    (pod.config / "command.json").write_text(json.dumps({"program": ["false", "-u", "a.py"], "arguments": []}))
    return Path(folder)


WANTED: list[tuple[str, int, dict[str, Any]]] = [
    ("plain-2", 4, {"result": "nothing"}),
    (
        "sgd-2",
        4,
        {
            "result": "refused",
            "message": "global_step2 of 2 ranks cannot be continued with 4: its optimizer keeps momentum_buffer; only"
            " the state of Adam and AdamW is converted",
        },
    ),
    ("plain-2", 2, {"result": "failed", "message": "the conversion ended with exit code 1: without a message"}),
]


@pytest.fixture
def worker(
    pods: Callable[[int], Pods],  # noqa: F811 - the fixture
    run_folder: Path,
) -> Pods:
    """One worker that serves and that the launcher may ask."""
    tell(run_folder)
    group = pods(1)
    group.wait()
    return group


def conversion_by(worker: Pods) -> CheckpointPreparation:
    made = conversion()
    made.wait.workers = worker.reached
    return made


def without_attempt(report: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in report.items() if key != "attempt"}


def test_a_worker_with_ssh_is_asked(worker: Pods) -> None:
    (pod,) = worker.pods

    for number, (name, ranks, expected) in enumerate(WANTED, start=1):
        folder = prepare(pod, name)
        pod.settings(resizeCheckpoint=str(folder), resizeConfig="/job/ds_config.json")

        assert expected == without_attempt(conversion_by(worker).ask(number, ranks, "cifar-1-worker-0"))
        shutil.rmtree(pod.root / "all")


def test_a_program_that_ends_without_a_report_has_failed(worker: Pods) -> None:
    (worker.pods[0].scripts / "worker/resize.py").write_text("import os; os.kill(os.getpid(), 9)")

    report = conversion_by(worker).ask(1, 2, "cifar-1-worker-0")

    assert {"result": "failed", "message": "worker/resize.py ended with exit code 137"} == without_attempt(report)


def test_progress_is_heard(worker: Pods, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes together with the result is not."""
    reports = [{"message": "converting a"}, {"result": "failed", "message": "m"}]
    go_on = worker.pods[0].root / "go-on"
    (worker.pods[0].scripts / "worker/resize.py").write_text(
        "import json, pathlib, sys, time\n"
        "def main(arguments):\n"
        f"    for report in {reports}:\n"
        "        sys.stderr.write(f'{arguments[0]} dsgen-resize {json.dumps(report)}\\n')\n"
        "        sys.stderr.flush()\n"
        f"        while not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.1)\n"
        "    return 0\n"
    )
    made = conversion_by(worker)
    record_progress = made.record_progress

    def record_and_go_on(report: dict[str, Any]) -> None:
        record_progress(report)
        go_on.touch()  # the conversion ends after the first report

    monkeypatch.setattr(made, "record_progress", record_and_go_on)

    assert reports[-1] == without_attempt(made.ask(1, 2, "cifar-1-worker-0"))
    assert made.begun


def test_a_worker_without_ssh_prepares_the_checkpoint_by_order(pod: Any) -> None:
    """The attempt then gets the configuration."""
    server = control.ControlServer(HOSTS)
    folder = prepare(pod, "sgd-2")
    pod.settings(method="torchrun", resizeCheckpoint=str(folder), resizeConfig="/job/ds_config.json")
    (pod.config / "hostfile").write_text("".join(f"{host} slots=1\n" for host in HOSTS))
    program(pod.root / "programs/torchrun", 'echo "given: $*"')
    (pod.config / "command.json").write_text(json.dumps({"program": ["a"], "arguments": []}))
    path = f"{pod.root}/programs:{pod.environment['PATH']}"
    pod.record("Pending", launcher=server.listen())
    pod.start(JOB_COMPLETION_INDEX="0", PATH=path)
    member = server.members["cifar-1-worker-0"]
    pod.wait_until(lambda: member.connection)

    server.tell(resize={"attempt": 1, "ranks": 4, "host": "cifar-1-worker-0"})
    pod.wait_until(lambda: "result" in member.resize)
    server.begin(1, server.output, "/c/ds_config.json")
    pod.wait_until(lambda: member.code is not None)

    assert (1, "refused") == (member.resize["attempt"], member.resize["result"])
    assert "--dsgen-configuration /c/ds_config.json" in pod.log()
