"""lifecycle.debug: the messages, the script that starts the training by hand, and its end."""

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shared import debug, methods, settings
from tests.scripts.conftest import wait_until
from tests.scripts.trainings import configured
from worker import end_ranks

ODD = 'a b\'c "d" $e\n%n'


@pytest.fixture
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pod's /run/dsgen, with the environment that shared/start.sh has saved."""
    monkeypatch.setattr(settings, "RUN", tmp_path)
    monkeypatch.setattr(debug, "TRAIN", tmp_path / "train.sh")
    (tmp_path / "env").write_text(
        f"declare -x FROM_SETUP='1'\ndeclare -x NCCL_X='mangled'\nPATH={os.environ['PATH']}\n"
    )
    return tmp_path


def settings_of_job(**changes: Any) -> settings.Settings:
    names = {"namespace": "training", "job": "cifar", "run": "1", "run_name": "cifar-1"}
    return configured(workers=1, **names, **changes)


def test_the_script_does_what_the_launcher_would_have_done(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same command, directory, added and left out variables, and what setup has exported."""
    monkeypatch.chdir(run_folder)
    monkeypatch.setenv("NCCL_X", "mangled")
    kept = {name: value for name, value in os.environ.items() if name != "NCCL_X"}
    program = "import os,sys; print(sys.argv[1:], os.getcwd(), [os.environ.get(n) for n in sys.argv[2:]])"
    argv = [sys.executable, "-c", program, ODD, "ADDED", "FROM_SETUP", "NCCL_X"]

    said = debug.write_script(argv, {**kept, "ADDED": ODD})

    assert f"`bash {run_folder}/train.sh` starts it here: {sys.executable} -c" in said
    shell = {"PATH": os.environ["PATH"]}
    done = subprocess.run(["bash", run_folder / "train.sh"], env=shell, cwd="/", capture_output=True, text=True)
    expected = f"{[ODD, 'ADDED', 'FROM_SETUP', 'NCCL_X']} {run_folder} {[ODD, '1', None]}\n"
    assert (done.stderr, done.stdout) == ("", expected)


def test_a_person_is_told_how_to_get_in(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("HOSTNAME", "cifar-1-launcher-abcde")
    start = methods.Start(settings_of_job(), ["cifar-1-worker-0.cifar-1"])

    debug.print_instructions(settings_of_job(), start)

    said = capfdbinary.readouterr().out.decode()
    enter = "kubectl exec --namespace training --stdin --tty"
    train = f"{enter} cifar-1-launcher-abcde --container launcher -- bash {run_folder}/train.sh\n"
    assert f"[dsgen] start it by hand: {train}" in said
    assert "starts it here: deepspeed --hostfile /job/hostfile --force_multi" in said
    assert f"[dsgen] into a worker: {enter} cifar-1-worker-0-... --container worker -- bash\n" in said
    assert "ssh -t cifar-1-worker-0.cifar-1 bash\n" in said


def test_without_ssh_each_worker_is_started_by_hand(
    run_folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    debug.print_instructions(settings_of_job(method="torchrun"), None)

    said = capfdbinary.readouterr().out.decode()
    assert f"cifar-1-worker-0-... --container worker -- bash {run_folder}/train.sh  (on every worker)" in said
    assert "ssh -t" not in said


@pytest.mark.parametrize(
    ("command", "event", "code"),
    [
        (["true"], "debug-ended", 0),
        (["sh", "-c", "exit 7"], "debug-failed", 7),
        (["sh", "-c", "kill -9 $$"], "debug-failed", 137),
    ],
)
def test_the_command_decides(command: list[str], event: str, code: int) -> None:
    children: set[int] = set()
    expected = (event, f"lifecycle.debug.command ended with exit code {code}", code)
    assert expected == debug.run_or_idle(command, 0, lambda: None, children)
    assert children == set()


def test_a_command_that_cannot_be_started_is_a_failure() -> None:
    event, message, code = debug.run_or_idle(["/no/such/program"], 0, lambda: None, set())
    assert (event, code) == ("debug-failed", 127)
    assert "/no/such/program" in message


@pytest.mark.parametrize("command", [[], ["sleep", "4201"]])
def test_the_deadline_ends_it(command: list[str]) -> None:
    event, message, code = debug.run_or_idle(command, 1, lambda: None, set())
    assert (event, code) == ("deadline", None)
    assert message == "debugging took longer than lifecycle.activeDeadlineSeconds (1)"


def test_what_happens_outside_ends_it_and_what_the_command_has_started() -> None:
    """SIGTERM, say."""
    calls = itertools.count()

    def wait() -> None:
        if next(calls) > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        debug.run_or_idle(["sh", "-c", "sleep 4209 & wait"], 0, wait, set())
    argv = [b"sleep", b"4209"]
    wait_until(lambda: argv not in [each.argv[:2] for each in end_ranks.list_processes().values()])
