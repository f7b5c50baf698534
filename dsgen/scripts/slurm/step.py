"""The tasks of one step on this worker, for the srun that asked for it (srun.py)."""

from __future__ import annotations

import base64
import contextlib
import errno
import os
import queue
import signal
import subprocess
import threading
from pathlib import Path
from typing import IO, Any

from shared import methods, processes
from slurm import rules, srun

DRAIN_SECONDS = 2.0  # to read what the tasks have printed last


def prepare_task() -> None:
    """In a task before its program: it leads a group of its own, and dies with this process."""
    os.setpgid(0, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    processes.call_prctl(processes.SET_PDEATHSIG, signal.SIGKILL)


class Tasks:
    """The tasks of a step that run here."""

    def __init__(self, agent: Any, node: int, address: str, port: int) -> None:
        self.agent = agent  # the caller
        processes.adopt_orphans()
        self.channel = srun.read_setup().connect(address, port)
        self.channel.send(node=node)
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        self.reading: list[IO[bytes]] = []  # the inputs of tasks
        self.input: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        processes.watch_signals([signal.SIGTERM], lambda _: self.stop())

    def run(self) -> int:
        """Start the tasks, and do what srun says, until it has ended or is lost."""
        self.start(self.channel.read() or {"tasks": []})
        for message in iter(self.channel.read, None):
            if "signal" in message:
                self.send(message["signal"])
            else:
                self.input.put(base64.b64decode(message["input"]))
        processes.kill(lambda: processes.list_descendants(os.getpid()))
        return 0

    def start(self, order: dict[str, Any]) -> None:
        kept = {name: os.environ[name] for name in order.get("kept", ()) if name in os.environ}
        folder = order.get("folder", "/")
        if not Path(folder).is_dir():
            words = f"couldn't chdir to `{folder}': No such file or directory: going to /tmp instead"
            self.channel.send(words=f"error: {words}")
            folder = "/tmp"
        for task in order["tasks"]:
            environment = {**kept, **order["changed"]}
            for name in rules.OF_GPUS:
                environment.pop(name, None)
            try:
                self.start_task(task, {**environment, **task["variables"]}, folder)
            except OSError as error:
                self.channel.send(words=f"error: execve(): {task['argv'][0]}: {error.strerror}")
                self.channel.send(rank=task["rank"], code=error.errno or 1)
        if self.agent.is_stopped:  # meanwhile
            self.send(signal.SIGTERM)
        for rank, started in list(self.running.items()):
            threading.Thread(target=self.watch, args=(rank, started), daemon=True).start()
        threading.Thread(target=self.feed, daemon=True).start()

    def start_task(self, task: dict[str, Any], environment: dict[str, str], folder: str) -> None:
        program, *arguments = task["argv"]
        found = program if "/" in program else methods.find_program(program, environment.get("PATH", "."))
        if not found:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        started = self.running[task["rank"]] = subprocess.Popen(
            [found, *arguments],
            env=environment,
            cwd=folder,
            stdin=subprocess.PIPE if task["reads"] else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=prepare_task,
        )
        self.reading += [started.stdin] if started.stdin else []

    def watch(self, rank: int, task: subprocess.Popen[bytes]) -> None:
        """Pass on what a task prints, and how it ends. The last one ends what all of them have left."""

        def pass_on(pipe: IO[bytes], stream: int) -> None:
            for data in iter(lambda: os.read(pipe.fileno(), srun.CHUNK_BYTES), b""):
                self.channel.send(rank=rank, stream=stream, data=base64.b64encode(data).decode())
            self.channel.send(rank=rank, stream=stream, data="")

        assert task.stdout
        assert task.stderr
        readers = [
            threading.Thread(target=pass_on, args=(pipe, stream), daemon=True)
            for stream, pipe in ((1, task.stdout), (2, task.stderr))
        ]
        for reader in readers:
            reader.start()
        code = task.wait()
        del self.running[rank]
        if not self.running:
            processes.kill(lambda: processes.list_descendants(os.getpid()), lambda: None)
        for reader in readers:
            reader.join(DRAIN_SECONDS)
        self.channel.send(rank=rank, code=code)

    def feed(self) -> None:
        """Pass the input on to the tasks that read it; some may never do."""
        for data in iter(self.input.get, None):
            for pipe in list(self.reading):
                try:
                    pipe.write(data)
                    pipe.flush()
                    if not data:
                        pipe.close()
                except OSError:  # it has ended, or reads no more
                    self.reading.remove(pipe)

    def stop(self) -> None:
        self.agent.is_stopped = True
        self.send(signal.SIGTERM)

    def send(self, number: int) -> None:
        """Pass a signal on to all tasks, each with what it has started."""
        for task in list(self.running.values()):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(task.pid, number)
