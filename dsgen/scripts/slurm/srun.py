"""srun: has the tasks of one step run on the workers, for a script that slurm/batch_script.py runs.

Worker 0 plans the step, and has each of its workers run step.py, which connects to this process.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import queue
import re
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple

from shared import control, exchange, processes, settings
from slurm import rules
from slurm.channel import Channel

CHUNK_BYTES = 32768
CONNECT_SECONDS, SHAKE_SECONDS = 10, 5.0
START_SECONDS = 60  # until the workers of a step have connected
KILL_SECONDS = 30  # after SIGTERM, as Slurm's KillWait
NEVER = float("inf")
INTERRUPT_SECONDS, ABORT_SECONDS = 1, 5
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
FOLDER = settings.RUN / "slurm"
FILE = FOLDER / "job.json"
"""What the programs of a script know of it: a Setup."""


class Setup(NamedTuple):
    """The job of a script, where worker 0 listens, the secret of the connections, and the variables of its worker."""

    job: rules.Job
    address: str
    port: int
    secret: str
    base: dict[str, str]

    def write(self) -> None:
        """Write it for the programs; only this user may read it."""
        exchange.replace(FILE, json.dumps(self).encode(), mode=0o600)

    def connect(self, address: str = "", port: int = 0) -> Channel:
        """Connect to worker 0, or to the srun of a step."""
        connection = socket.create_connection((address or self.address, port or self.port), CONNECT_SECONDS)
        return Channel(connection, control.shake(connection, self.secret.encode(), "worker", SHAKE_SECONDS))

    def listen(self, port: int = 0) -> tuple[str, socket.socket]:
        """A server for the other workers, and the address of this one."""
        if len(self.job.nodes) > 1:
            return control.open_pod_server(port)
        return "127.0.0.1", socket.create_server(("127.0.0.1", 0))

    def serve(self, server: socket.socket, receive: Callable[[Channel], None]) -> None:
        """Call `receive` with the channel of each program that connects, in a thread."""

        def take(connection: socket.socket, talk: control.Conversation) -> None:
            receive(Channel(connection, talk))

        control.serve(server, self.secret.encode(), SHAKE_SECONDS, control.UnprovenConnections(), take)


def read_setup() -> Setup:
    job, *rest = json.loads(FILE.read_text(encoding="utf-8"))
    return Setup(rules.Job(*job), *rest)


def say(words: str) -> None:
    sys.stderr.write(f"srun: {words}\n")
    sys.stderr.flush()


def refuse(words: str) -> int:
    """Let the script end: it might go on without what it has asked for, and end with 0."""
    channel = read_setup().connect()
    channel.send(refused=words)
    channel.read()  # until it has ended, and this process with it
    return rules.REFUSED


def choose_environment(exported: str) -> dict[str, str]:
    """The variables that --export lets through."""
    every, names = dict(os.environ), exported.split(",")
    if exported == "ALL":
        return every
    given = dict(one.split("=", 1) for one in names if "=" in one)
    if "ALL" in names:
        return {**given, **every}  # as Slurm: what is set already stays
    own = {name: value for name, value in every.items() if name.startswith("SLURM_")}
    return {**own, **{name: every[name] for name in names if name in every}, **given}


class TaskOutput:
    """Where what the tasks print goes: to the log, or to files."""

    def __init__(self, options: rules.Options, step: int, tasks: int) -> None:
        self.options, self.step, self.width = options, str(step), len(str(tasks - 1))
        self.places: dict[int, tuple[int, str]] = {}  # the number and the name of the node of each task
        self.opened: dict[str, IO[bytes]] = {}
        self.unfinished: dict[tuple[int, int], bytes] = {}

    def choose(self, rank: int, stream: int) -> IO[bytes] | None:
        """The file for a stream (1 or 2) of a task; None: nowhere."""
        path = (self.options.get("error") if stream == 2 else None) or self.options.get("output", "all")
        if path == "none" or (path.isdigit() and int(path) != rank):
            return None
        if path == "all" or path.isdigit():
            return (sys.stdout if stream == 1 else sys.stderr).buffer
        job, name = os.environ.get("SLURM_JOB_ID", ""), os.environ.get("SLURM_JOB_NAME", "")
        node, host = self.places[rank]
        values = {"t": str(rank), "n": str(node), "N": host, "s": self.step, "x": name}
        values.update(j=job, A=job, J=f"{job}.{self.step}", u=os.environ.get("USER", ""))
        values.update({"a": os.environ.get("SLURM_ARRAY_TASK_ID", ""), "%": "%"})
        path = re.sub(r"%(\d*)([tnNsxjAJua%])", lambda one: values[one.group(2)].zfill(int(one.group(1) or 0)), path)
        if path not in self.opened:
            mode = "ab" if self.options.get("open-mode", "truncate")[0] == "a" else "wb"
            self.opened[path] = open(path, mode, buffering=0)  # noqa: SIM115, PTH123 - until the step ends
        return self.opened[path]

    def write(self, rank: int, stream: int, data: bytes) -> None:
        """Write what a task has printed; b"" at its end."""
        file = self.choose(rank, stream)
        if "label" in self.options:
            *lines, rest = (self.unfinished.pop((rank, stream), b"") + data).split(b"\n")
            if rest and not data:
                lines, rest = [rest], b""
            self.unfinished[rank, stream] = rest
            data = b"".join(b"%*d: %s\n" % (self.width, rank, line) for line in lines)
        with contextlib.suppress(BrokenPipeError):
            if file is not None and data:
                file.write(data)
                file.flush()


class Step:
    """The tasks of a step, as this process knows them."""

    def __init__(self, setup: Setup, options: rules.Options) -> None:
        self.setup, self.options = setup, options
        self.events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.lock = threading.Lock()  # of the output
        self.joined: queue.SimpleQueue[tuple[int, Channel]] = queue.SimpleQueue()
        self.channels: list[Channel] = []
        self.codes: dict[int, int] = {}
        self.kill_at, self.interrupted, self.is_told = NEVER, 0.0, False
        given = options.get("input", "all")
        self.source = 0 if given in ("all", "none") or given.isdigit() else os.open(given, os.O_RDONLY)
        processes.watch_signals(SIGNALS, lambda number: self.events.put({"signal": number}))

    def create(self) -> None:
        """Have worker 0 plan the step, which waits until CPUs and GPUs are free; then its workers connect."""
        address, server = self.setup.listen()
        self.setup.serve(server, self.join)
        self.control = self.setup.connect()
        self.control.send(options=self.options, address=address, port=server.getsockname()[1])
        answer = self.control.read() or {"error": "Job/step already completing or completed"}
        if "waits" in answer:
            say("Job step creation temporarily disabled, retrying (Requested nodes are busy)")
            answer = self.control.read() or answer
        if "plan" not in answer:
            raise rules.StepError(answer.get("error", "Unable to create step for job"))
        plan = [rules.Share(*part) for part in answer["plan"]]
        self.number = int(answer["step"])
        self.tasks = rules.make_task_variables(self.setup.job, self.options, self.number, plan)
        connected: dict[int, Channel] = {}
        until = time.monotonic() + START_SECONDS
        try:
            while len(connected) < len(plan):
                connected.update([self.joined.get(timeout=max(until - time.monotonic(), 0))])
        except queue.Empty:
            words = "Unable to create step for job: a worker has not started its tasks"
            raise rules.StepError(words) from None
        self.channels = [connected[part.node] for part in plan]

    def start(self, command: list[str]) -> None:
        """Send each worker its tasks, and what in the environment the script has changed."""
        count = sum(map(len, self.tasks))
        self.output = TaskOutput(self.options, self.number, count)
        environment, base = choose_environment(self.options.get("export", "ALL")), self.setup.base
        kept = [name for name, value in environment.items() if base.get(name) == value]
        changed = {name: value for name, value in environment.items() if base.get(name) != value}
        given = self.options.get("input", "all")
        begun = b""
        if given != "none" and select.select([self.source], [], [], 0)[0]:
            begun = os.read(self.source, CHUNK_BYTES)  # also if the tasks end at once
        for node, (channel, tasks) in enumerate(zip(self.channels, self.tasks)):  # noqa: B905 - Python 3.8
            ordered = []
            for variables in tasks:
                rank = int(variables["SLURM_PROCID"])
                self.output.places[rank] = (node, variables["SLURMD_NODENAME"])
                reads = given != "none" and (not given.isdigit() or int(given) == rank)
                ordered.append({"rank": rank, "argv": command, "variables": variables, "reads": reads})
            folder = self.options.get("container-workdir") or self.options.get("chdir") or str(Path.cwd())
            channel.send(tasks=ordered, kept=kept, changed=changed, folder=folder)
        threading.Thread(target=self.listen, args=(self.control,), daemon=True).start()
        if given != "none":
            threading.Thread(target=self.feed, args=(begun,), daemon=True).start()

    def join(self, channel: Channel) -> None:
        """Take a worker into the step."""
        self.joined.put(((channel.read() or {}).get("node", -1), channel))
        self.listen(channel)

    def listen(self, channel: Channel) -> None:
        """Write what the tasks of a worker print, here, so that they wait for who reads it."""
        try:
            for message in iter(channel.read, None):
                if "data" in message:
                    with self.lock:
                        self.output.write(message["rank"], message["stream"], base64.b64decode(message["data"]))
                elif "words" in message:
                    say(message["words"])
                else:
                    self.events.put(message)
        except OSError as error:  # of a file of the output
            say(f"error: {error}")
        self.events.put({"lost": True})

    def feed(self, data: bytes) -> None:
        """Pass the input on to the tasks. `data`: its beginning."""
        while True:
            data = data or os.read(self.source, CHUNK_BYTES)
            for channel in self.channels:
                channel.send(input=base64.b64encode(data).decode())
            if not data:
                return
            data = b""

    def send(self, number: int) -> None:
        """Pass a signal on to all tasks, each with what it has started."""
        for channel in self.channels:
            channel.send(signal=number)

    def note_signal(self, number: int) -> None:
        """A signal for srun itself: some are for the tasks, others end them at once, one asks for another."""
        now = time.monotonic()
        if number in (signal.SIGUSR1, signal.SIGUSR2):
            self.send(number)
            return
        self.is_told = True
        if number != signal.SIGINT:
            say("forcing job termination")
            self.send(signal.SIGKILL)
        elif now - self.interrupted > INTERRUPT_SECONDS:
            self.interrupted = now
            say("interrupt (one more within 1 sec to abort)")
        else:
            self.send(number)
            self.kill_at = now + ABORT_SECONDS

    def note_end(self, rank: int, code: int) -> None:
        self.codes[rank] = code if code >= 0 else 128 - code
        if code:
            how = f"Exited with exit code {code}" if code > 0 else signal.strsignal(-code)
            say(f"error: {self.output.places[rank][1]}: task {rank}: {how}")
        if code and self.options.get("kill-on-bad-exit", "0") != "0":
            self.send(signal.SIGTERM)
            self.kill_at = min(self.kill_at, time.monotonic() + KILL_SECONDS)
        if int(self.options.get("wait", "0")):
            self.kill_at = min(self.kill_at, time.monotonic() + int(self.options["wait"]))

    def run(self) -> int:
        """Wait until all tasks have ended; returns the highest of their exit codes."""
        while len(self.codes) < len(self.output.places):
            try:
                seconds = None if self.kill_at == NEVER else max(self.kill_at - time.monotonic(), 0)
                event = self.events.get(timeout=seconds)
            except queue.Empty:
                self.kill_at = NEVER
                self.send(signal.SIGKILL)
                continue
            if "signal" in event:
                self.note_signal(event["signal"])
            elif "code" in event:
                self.note_end(event["rank"], event["code"])
            else:  # a worker is lost, or the script has ended
                return 255
        code = max(self.codes.values())
        self.control.send(code=0 if self.is_told else code)  # a step that the script itself ends has not failed
        self.events.get()  # it is noted, before the script goes on
        return code


def main(words: list[str]) -> int:
    try:
        options, command = rules.parse_options(words)
        options = rules.complete_options(options, os.environ)
        if not command:
            raise rules.StepError("No command given to execute.")
        step = Step(read_setup(), options)
        step.create()
        step.start(command)
        return step.run()
    except rules.UnknownError as error:
        return refuse(f"srun: {error}")
    except (rules.StepError, OSError, ValueError) as error:
        say(f"error: {error}")
        return 1
