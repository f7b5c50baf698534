"""`python -m bench.scale`: the launcher against many workers, on one machine, for docs/scale.md. As root.

One sshd listens on as many loopback addresses as there are workers. The code of the launcher connects to each of them,
one pdsh opens a session to each, as with deepspeed, and each hears of the end. Before a further attempt, the code of
the launcher logs in to each. Without ssh, the launcher itself is started, and this script connects to it once for each
worker. Servers and client share the machine, so CPU seconds of the client are more meaningful than elapsed time.
"""

import argparse
import json
import os
import re
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

sys.path.insert(0, str(Path(__file__).parents[1] / "dsgen" / "scripts"))

from launcher import workers
from shared import control, exchange, settings
from tests.scripts.conftest import Pod, free_port, run_config
from worker.control import ControlFromLauncher
from worker.readiness import listen

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
BETWEEN = re.compile("(?<=<!-- figures -->\n).*(?=<!-- end of figures -->)", re.DOTALL)
SIZES = (250, 500, 1000)
SECONDS = 600
HEAD = (
    "| workers | connected | sessions open | end announced | login to each | CPU time | CPU time of the logins "
    "| memory | processes | file descriptors of pdsh |"
)
FLAT = "| workers | start | CPU time | memory | file descriptors |"


class Figures(NamedTuple):
    """Elapsed seconds, CPU seconds of the client, MiB, numbers."""

    connected: float
    sessions: float
    announcement: float
    login: float
    processor: float
    processor_of_logins: float
    memory: float
    processes: int
    descriptors: int


class Cost(NamedTuple):
    """Elapsed seconds, and CPU seconds of the client."""

    elapsed: float
    processor: float


class FlatFigures(NamedTuple):
    start: float
    processor: float
    memory: float
    descriptors: int


def address(index: int) -> str:
    """The address 127.1.X.Y as one number: a name of a worker has no dot, and this one needs no name server."""
    return str(0x7F010000 + (index // 250 << 8) + index % 250 + 1)


@contextmanager
def server(folder: Path, port: int) -> Iterator[None]:
    """An sshd with the configuration of a worker, on all addresses, without the supervisor of its sessions."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "id"], check=True)
    shutil.copy(folder / "id.pub", folder / "authorized_keys")
    public = (folder / "id.pub").read_text()
    (folder / "known_hosts").write_text(f"dsgen-worker {public}")
    for name in ("sshd_config", "ssh_config"):
        text = run_config()[name].replace("/run/dsgen", str(folder)).replace("Port 2222", f"Port {port}")
        text = "\n".join(line for line in text.splitlines() if "ForceCommand" not in line)
        (folder / name).write_text(text.replace("cifar-1-worker-*", "21307*") + "\n")
    with (folder / "sshd_config").open("a") as config:
        # A shell that sshd starts reads .bashrc in its home, which may take longer than the login.
        config.write(f"SetEnv HOME={folder}\n")
    path = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin") or "sshd"
    Path("/run/sshd").mkdir(exist_ok=True)
    process = subprocess.Popen([path, "-D", "-f", folder / "sshd_config"], stderr=subprocess.DEVNULL)
    os.environ["PDSH_SSH_ARGS_APPEND"] = f"-F {folder / 'ssh_config'}"
    try:
        yield
    finally:
        for pid in reversed(family(process.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    pids = [pid]
    for one in pids:
        pids += children.get(one, [])
    return pids


def memory(pids: list[int]) -> float:
    """Their proportional set size in MiB: private memory, and a share of shared memory."""
    total = 0
    for pid in pids:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        total += int(re.findall(r"^Pss: +(\d+)", text, re.MULTILINE)[0])
    return total / 1024


def processor(pids: list[int]) -> float:
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


@contextmanager
def served_by(run: settings.Settings, folder: Path) -> Iterator[None]:
    """The code with which all workers talk to the launcher, as one process."""
    server = listen(run.readiness_port)
    pid = os.fork()
    if not pid:
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGIO,))  # as a worker does
        settings.RUN = folder
        serve(server, run)
    server.close()
    try:
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def serve(server: socket.socket, run: settings.Settings) -> NoReturn:
    """Be all workers, until the launcher says to one that the run is over, which then closes its connection."""
    events = selectors.DefaultSelector()
    events.register(server, selectors.EVENT_READ)
    while True:
        for event, _ in events.select():
            if event.data is None:
                connection = server.accept()[0]
                worker = ControlFromLauncher(run)
                packed = socket.inet_aton(connection.getsockname()[0].rpartition(":")[2])
                worker.own["host"] = str(int.from_bytes(packed, "big"))
                secret = control.make_secret((settings.RUN / "id").read_bytes(), run)
                worker.take(connection, control.shake(connection, secret, "worker", SECONDS))
                events.register(connection, selectors.EVENT_READ, worker)
            elif event.data.exchange({"attempt": 0, "serves": True}).get("over"):
                events.unregister(event.fileobj)
                event.data.drop()


def with_ssh(size: int, folder: Path) -> Figures:
    """Connect to each, tell each the end, log in to each, and open all sessions."""
    names = [address(index) for index in range(size)]
    reached = workers.Workers(names)
    until = time.monotonic() + SECONDS
    rendered = json.loads(run_config()["settings.json"])
    with tempfile.NamedTemporaryFile("w+", suffix=".json") as file:
        json.dump({**rendered, "readinessPort": free_port()}, file)
        file.flush()
        run = settings.load(Path(file.name))
    secret = control.make_secret((folder / "id").read_bytes(), run)

    def connect_to_all() -> Collection[str]:
        reached.control.dial(run.readiness_port, secret)
        return reached.control.find_missing(names, lambda: time.monotonic() < until)

    def end() -> Collection[str]:
        reached.control.tell(over="Succeeded")
        while reached.control.list_connected() and time.monotonic() < until:
            reached.control.wait(1)
        return [member.life for member in reached.control.list_connected()]

    with served_by(run, folder):
        connected = cost(connect_to_all)
        told = cost(end)
    login = cost(lambda: reached.find_refusals(names, lambda: None))
    began = time.monotonic()
    argv = ["pdsh", "-S", "-R", "ssh", "-f", str(size), "-w", ",".join(names), "echo up; exec sleep 900"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        wait_for_sessions(process, size)
        opened = time.monotonic()
        pids = family(process.pid)
        seen = Figures(
            connected.elapsed,
            opened - began,
            told.elapsed,
            login.elapsed,
            connected.processor + told.processor + processor(pids),
            login.processor,
            memory(pids),
            len(pids),
            descriptors(process.pid),
        )
        for pid in reversed(pids):
            os.kill(pid, signal.SIGKILL)
    return seen


def wait_for_sessions(process: subprocess.Popen[bytes], size: int) -> None:
    """Wait until every session has printed a line."""
    assert process.stdout is not None
    deadline, said = time.monotonic() + SECONDS, b""
    os.set_blocking(process.stdout.fileno(), False)
    while said.count(b": up\n") < size:
        said += process.stdout.read() or b""
        if time.monotonic() > deadline:
            process.kill()
            raise SystemExit(f"{said.count(b': up')} of {size} sessions were opened: is the machine busy?")
        time.sleep(0.02)


def cost(step: Callable[[], Collection[str]]) -> Cost:
    """What a step took. It returns the workers that it did not reach."""
    began, before = time.monotonic(), spent()
    assert not (left := step()), left
    return Cost(time.monotonic() - began, spent() - before)


def spent() -> float:
    """Processor seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def without_ssh(size: int) -> FlatFigures:
    """The launcher of a training with torchrun, from its start until the workers start the ranks."""
    root = Path(tempfile.mkdtemp(prefix="dsgen-scale-"))
    pod = Pod(root)
    pod.settings(method="torchrun", workers=size)
    hosts = "".join(f"cifar-1-worker-{index}.cifar-1 slots=1\n" for index in range(size))
    (pod.config / "hostfile").write_text(hosts)
    for name in ("dsgen-status", "dsgen-launcher"):
        (root / "run" / name).symlink_to(pod.run)
    seen = {"state": "active", "failed": 0, "ready": size, "message": ""}
    exchange.write(pod.run / exchange.STATUS, {"lease": "held", "known": True, "workers": seen, "earlier": None})
    try:
        began = time.monotonic()
        # The limit of descriptors with which many containers start.
        limited = ("prlimit", "--nofile=1024:", sys.executable, "-ESs", pod.scripts / "launcher/main.py")
        process = pod.start(*limited, DSGEN_ROLE="launcher")
        address = pod.wait_until(lambda: journal(pod).get("launcher"), 60)
        connections = [connect(address, index) for index in range(size)]
        pod.wait_until(lambda: journal(pod).get("phase") == "Starting", 60)
        took, pids = time.monotonic() - began, [process.pid]
        figures = FlatFigures(took, processor(pids), memory(pids), descriptors(process.pid))
        for connection in connections:
            connection.close()
        return figures
    finally:
        for one in pod.started:
            one.kill()
            one.wait()
        shutil.rmtree(root)


def journal(pod: Pod) -> dict[str, Any]:
    """The content of launcher.json."""
    try:
        return dict(json.loads((pod.run / exchange.LAUNCHER).read_text()))
    except (OSError, ValueError):
        return {}


def connect(address: str, index: int) -> socket.socket:
    """The connection of one worker, which waits for its orders."""
    host_port, _, nonce = address.rpartition("/")
    host, _, port = host_port.rpartition(":")
    connection = socket.create_connection((host, int(port)))
    talk = control.shake(connection, nonce.encode(), "worker", SECONDS)
    says = {"host": f"cifar-1-worker-{index}", "life": str(index), "attempt": 0, "code": None}
    connection.sendall(talk.pack(json.dumps(says)))
    return connection


def line(size: int, figures: Figures | FlatFigures) -> str:
    """A row of one of the two tables; the names of the fields contain the unit."""
    units = {"memory": " MiB", "processes": "", "descriptors": ""}
    cells = [
        f"{value:.{1 if unit == ' s' else 0}f}{unit}"
        for name, value in figures._asdict().items()
        for unit in [units.get(name, " s")]
    ]
    return f"| {size:,} | {' | '.join(cells)} |"


def table(head: str, rows: list[str]) -> list[str]:
    return ["", head, "|" + "---|" * (head.count("|") - 1), *rows]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    sizes = parser.parse_args().sizes
    with tempfile.TemporaryDirectory() as folder, server(Path(folder), free_port()):
        ssh = [line(size, with_ssh(size, Path(folder))) for size in sizes]
    flat = [line(size, without_ssh(size)) for size in sizes]
    body = "\n".join(["With ssh:", *table(HEAD, ssh), "", "Without ssh:", *table(FLAT, flat), "", ""])
    print(body)
    PAGE.write_text(BETWEEN.sub(lambda _: f"\n{body}", PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
