"""The worker serves ssh until the run is over, leaves no process behind, and exits with the right code."""

import json
import signal
import stat
import time
from typing import Any

import pytest

from launcher import main, workers
from tests.scripts.conftest import Dial
from tests.scripts.trainings import settings_of


def wait(process: Any, seconds: float = 30) -> int:
    return int(process.wait(seconds))


def test_private_files_are_private(pod: Any) -> None:
    pod.serve()
    modes = {name: stat.S_IMODE((pod.run / name).stat().st_mode) for name in ("id", "env")}
    assert modes == {"id": 0o600, "env": 0o600}


@pytest.mark.parametrize(("kind", "end"), [("rsa", "\n"), ("ecdsa", "\n"), ("ed25519", "")])
def test_keys_of_other_kinds_or_without_the_last_newline_work(pod: Any, kind: str, end: str) -> None:
    pod.make_key(kind)
    key = pod.keys / "ssh-privatekey"
    key.chmod(0o644)
    key.write_text(key.read_text().rstrip("\n") + end)
    pod.start()
    pod.wait_until(pod.serves)
    assert pod.ssh("true").returncode == 0


def test_a_worker_waits_for_the_key(pod: Any) -> None:
    process = pod.start()
    pod.wait_until(lambda: "waiting for the ssh key in secret cifar-ssh" in pod.log())
    assert (process.poll(), pod.serves()) == (None, False)
    pod.make_key()
    pod.wait_until(pod.serves)
    assert pod.ssh("true").returncode == 0


def test_a_key_that_is_none_is_said(pod: Any) -> None:
    (pod.keys / "ssh-privatekey").write_text("no key\n")
    assert wait(pod.start()) == 78
    assert "[dsgen] secret cifar-ssh: " in pod.log()
    assert "secret cifar-ssh: " in pod.termination_message()


@pytest.mark.parametrize("phase", ["Succeeded", "Failed", "Stopped"])
def test_it_ends_with_0_when_the_record_says_so(pod: Any, phase: str) -> None:
    pod.record("Running")
    process = pod.serve()
    pod.record(phase)
    assert wait(process) == 0


@pytest.mark.parametrize("text", ["", "{", '"x"', "{}", '{"phase": "Suspended"}'])
def test_a_record_without_an_end_does_not_end_it(pod: Any, text: str) -> None:
    (pod.status / "1").write_text(text)
    pod.count_ticks()
    process = pod.serve()
    pod.wait_for_ticks()
    assert process.poll() is None


def test_a_late_worker_of_a_run_that_is_over_ends_at_once_and_needs_no_key(pod: Any) -> None:
    pod.record("Failed")
    assert wait(pod.start()) == 0
    assert "this run is over (Failed): nothing to do" in pod.log()


@pytest.mark.parametrize("with_key", [True, False])
def test_without_a_launcher_it_ends_with_75(pod: Any, with_key: bool) -> None:
    pod.settings(orphanTimeoutSeconds=2)
    if with_key:
        pod.make_key()
    assert wait(pod.start()) == 75
    assert pod.termination_message() == "no contact with a launcher for 2 s: nobody needs this worker"


def test_a_session_is_contact_with_the_launcher(pod: Any) -> None:
    pod.settings(orphanTimeoutSeconds=4)
    process = pod.serve()
    pod.ssh("sleep 6")
    assert process.poll() is None
    assert wait(process) == 75


def test_told_to_stop_it_ends_with_143_and_no_closing_line(pod: Any) -> None:
    process = pod.serve()
    session = pod.start(*pod.ssh_argv("exec sleep 4001"))
    pod.wait_until(lambda: pod.marked("4001"))
    process.send_signal(signal.SIGTERM)
    assert (wait(process), wait(session)) == (143, 255)
    assert pod.marked("4001") == []
    assert "dsgen-session-end" not in pod.log()


def test_ranks_have_all_but_twenty_seconds_to_stop(pod: Any) -> None:
    pod.settings(terminationGracePeriodSeconds=25)
    process = pod.serve()
    saved = pod.root / "saved"
    pod.start(
        *pod.ssh_argv(f"trap 'sleep 1; echo saved >>{saved}; exit' TERM; sleep 4003 & while :; do sleep 0.1; done")
    )
    pod.start(*pod.ssh_argv("trap '' TERM; while :; do sleep 4002; done"))
    pod.wait_until(lambda: pod.marked("4002") and pod.marked("4003"))
    process.send_signal(signal.SIGTERM)
    assert wait(process) == 143
    assert saved.read_text() == "saved\n"
    assert pod.marked("4002") == []


def test_sshd_is_started_again(pod: Any) -> None:
    pod.serve()
    before = pod.sshd()
    pod.kill(before)
    pod.wait_until(lambda: pod.sshd() not in (0, before))
    pod.wait_until(pod.serves)
    assert pod.ssh("true").returncode == 0


def test_sshd_that_never_stays_up_fails_the_worker(pod: Any) -> None:
    pod.serve()
    other = type(pod)(pod.root / "other")
    other.port = pod.port
    other.settings()
    other.write_ssh_files()
    other.make_key()
    assert wait(other.start()) == 1
    assert "sshd ended 5 times in a row" in other.termination_message()


@pytest.mark.parametrize(("mac", "code"), [("hmac-sha2-512", 0), ("hmac-sha1", 255), ("umac-64@openssh.com", 255)])
def test_sshd_offers_no_weak_macs(pod: Any, mac: str, code: int) -> None:
    pod.serve()

    done = pod.ssh("true", "-c", "aes128-ctr", "-m", mac)

    assert (code, "") == (done.returncode, done.stderr)


def test_what_a_killed_supervisor_left_is_ended(pod: Any) -> None:
    pod.serve()
    pod.start(*pod.ssh_argv("exec sleep 4003"))
    sleep = pod.wait_until(lambda: pod.marked("4003"))[0]
    pod.kill(pod.parent(sleep))
    pod.wait_until(lambda: pod.marked("4003") == [])


def test_what_setup_left_running_stays(pod: Any) -> None:
    (pod.config / "setup.sh").write_text("sleep 4004 &\n")
    pod.patch("ssh/server.py", "SWEEP_SECONDS = 5.0", "SWEEP_SECONDS = 0.1")
    pod.count_ticks()
    pod.serve()
    pod.wait_for_ticks()
    left = pod.marked("4004")
    assert len(left) == 1
    pod.kill(left[0])


@pytest.mark.parametrize(
    ("keep", "phase", "stays"),
    [
        ("always", "Succeeded", True),
        ("failed", "Failed", True),
        ("failed", "Succeeded", False),
        ("none", "Failed", False),
    ],
)
def test_keep_workers(pod: Any, dial: Dial, keep: str, phase: str, stays: bool) -> None:
    pod.settings(keepWorkers=keep)
    process = pod.serve()
    pod.start(*pod.ssh_argv("exec sleep 4005"))
    pod.wait_until(lambda: pod.marked("4005"))
    dial(pod).control.tell(over=phase)
    pod.wait_until(lambda: not pod.marked("4005") and not pod.ready())
    if stays:
        pod.wait_until(lambda: "this pod stays until it is deleted" in pod.log())
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
    assert wait(process) == 0


def test_a_late_worker_keeps_nothing(pod: Any) -> None:
    pod.settings(keepWorkers="always")
    pod.record("Succeeded")
    assert wait(pod.start()) == 0


def test_missing_sshd_is_said(pod: Any) -> None:
    """In a Python where nothing is found: the machine that runs the test has its sshd in the usual places."""
    code = (
        f"import sys; sys.path.insert(0, {str(pod.scripts)!r})\n"
        "from ssh import sshd as image; image.SBIN = '/nowhere'\n"
        "try: image.find_sshd()\nexcept image.UnusableImageError as error: print(error)"
    )
    assert "an image with openssh-server, or install it in training.setup" in pod.python(code, PATH="/nowhere")


@pytest.mark.parametrize(("line", "locked"), [("root:*:1", False), ("root:!locked::0", True), ("", False)])
def test_a_locked_root_account_is_noticed(pod: Any, line: str, locked: bool) -> None:
    (pod.root / "etc/shadow").write_text(f"daemon:!:1\n{line}\n")
    code = f"import sys; sys.path.insert(0, {str(pod.scripts)!r})\nfrom ssh import sshd\nprint(sshd.is_locked('root'))"
    assert pod.python(code) == str(locked)


@pytest.mark.needs("root")
def test_a_worker_with_a_locked_root_account_says_so(pod: Any) -> None:
    (pod.root / "etc/shadow").write_text("root:!:1\n")
    assert wait(pod.start()) == 78
    assert "usermod -p '*' root" in pod.termination_message()


def test_the_settings_must_be_there(pod: Any) -> None:
    (pod.config / "settings.json").write_text(json.dumps({"version": 1}))
    assert wait(pod.start()) == 1


@pytest.mark.needs("pdsh")
def test_each_worker_is_logged_in_to_and_who_refuses_is_named(pod: Any, monkeypatch: Any) -> None:
    """A worker that serves and refuses the key would take part in no attempt."""
    pod.serve()
    path = pod.config / "ssh_config"
    path.write_text(f"Host cifar-1-worker-1*\n  PubkeyAuthentication no\n{path.read_text()}")
    monkeypatch.setenv("PDSH_SSH_ARGS_APPEND", f"-F {path}")
    hosts = [f"cifar-1-worker-{index}.cifar-1" for index in range(3)]
    looks: list[int] = []

    refused = workers.Workers(hosts).find_refusals(hosts, lambda: looks.append(1))

    assert list(refused) == [hosts[1]]
    assert "Permission denied (publickey" in refused[hosts[1]]
    assert looks


@pytest.mark.parametrize(("attempts", "given"), [(1, {}), (0, {"spares": 1}), (0, {"workers_min": 1})])
def test_those_that_refuse_are_named_in_the_end(attempts: int, given: dict[str, Any], monkeypatch: Any) -> None:
    made = launcher_of_two(monkeypatch, **given)
    for _ in range(attempts):
        made.journal.begin_attempt()
        made.journal.end_attempt("WorkersLost", {})
    monkeypatch.setattr(
        made.workers, "find_refusals", lambda names, _: dict.fromkeys(set(names) & {"b"}, "Permission denied.")
    )

    with pytest.raises(main.RunEndedError) as caught:
        made.side.wait_for_workers()

    assert caught.value.event == "unreachable"
    assert caught.value.message.startswith("b refused the login: Permission denied., within lifecycle.startTimeout")


def test_the_first_attempt_starts_without_a_login_before(monkeypatch: Any) -> None:
    made = launcher_of_two(monkeypatch)
    monkeypatch.setattr(made.workers, "find_refusals", lambda *_: pytest.fail("a login to each worker"))

    made.side.wait_for_workers()

    assert ["a", "b"] == made.workers.chosen


def launcher_of_two(monkeypatch: Any, **given: Any) -> main.Launcher:
    """A launcher whose two workers serve, and which waits for them for two seconds."""
    configured = settings_of(
        {"workers": 2, "slots": 1, "method": "pdsh", "autotuning": "none", "run_name": "a-1", **given}
    )

    made = main.Launcher(configured, workers.Workers(["a", "b"]))
    monkeypatch.setattr(made.workers.control, "find_missing", lambda *_: [])
    until = time.monotonic() + 2
    monkeypatch.setattr(made.wait, "has_time_for_workers", lambda: time.monotonic() < until)
    return made


def test_the_pod_is_ready_unless_sshd_has_ended(pod: Any) -> None:
    process, config = pod.serve(), pod.scripts / "ssh/sshd.conf"
    good = config.read_text()
    config.write_text("nonsense\n")  # or it would be there again before anyone looks
    pod.kill(pod.sshd())
    pod.wait_until(lambda: not pod.ready())
    config.write_text(good)
    pod.wait_until(pod.ready)
    process.send_signal(signal.SIGTERM)
    assert (process.wait(20), pod.ready()) == (143, False)
