"""What the real sshd of a worker refuses: half-open logins without end, and all but commands after a login."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ssh import sshd
from tests.scripts.conftest import program
from tests.scripts.trainings import configured

OF_ADDRESS = 16
SECRET = b"of a service of the pod\n"


@contextlib.contextmanager
def half_open(port: int, sources: list[str], each: int) -> Iterator[int]:
    """Logins that say nothing, from these addresses: how many of them got the banner. They are open meanwhile."""
    with contextlib.ExitStack() as opened:
        tried = [
            opened.enter_context(socket.create_connection(("127.0.0.1", port), 10, (source, 0)))
            for source in sources
            for _ in range(each)
        ]
        yield sum(map(greets, tried))


def greets(connection: socket.socket) -> bool:
    with contextlib.suppress(ConnectionError):
        return connection.recv(100).startswith(b"SSH-")
    return False


@pytest.mark.parametrize(("version", "options"), [("8.4p1", 0), ("9.2p1 Debian", 1), ("9.8p1", 2), ("10.0p2", 2)])
def test_the_version_in_the_program_decides_on_its_options(tmp_path: Path, version: str, options: int) -> None:
    """Next to it are patterns of versions of others, to which sshd adapts."""
    path = program(tmp_path / "sshd", f"# OpenSSH_2.*,OpenSSH_3.0* OpenSSH_{version}")

    command = sshd.choose_first_command(str(path), configured())
    assert [option for _, option in sshd.OPTIONS[:options]] == command[10::2]


@pytest.mark.needs("sshd")
def test_sshd_knows_what_its_version_knows() -> None:
    command = sshd.choose_first_command(sshd.find_sshd(), configured(ssh_port=2222, ssh_user="trainer"))

    extended = subprocess.run([command[0], "-T", "-f", "/dev/null", *command[5:]], capture_output=True, text=True)
    assert "Bad configuration option" not in extended.stderr
    assert "allowusers trainer" in extended.stdout
    assert sshd.OPTIONS[0][1] in command


@pytest.mark.parametrize("version", ["of no known form", "OpenSSH_99.9p1"])
def test_an_sshd_that_says_another_version_still_serves(pod: Any, version: str) -> None:
    """It is asked for what it knows, before its first start or after it."""
    older = "for word; do [ $word != PerSourcePenalties=no ] || { echo Bad option >&2; exit 255; }; done"
    path = program(pod.root / "programs/sshd", f'# {version}\n{older}\nexec {sshd.find_sshd()} "$@"')
    pod.make_key()
    pod.start(PATH=f"{path.parent}:{pod.environment['PATH']}")

    pod.wait_until(pod.serves)
    assert pod.ssh("echo in").stdout == "in\n"
    assert pod.log().count("Bad option") == (version == "OpenSSH_99.9p1")


def test_an_sshd_that_never_starts_ends_the_worker_with_its_reason(pod: Any) -> None:
    pod.make_key()
    (pod.scripts / "ssh/sshd.conf").write_text("Nonsense yes\n")

    assert pod.start().wait(20) == 78
    assert "sshd cannot start: " in pod.log()
    assert "Bad configuration option: Nonsense" in (pod.root / "dev/termination-log").read_text()


def test_a_key_that_is_not_whole_ends_the_worker_with_the_name_of_its_secret(pod: Any) -> None:
    """Its public half is there, so sshd starts, and finds no host key."""
    pod.make_key()
    path = pod.keys / "ssh-privatekey"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], *lines[-1:]]))

    assert pod.start().wait(20) == 78
    assert re.search(r"secret \S+: the private key cannot be used", (pod.root / "dev/termination-log").read_text())


def test_a_neighbour_holds_few_logins_and_keeps_nobody_out(pod: Any) -> None:
    """Each is a process of one and a half megabytes."""
    pod.serve()

    with half_open(pod.port, ["127.0.0.9"], 150) as held:
        assert 0 < held <= OF_ADDRESS
        assert pod.ssh("echo in", "-o", "BindAddress=127.0.0.10").stdout == "in\n"


@pytest.mark.parametrize(("method", "workers", "most"), [("pdsh", 1000, 64), ("launcher-command", 100, 264)])
def test_all_half_open_logins_are_as_many_as_the_run_may_need(method: str, workers: int, most: int) -> None:
    """The launcher makes few at a time, launch.command perhaps one from each worker."""
    run = configured(method=method, workers=workers)

    assert f"MaxStartups={most // 2}:30:{most}" in sshd.make_command("sshd", run, 0)


def test_many_neighbours_hold_no_more_than_that(pod: Any) -> None:
    pod.serve()

    with half_open(pod.port, [f"127.0.1.{number}" for number in range(1, 21)], 10) as held:
        assert 0 < held <= 64
    pod.wait_until(lambda: pod.ssh("echo in").stdout == "in\n")


@pytest.fixture
def service(pod: Any) -> Iterator[tuple[int, Path]]:
    """A service of the worker, at a port and a socket of its own."""
    path = pod.root / "service"
    servers = [socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)]
    servers[1].bind(str(path))
    servers[1].listen()

    def serve(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                connection.sendall(SECRET)
                connection.close()

    threads = [threading.Thread(target=serve, args=(server,), daemon=True) for server in servers]
    for thread in threads:
        thread.start()
    yield servers[0].getsockname()[1], path
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def through(pod: Any, local: str, *options: str) -> bytes:
    """What the service says to who connects to the local end of a forwarding."""
    argv = pod.ssh_argv("sleep 30")
    end = pod.root / local if local == "end" else int(local)
    with subprocess.Popen([*argv[:-1], *options, argv[-1]], stderr=subprocess.PIPE) as ssh:
        try:
            with socket.socket(socket.AF_UNIX if local == "end" else socket.AF_INET) as connection:
                connection.settimeout(20)
                where = str(end) if local == "end" else ("127.0.0.1", end)

                def connects() -> bool:
                    with contextlib.suppress(OSError):
                        connection.connect(where)
                        return True
                    return ssh.poll() is not None

                pod.wait_until(connects)
                with contextlib.suppress(OSError):
                    return connection.recv(100)
                return b""
        finally:
            ssh.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("target", ["port", "socket"])
def test_no_connection_is_forwarded_from_here(pod: Any, service: tuple[int, Path], target: str) -> None:
    pod.serve()
    port, path = service
    there = f"127.0.0.1:{port}" if target == "port" else str(path)

    assert through(pod, "end", "-L", f"{pod.root}/end:{there}") == b""
    if target == "port":
        assert pod.ssh("", "-W", there).stdout == ""


def test_no_connection_is_forwarded_to_here(pod: Any, service: tuple[int, Path]) -> None:
    pod.serve()
    port, path = service

    for forwarding in (f"0:127.0.0.1:{port}", f"{pod.root}/end:{path}"):
        done = pod.ssh("echo in", "-o", "ExitOnForwardFailure=yes", "-R", forwarding)
        assert (done.returncode, done.stdout) == (255, "")
    assert not (pod.root / "end").exists()


def test_neither_agent_nor_display_nor_tunnel_nor_files(pod: Any) -> None:
    """No variable of the client either, beside the one that the launcher sends."""
    pod.serve()
    agent = subprocess.run(["ssh-agent", "-c"], capture_output=True, text=True, check=True).stdout.split()
    variables = dict(zip(agent[1::3], (word.rstrip(";") for word in agent[2::3]), strict=False))
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SSH_AUTH_SOCK", variables["SSH_AUTH_SOCK"])
            patch.setenv("DISPLAY", "127.0.0.1:1")
            asked = ("-A", "-X", "-o", "SetEnv=BASH_ENV=/x", "-o", "IdentityAgent=SSH_AUTH_SOCK")
            done = pod.ssh('echo "agent $SSH_AUTH_SOCK display $DISPLAY variable $BASH_ENV"', *asked)
    finally:
        os.kill(int(variables["SSH_AGENT_PID"]), signal.SIGTERM)

    assert done.stdout == "agent  display  variable \n"
    assert pod.ssh("echo in", "-o", "ExitOnForwardFailure=yes", "-w", "any:any").stdout != "in\n"
    assert pod.ssh("sftp", "-s").returncode != 0
