"""A pod without a cluster: dsgen's scripts with their paths below a directory, real bash, real sshd and ssh."""

import contextlib
import functools
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen import values
from dsgen.render import render
from launcher.workers import Workers
from shared import control, settings, tcp
from tests.scripts.live import job  # noqa: F401 - a fixture of several modules

PACKAGE = Path(__file__).parent.parent.parent / "dsgen"


_numbers = itertools.count(os.getpid() * 997)  # other processes of the tests begin elsewhere


def program(path: Path, script: str) -> Path:
    """A shell script that stands for a program of the image."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
    return path


def wait_until(condition: Callable[[], Any], seconds: float = 20, explain: Callable[[], str] = str) -> Any:
    """What the condition gives as soon as it is true; fails the test after so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.05)
    raise AssertionError(f"still not so after {seconds} s{explain()}")


def free_port() -> int:
    """A port that nothing listens on, below the ports that the kernel gives to connections, which may take it first."""
    while True:
        port = 10_000 + next(_numbers) % 20_000
        with contextlib.suppress(OSError), socket.create_server(("", port)):
            return port


@functools.cache
def run_config(changes: str = "") -> dict[str, str]:
    """The data of a run's ConfigMap, of the first run of a job cifar with changes of its values."""
    text = (
        "{name: cifar, namespace: training, image: {repository: r/x}, workers: {replicas: 2, slots: 1},"
        " training: {python: train.py}}"
    )
    overlay = values.SourceText("changes.yaml", f"{{{changes}}}")
    loaded = values.load([values.SourceText("values.yaml", text), overlay])
    assert loaded.values, loaded.diagnostics
    rendered = render(loaded.data, values.Release("cifar", "training"))
    (config,) = [document.text for document in rendered if document.template == "config/configmap.yaml"]
    data: dict[str, str] = yaml.load(config, yaml.CSafeLoader)["data"]
    return data


class Pod:
    """The files of one worker pod, and the processes that a test starts in it."""

    source = PACKAGE / "scripts"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.scripts, self.config, self.status = (
            root / "etc/dsgen",
            root / "etc/dsgen/shared",
            root / "etc/dsgen-status",
        )
        self.run, self.keys = root / "run/dsgen", root / "run/dsgen/private/key"
        shutil.copytree(self.source, self.scripts)
        for script in self.scripts.glob("*/*.*"):
            script.chmod(0o755)  # as the volumes are mounted
        for directory in (self.run, self.keys, self.status, root / "dev"):
            directory.mkdir(parents=True)
        self.environment = {
            "DSGEN_ROOT": str(root),
            "DSGEN_ROLE": "worker",
            "DSGEN_RUN": "1",
            "PATH": os.environ["PATH"],
            "HOME": str(root),
        }
        self.port, self.readiness_port = free_port(), free_port()
        self.settings()
        self.write_ssh_files()
        self.started: list[subprocess.Popen[bytes]] = []

    def program(self, name: str) -> list[str]:
        return ["python3", "-ESs", str(self.scripts / "shared/run.py"), str(self.scripts / name)]

    def settings(self, **changes: Any) -> None:
        """settings.json as it is rendered, with changes; without the digests of the scripts, which tests change."""
        rendered = json.loads(run_config()["settings.json"])
        (self.config / "settings.json").write_text(json.dumps({**rendered, "scripts": {}, **self.ports(), **changes}))

    def ports(self) -> dict[str, int]:
        return {"sshPort": self.port, "readinessPort": self.readiness_port}

    def write_ssh_files(self, ssh_user: str = "") -> None:
        """The configurations of ssh, with this pod's port, paths and address.

        With SHLVL, bash does not read the .bashrc of the person who runs the tests, as it otherwise does over ssh.
        """
        port = f"Port {self.port}\n  HostName 127.0.0.1"
        own = run_config(f"ssh: {{user: '{ssh_user}'}}")["ssh_config"].replace("Port 2222", port)
        served = (self.source / "ssh/sshd.conf").read_text() + f"SetEnv DSGEN_ROOT={self.root} SHLVL=1\n"
        client = (self.source / "ssh/client.conf").read_text()
        for path, text in (("shared/ssh_config", own), ("ssh/sshd.conf", served), ("ssh/client.conf", client)):
            text = text.replace("/run/dsgen", str(self.run)).replace("/etc/dsgen", str(self.scripts))
            (self.scripts / path).write_text(text)

    def make_key(self, kind: str = "ed25519") -> None:
        """Fill the Secret, private half only."""
        path = self.root / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", path], check=True)
        path.chmod(0o444)
        path.replace(self.keys / "ssh-privatekey")

    def record(self, phase: str, **more: str) -> None:
        """The record; without more, workers without ssh start by it."""
        (self.status / "1").write_text(json.dumps({"version": 1, "phase": phase, **(more or {"start": "record"})}))

    def patch(self, script: str, old: str, new: str) -> None:
        """Change one of the scripts of this pod."""
        path = self.scripts / script
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def start(self, *command: str | Path, **environment: str) -> "subprocess.Popen[bytes]":
        """Start a command of the pod (the container's own without one); its output goes to the file `log`."""
        argv = command or ("bash", self.scripts / "shared/start.sh")
        with (self.root / "log").open("ab") as log:
            process = subprocess.Popen(
                argv,
                env={**self.environment, **environment},
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self.root,
            )
        self.started.append(process)
        return process

    def log(self) -> str:
        return (self.root / "log").read_text()

    def serve(self, **environment: str) -> "subprocess.Popen[bytes]":
        """Start the worker and wait until it serves ssh."""
        self.make_key()
        process = self.start(**environment)
        self.wait_until(lambda: process.poll() is not None or self.serves(), 30)
        assert process.poll() is None, self.log()
        return process

    def ready(self) -> bool:
        """Whether the readiness probe succeeds."""
        try:
            socket.create_connection(("127.0.0.1", self.readiness_port), timeout=5).close()
        except OSError:
            return False
        return True

    def serves(self) -> bool:
        """Whether sshd listens, and the pod is ready."""
        return tcp.has_listener(self.port) and self.ready()

    def reach(self, address: str) -> None:
        """Where ssh finds this pod."""
        path = self.config / "ssh_config"
        path.write_text(path.read_text().replace("HostName 127.0.0.1", f"HostName {address}"))

    def ssh_argv(self, command: str) -> list[str]:
        return ["ssh", "-F", str(self.config / "ssh_config"), "cifar-1-worker-0", command]

    def ssh(self, command: str, *options: str, nonce: str = "") -> "subprocess.CompletedProcess[str]":
        argv = self.ssh_argv(command)
        return subprocess.run(
            [*argv[:-1], *options, argv[-1]],
            env={**os.environ, **({"DSGEN_NONCE": nonce} if nonce else {})},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )

    def python(self, code: str, **environment: str) -> str:
        """What a piece of Python prints in the pod."""
        argv = [shutil.which("python3") or "", "-ESs", "-c", code]
        done = subprocess.run(argv, env={**self.environment, **environment}, capture_output=True, text=True, check=True)
        return done.stdout.rstrip("\n")

    def wait_until(self, condition: Callable[[], Any], seconds: float = 20) -> Any:
        """What the condition gives as soon as it is true; fails the test after so many seconds."""
        return wait_until(condition, seconds, lambda: f"; the log:\n{self.log()}")

    def count_ticks(self) -> None:
        """Have the worker say when it has looked for what has changed."""
        self.patch("worker/main.py", "        self.part.check()\n", "        self.part.check()\n        log('tick')\n")

    def wait_for_ticks(self, count: int = 3) -> None:
        """Until the worker has looked that often from now on."""
        before = self.log().count("tick")
        self.wait_until(lambda: self.log().count("tick") >= before + count, 60)

    def sshd(self) -> int:
        """Process id of this pod's sshd, the one that listens; 0 when there is none."""
        named = [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/comm") if _content(path) == b"sshd\n"]
        return next((pid for pid in named if self.parent(pid) == self.started[0].pid), 0)

    def kill(self, pid: int) -> None:
        assert pid > 1
        os.kill(pid, signal.SIGKILL)

    def parent(self, pid: int) -> int:
        fields = _content(Path(f"/proc/{pid}/stat")).rpartition(b")")[2].split()
        return int(fields[1]) if fields and fields[0] != b"Z" else 0

    def termination_message(self) -> str:
        return (self.root / "dev/termination-log").read_text()

    def marked(self, mark: str) -> list[int]:
        """Process ids of all `sleep MARK` of this pod: other tests, which may run at the same time, have the same."""
        wanted, root = f"sleep\0{mark}\0".encode(), f"DSGEN_ROOT={self.root}\0".encode()
        found = [path.parent for path in Path("/proc").glob("[0-9]*/cmdline") if _content(path) == wanted]
        return [int(process.name) for process in found if root in _content(process / "environ")]

    def stop(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.fixture(scope="session", autouse=True)
def _quick_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """In the pods of tests the scripts have bytecode, and `python3` is the interpreter of the tests or a given one.

    Otherwise each process compiles the scripts anew, and `python3` may be a wrapper that takes longer than Python.
    """
    folder = Path(os.environ.get("DSGEN_TEST_PYTHON") or Path(sys.base_prefix, "bin"))
    scripts = shutil.copytree(Pod.source, tmp_path_factory.mktemp("compiled") / "scripts")
    subprocess.run([folder / "python3", "-m", "compileall", "-q", scripts], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pod, "source", scripts)
        patch.setenv("PATH", str(folder), prepend=os.pathsep)
        yield


def pytest_itemcollected(item: pytest.Item) -> None:
    if "pod" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.needs("ssh", "ssh-keygen", "sshd"))


@pytest.fixture
def pod() -> Iterator[Pod]:
    """A pod whose processes end with the test. Not below tmp_path: other users of the machine must reach it."""
    root = Path(tempfile.mkdtemp(prefix="dsgen-pod-"))
    root.chmod(0o755)
    pod = Pod(root)
    try:
        yield pod
    finally:
        pod.stop()
        shutil.rmtree(root)


@pytest.fixture
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The launcher's /run/dsgen, for its code in this process."""
    monkeypatch.setattr(settings, "RUN", tmp_path)
    monkeypatch.setattr(settings, "locate_volume", lambda _: tmp_path)
    monkeypatch.setattr(settings, "TERMINATION_LOG", tmp_path / "termination-log")
    monkeypatch.setattr("launcher.main.CONFIRM_SECONDS", 0.1)  # no sidecar is there
    return tmp_path


Dial = Callable[..., Workers]


def wait_for_workers(reached: Workers, *names: str) -> None:
    """Until these workers, or all, serve."""
    until = time.monotonic() + 30
    assert [] == reached.control.find_missing([*(names or reached.names)], lambda: time.monotonic() < until)


@pytest.fixture
def dial(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dial]:
    """Makes the workers of a launcher that connects to these pods, whose numbers are their places, with their key."""
    find, places = socket.getaddrinfo, dict[str, int]()
    ended, made = threading.Event(), list[Workers]()

    def resolve(host: Any, port: Any, *args: Any, **more: Any) -> Any:
        if ended.is_set() and host in places:
            threading.Event().wait()  # for good: a thread of the launcher ends only with its process
        return find(*(("127.0.0.1", places[host]) if host in places else (host, port)), *args, **more)

    def make(*pods: Pod, key: bytes = b"", **changes: Any) -> Workers:
        names = [f"cifar-1-worker-{index}.cifar-1" for index in range(len(pods))]
        places.update((name, pod.readiness_port) for name, pod in zip(names, pods, strict=True))
        run = settings.load(pods[0].config / "settings.json")._replace(**changes)
        secret = control.make_secret(key or (pods[0].keys / "ssh-privatekey").read_bytes(), run)
        made.append(Workers(names))
        made[-1].control.dial(run.readiness_port, secret)
        return made[-1]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    yield make
    ended.set()
    for member in [member for reached in made for member in reached.control.list_connected()]:
        with contextlib.suppress(OSError, AttributeError):  # it has just ended
            member.connection.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]  # None raises, see above
