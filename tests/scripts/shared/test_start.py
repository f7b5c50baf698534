"""shared/start.sh: the effects of training.setup remain, and its failure never counts as success."""

import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.conftest import program
from worker import end_ranks

# Instead of the worker: prints what it got.
ROLE = """
import os, resource
print("PROGRAM", os.environ.get("MARK"), os.getcwd(), oct(os.umask(0)), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
print("PID", os.getpid(), sorted(os.listdir("/proc/self/fd"))[:-1])
"""


def run(pod: Any, setup: str, **environment: str) -> tuple[int, str]:
    """Exit code and log of the container with this setup and a role that only prints."""
    (pod.scripts / "worker/main.py").write_text(ROLE)
    (pod.config / "setup.sh").write_text(setup)
    return pod.start(**environment).wait(30), pod.log()


def test_without_setup_the_program_takes_over(pod: Any) -> None:
    (pod.scripts / "worker/main.py").write_text(ROLE)
    (pod.config / "setup.sh").write_text("")
    process = pod.start()
    assert process.wait(20) == 0, pod.log()
    assert f"PID {process.pid} ['0', '1', '2']\n" in pod.log()
    assert stat.S_IMODE((pod.run / "cache/home").stat().st_mode) == 0o755, "of the user that passwd.sh adds"


def test_a_launcher_that_starts_nothing_sources_no_setup(pod: Any) -> None:
    (pod.scripts / "worker/main.py").write_text(ROLE)
    (pod.config / "setup.sh").write_text("echo sourced; exit 3\n")
    process = pod.start("bash", pod.scripts / "shared/start.sh", "--without-setup")

    assert 0 == process.wait(20), pod.log()
    assert (False, True) == ("sourced" in pod.log(), "PROGRAM None" in pod.log())


def test_without_python_the_status_container_waits_and_the_launcher_ends(pod: Any, tmp_path: Path) -> None:
    """A sidecar that ended would be restarted forever."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "bash", "cp", "tee", "sleep", "cat", "mkdir", "chmod"):
        (tools / tool).symlink_to(str(shutil.which(tool)))
    status = pod.start("sh", pod.scripts / "status/start.sh", PATH=str(tools))
    reason = pod.run / "no-python"
    pod.wait_until(lambda: reason.exists() and reason.read_text())
    (pod.root / "run/dsgen-status").mkdir()
    shutil.copy(reason, pod.root / "run/dsgen-status")
    (pod.config / "setup.sh").write_text("echo sourced\n")

    assert 78 == pod.start().wait(20)
    assert "there is no python3 in this image (3.8 or later)" in pod.termination_message()
    assert "sourced" not in pod.log()
    assert status.poll() is None
    status.terminate()
    assert 0 == status.wait(20)


def test_with_python_the_status_container_is_the_sidecar(pod: Any) -> None:
    (pod.scripts / "status/main.py").write_text("import os; print('SIDECAR', os.getpid())\n")
    process = pod.start("sh", pod.scripts / "status/start.sh")

    assert 0 == process.wait(20), pod.log()
    assert f"SIDECAR {process.pid}\n" == pod.log()


@pytest.mark.parametrize(("home", "is_kept"), [("home/me", True), ("nowhere", False), ("", False)])
def test_a_home_folder_that_cannot_be_written_is_replaced(pod: Any, home: str, is_kept: bool) -> None:
    (pod.root / "home/me").mkdir(parents=True)
    given = str(pod.root / home) if home else ""
    code, _ = run(pod, "", HOME=given)

    expected = given if is_kept else str(pod.run / "cache/home")
    assert 0 == code
    assert f'declare -x HOME="{expected}"' in (pod.run / "env").read_text().splitlines()


@pytest.mark.parametrize("plant", ["ln -s ../elsewhere", "mkfifo", "mkdir"])
def test_what_setup_put_in_the_place_of_its_words_is_replaced(pod: Any, plant: str) -> None:
    code, _ = run(pod, f'{plant} "$DSGEN_ROOT/run/dsgen/setup-failed"; echo last words; exit 3')

    assert (code, (pod.run / "setup-failed").read_text().splitlines()[-1]) == (1, "last words")
    assert not (pod.root / "run/elsewhere").exists()


def test_what_setup_sets_holds(pod: Any) -> None:
    code, log = run(pod, "export MARK='a b'\ncd /usr\nulimit -n 321\numask 027\necho in setup; echo err >&2\n")
    assert code == 0
    assert log.startswith("in setup\nerr\nPROGRAM a b /usr 0o27 321\n")
    assert log.endswith("['0', '1', '2']\n")
    assert not (pod.run / "setup-failed").exists()
    assert 'declare -x MARK="a b"' in (pod.run / "env").read_text().splitlines()
    assert stat.S_IMODE((pod.run / "env").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("setup", "mark"),
    [
        ("false\nexport MARK=on", "on"),
        ("set -euo pipefail\nexport MARK=on", "on"),
        ("(exit 0) && MARK=$(echo a; exit 3) || export MARK=$MARK$?", "a3"),
        ("shopt -s extglob\n[[ abc == @(abc|d) ]] && export MARK=on", "on"),
        ("trap 'echo mine' EXIT\nexport MARK=on", "on"),
        ("sleep 0.2 & wait; export MARK=on", "on"),
    ],
    ids=["no errexit", "options", "subshell", "extglob", "trap", "wait"],
)
def test_what_setup_may_do(pod: Any, setup: str, mark: str) -> None:
    """Its shell options do not break what follows, and its exit trap does not outlive it."""
    code, log = run(pod, f"{setup}\n")
    assert (code, f"PROGRAM {mark} " in log, "mine" in log) == (0, True, False)


@pytest.mark.parametrize(
    ("setup", "code"),
    [
        ("echo last words; exit 0", 0),
        ("echo last words; exit 3", 3),
        ("echo last words; exit 78", 78),
        ("set -e; echo last words; false; echo never", 1),
        ("set -u; echo last words; echo $DSGEN_NOT_SET; echo never", 1),
        ("echo last words; f() { exit 5; }; f", 5),
        ("trap 'echo mine' EXIT; echo last words; exit 0", 0),
        ("false; echo last words; false || exit", 1),
    ],
)
def test_any_exit_in_setup_is_a_failure_and_is_told(pod: Any, setup: str, code: int) -> None:
    exit_code, log = run(pod, setup + "\n")
    reason = f"training.setup ended with exit code {code} before its last line; its last lines:\n"
    assert exit_code == 1
    assert f"[dsgen] {reason}" in log
    assert "[dsgen] | last words\n" in log
    assert pod.termination_message().startswith(f"{reason}last words\n")
    assert (pod.run / "setup-failed").read_text() == pod.termination_message(), "for the status container"
    assert not (pod.run / "env").exists()
    assert "PROGRAM" not in log
    assert "never\n" not in log


def test_a_syntax_error_in_setup_is_a_failure_and_nothing_of_it_runs(pod: Any) -> None:
    code, log = run(pod, "echo first\nif true; then\n")
    assert (code, "first" in log) == (1, False)
    assert "syntax error" in pod.termination_message()


def test_nothing_watches_a_setup_that_has_failed(pod: Any) -> None:
    """It would send signals to a process that gets the same number later."""
    assert run(pod, "exit 3")[0] == 1
    script = bytes(pod.scripts / "shared/setup_watch.sh")
    pod.wait_until(lambda: not any(script in each.argv for each in end_ranks.list_processes().values()))


def test_the_message_has_the_last_lines_only(pod: Any) -> None:
    _, log = run(pod, f"for i in {{1..3000}}; do echo line $i {'x' * 300}; done; exit 1\n")
    assert log.count("line 1 ") == 1
    lines = pod.termination_message().splitlines()
    assert lines[-1].startswith("line 3000 ")
    assert len(pod.termination_message()) < 4096
    assert sum(path.stat().st_size for path in pod.run.iterdir() if path.is_file()) < 16384, (
        "not the whole output is kept"
    )


def test_a_background_process_of_setup_holds_nothing_up(pod: Any) -> None:
    code, _ = run(pod, "sleep 4301 &\nexport MARK=on\n")
    (still_there,) = pod.marked("4301")
    pod.kill(still_there)
    assert code == 0


def test_told_to_stop_during_setup_it_ends_with_143(pod: Any) -> None:
    (pod.config / "setup.sh").write_text("while :; do echo busy; sleep 0.1; done\n")
    process = pod.start()
    pod.wait_until(lambda: "busy" in pod.log())
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 143


HANGS = """
trap 'echo ignored' INT
echo last words
(trap '' TERM; sleep 4302 & wait; sleep 4302)
echo never
"""


@pytest.mark.parametrize(
    ("setup", "mark"),
    [
        ("echo last words; sleep 4302; echo never", "4302"),
        (HANGS, "4302"),
        ("echo last words; while :; do :; done", ""),
    ],
)
def test_a_setup_that_hangs_ends_with_the_start_timeout(pod: Any, setup: str, mark: str) -> None:
    pod.settings(startTimeoutSeconds=1)
    code, log = run(pod, setup + "\n")

    reason = "training.setup did not end within lifecycle.startTimeoutSeconds (1); its last lines:\n"
    assert (code, "never\n" in log, "PROGRAM" in log) == (1, False, False)
    assert pod.termination_message().startswith(f"{reason}last words\n")
    assert (pod.run / "setup-failed").read_text() == pod.termination_message()
    assert not (mark and pod.marked(mark))


@pytest.mark.parametrize("phase", ["Succeeded", "Failed", "Stopped"])
def test_a_setup_that_hangs_ends_with_the_run(pod: Any, phase: str) -> None:
    (pod.config / "setup.sh").write_text("echo begins; sleep 4303\n")
    pod.record("Starting")
    process = pod.start()
    pod.wait_until(lambda: pod.marked("4303"))
    pod.record(phase)

    assert process.wait(20) == 0, pod.log()
    assert f"training.setup was ended: the record says that the run is over ({phase})" in pod.log()
    assert pod.marked("4303") == []


def test_the_replacement_of_a_worker_does_not_begin_where_the_run_is_over(pod: Any) -> None:
    pod.record("Failed")
    code, log = run(pod, "echo in setup\n")

    assert (code, log) == (0, "[dsgen] the record says that the run is over (Failed): nothing to do\n")


def test_a_setup_that_nobody_waits_for_is_an_orphan(pod: Any) -> None:
    """The launcher renews the lease once a minute; here a minute lasts a tenth of a second."""
    watch = pod.scripts / "shared/setup_watch.sh"
    watch.write_text(watch.read_text().replace("> 300 ? orphan : 300", "> 3 ? orphan : 3"))
    pod.settings(orphanTimeoutSeconds=1)
    (pod.config / "setup.sh").write_text("sleep 4304\n")
    process = pod.start()
    for count in range(40):
        (pod.status / "_lease").write_text(f'{{"run": "0", "count": {count}}}\n')
        time.sleep(0.15)
        assert process.poll() is None

    assert process.wait(20) == 75
    assert "no sign of a launcher for 3 s" in pod.termination_message()


def without_python(pod: Any) -> Path:
    """A folder with the programs that start.sh needs before Python."""
    folder = Path(pod.root / "bin")
    folder.mkdir()
    for tool in ("bash", "chmod", "tee"):
        (folder / tool).symlink_to(f"/usr/bin/{tool}")
    return folder


def test_a_missing_python_is_said(pod: Any) -> None:
    assert run(pod, "", PATH=str(without_python(pod)))[0] == 78
    assert "there is no python3 in this image" in pod.termination_message()


def test_variables_of_setup_with_any_text_reach_sessions(pod: Any) -> None:
    (pod.config / "setup.sh").write_text("export MARK=$'a\\nb \\'c\\' $d `e`'\nexport -n HOME\n")
    pod.serve()
    assert pod.ssh('printf %s "$MARK"').stdout == "a\nb 'c' $d `e`"


def test_a_python_that_is_too_old_is_said(pod: Any) -> None:
    folder = without_python(pod)
    program(folder / "python3", '[ "$1" = -V ] || exit 1\necho Python 3.6.8')

    assert run(pod, "", PATH=str(folder))[0] == 78
    assert "dsgen needs Python 3.8 or later, and python3 of this image is Python 3.6.8" in pod.termination_message()


def test_the_first_container_of_the_launcher_asks_for_the_same(pod: Any, tmp_path: Path) -> None:
    """As its own process, without start.sh."""
    check = [shutil.which("bash"), pod.scripts / "shared/python.sh"]
    good = subprocess.run(check, env=pod.environment, check=False)
    (tmp_path / "tee").symlink_to("/usr/bin/tee")
    bad = subprocess.run(check, env={**pod.environment, "PATH": str(tmp_path)}, check=False, capture_output=True)

    assert (good.returncode, bad.returncode) == (0, 78)
