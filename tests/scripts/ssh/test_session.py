"""Sessions on a worker: no process survives its session."""

import os
import signal
import subprocess
from typing import Any

import pytest

from launcher import workers
from tests.scripts.trainings import NONCE

SHORT = workers.LOGIN.replace("true", "")
DAEMON = (
    "import os; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.execvp('sleep', ['sleep', '%s'])"
)


def test_a_session_gets_the_environment_of_the_worker_byte_for_byte(pod: Any) -> None:
    value = 'a b\'c "d" $e %n;\n\\ *'
    pod.serve(ODD=value)
    done = pod.ssh('printf %s "$ODD"')
    assert (done.returncode, done.stdout) == (0, value)


@pytest.mark.parametrize(
    ("command", "code"), [("true", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("no-such-program-here 2>/dev/null", 127)]
)
def test_the_exit_code_is_passed_on_and_told(pod: Any, command: str, code: int) -> None:
    pod.serve()
    done = pod.ssh(f"echo out; {command}")
    assert (done.returncode, done.stdout, done.stderr) == (code, "out\n", "")
    told = pod.ssh(f"echo out; {command}", nonce=NONCE)
    line = f'{NONCE} dsgen-session-end {{"host": "cifar-1-worker-0", "exitCode": {code}}}\n'
    assert (told.returncode, told.stdout, told.stderr) == (code, "out\n", line), "only who gave a nonce is told"


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("openmpi", f'{NONCE} dsgen-session-end {{"host": "cifar-1-worker-1", "exitCode": 0}}\n'),
        ("launcher-command", ""),
    ],
)
def test_who_is_told_of_the_end_of_a_session(pod: Any, method: str, told: str) -> None:
    """Of a command of the user's nobody asks for it."""
    pod.settings(method=method)
    pod.serve(JOB_COMPLETION_INDEX="1")
    assert pod.ssh("true", nonce=NONCE).stderr == told


def test_an_unfinished_line_does_not_hide_the_closing_line(pod: Any) -> None:
    pod.serve()
    done = pod.ssh("printf '50%%'", nonce=NONCE)
    assert (done.stdout, done.stderr.startswith(f"{NONCE} dsgen-session-end ")) == ("50%", True)


def test_sigpipe_is_not_ignored_in_commands(pod: Any) -> None:
    """Python ignores it, and a child would inherit that."""
    pod.serve()
    name, mask = pod.ssh("grep SigIgn /proc/self/status").stdout.split()
    assert (name, int(mask, 16) & 1 << signal.SIGPIPE - 1) == ("SigIgn:", 0)


@pytest.mark.parametrize("way", ["sleep %s & exit 3", "setsid sleep %s & exit 3", f'python3 -c "{DAEMON}"; exit 3'])
def test_what_a_command_left_running_ends_with_it(pod: Any, way: str) -> None:
    pod.serve()
    done = pod.ssh(way.replace("%s", "4101") + " >/dev/null 2>&1")
    assert done.returncode == 3
    assert pod.marked("4101") == []


@pytest.mark.parametrize("way", ["sleep %s", "setsid sleep %s; true", f'python3 -c "{DAEMON}"; sleep 1000'])
def test_all_ends_when_the_client_is_gone(pod: Any, way: str) -> None:
    pod.serve()
    client = pod.start(*pod.ssh_argv(way.replace("%s", "4102")))
    pod.wait_until(lambda: pod.marked("4102"))
    client.kill()
    pod.wait_until(lambda: pod.marked("4102") == [])


def test_what_ignores_sigterm_is_killed(pod: Any) -> None:
    """After ten seconds, here after one."""
    pod.patch("ssh/session.py", "GRACE_SECONDS = 10.0", "GRACE_SECONDS = 1.0")
    pod.serve()
    client = pod.start(*pod.ssh_argv("trap '' TERM; sleep 4103; true"))
    pod.wait_until(lambda: pod.marked("4103"))
    client.kill()
    pod.wait_until(lambda: pod.marked("4103") == [])


def test_the_session_is_told_apart_from_others(pod: Any) -> None:
    pod.serve()
    first = pod.start(*pod.ssh_argv("sleep 4104"))
    pod.start(*pod.ssh_argv("sleep 4105"))
    pod.wait_until(lambda: pod.marked("4104") and pod.marked("4105"))
    first.kill()
    pod.wait_until(lambda: pod.marked("4104") == [])
    assert len(pod.marked("4105")) == 1


def test_a_supervisor_that_is_told_to_stop_ends_its_command_without_a_closing_line(pod: Any) -> None:
    pod.serve()
    session = pod.start(*pod.ssh_argv("exec sleep 4106"))
    sleep = pod.wait_until(lambda: pod.marked("4106"))[0]
    os.kill(pod.parent(sleep), signal.SIGTERM)
    assert session.wait(20) == 255
    assert "dsgen-session-end" not in pod.log()


@pytest.mark.parametrize("prefix", ["", SHORT])
def test_no_session_starts_while_the_worker_stops(pod: Any, prefix: str) -> None:
    pod.serve()
    (pod.run / "terminating").touch()
    done = pod.ssh(f"{prefix}echo started")
    assert (done.returncode, done.stdout, done.stderr) == (255, "", "")


def test_a_short_command_of_the_launcher_has_no_supervisor(pod: Any) -> None:
    """It gets the environment of the worker all the same."""
    pod.serve(ODD="a b'c")
    parent = "cat /proc/$PPID/comm"

    done = [pod.ssh(f'{prefix}printf "%s " "$ODD"; {parent}', nonce=NONCE) for prefix in (SHORT, "")]

    assert [one.stdout for one in done] == ["a b'c sshd\n", "a b'c python3\n"]
    assert ["dsgen-session-end" in one.stderr for one in done] == [False, True]


def test_sessions_inherit_limits_and_umask_of_setup(pod: Any) -> None:
    (pod.config / "setup.sh").write_text("ulimit -n 123\numask 027\n")
    pod.serve()
    assert pod.ssh("ulimit -n; umask").stdout.split() == ["123", "0027"]


HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


@pytest.mark.parametrize(
    ("connection", "row", "stalled"),
    [
        ("10.0.0.9 40000 10.0.0.2 2222", "0200000A:08AE 0900000A:9C40 01", True),
        ("10.0.0.9 40000 10.0.0.2 2222", "0200000A:08AE 0800000A:9C40 01", False),
        ("10.0.0.9 40000 10.0.0.2 2222", "0200000A:08AE 0900000A:9C40 0A", False),
        (
            "10.0.0.9 40000 10.0.0.2 2222",
            "0000000000000000FFFF00000200000A:08AE 0000000000000000FFFF00000900000A:9C40 01",
            True,
        ),
        (
            "fd00::9%eth0 40000 fd00::2 2222",
            "000000FD000000000000000002000000:08AE 000000FD000000000000000009000000:9C40 01",
            True,
        ),
    ],
)
@pytest.mark.parametrize("retransmits", [6, 7])
def test_a_stalled_connection_is_known_by_its_retransmissions(
    pod: Any, connection: str, row: str, stalled: bool, retransmits: int
) -> None:
    table = pod.root / "net/tcp"
    table.parent.mkdir()
    table.write_text(f"{HEADER}   0: {row} 00000000:00000000 00:00000000 {retransmits:08X}     0        0 1 1\n")
    code = (
        f"import pathlib, sys; sys.path.insert(0, {str(pod.scripts)!r})\n"
        f"from shared import tcp; tcp.TABLES = pathlib.Path({str(table.parent)!r})\n"
        f"print(tcp.has_stalled({connection!r}))"
    )
    assert pod.python(code) == str(stalled and retransmits >= 7)


def network(*argv: str) -> None:
    subprocess.run(["ip", *argv], check=True)


@pytest.mark.needs("root", "ip")
def test_a_cut_network_ends_a_session_that_keeps_printing(pod: Any) -> None:
    """Worker in a network namespace of its own, whose cable is then cut; ssh's own keepalive would never end it."""
    space, near, far = (f"dsgen{os.getpid()}{end}" for end in ("", "a", "b"))
    network_of_four = os.getpid() % 64 * 4  # these tests may run twice on one machine
    here, there = (f"203.0.113.{network_of_four + number}" for number in (1, 2))
    network("netns", "add", space)
    try:
        network("link", "add", near, "type", "veth", "peer", "name", far, "netns", space)
        network("addr", "add", f"{here}/30", "dev", near)
        network("-n", space, "addr", "add", f"{there}/30", "dev", far)
        network("link", "set", near, "up")
        network("-n", space, "link", "set", far, "up")
        pod.reach(there)
        pod.make_key()
        pod.start("ip", "netns", "exec", space, "bash", pod.scripts / "shared/start.sh")
        pod.wait_until(lambda: "sshd started" in pod.log() and pod.ssh("true").returncode == 0)
        pod.start(*pod.ssh_argv("while :; do echo tick; sleep 0.2; done & exec sleep 4107"))
        pod.wait_until(lambda: pod.marked("4107"))
        network("link", "set", near, "down")
        pod.wait_until(lambda: pod.marked("4107") == [], 60)
    finally:
        pod.stop()
        network("netns", "del", space)
