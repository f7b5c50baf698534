"""srun: runs the tasks of one step, for a script that worker/batch_script.py runs."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))  # the folder of the packages, behind those of Python
    from shared import compiled

    compiled.use()

from shared import methods, processes, settings, slurm

CHUNK_BYTES = 65536
KILL_SECONDS = 30  # after SIGTERM, as Slurm's KillWait
DRAIN_SECONDS = 2.0  # to read what the tasks have printed last
NEVER = float("inf")
OWN = 2  # descriptors of srun that are not the tasks': signals, and the connection
INTERRUPT_SECONDS, ABORT_SECONDS = 1, 5
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def say(words: str) -> None:
    sys.stderr.write(f"srun: {words}\n")
    sys.stderr.flush()


class StepControl:
    """The connection to the program that runs the script. Messages are lines of JSON."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(settings.RUN / slurm.SOCKET))
        self.lines = self.socket.makefile("rb")

    def send(self, **message: Any) -> None:
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def read(self) -> dict[str, Any]:
        return dict(json.loads(self.lines.readline() or b"{}"))

    def refuse(self, words: str) -> int:
        """Let the script end: it might go on without what it has asked for, and end with 0."""
        self.send(refused=words)
        self.lines.read()  # until it has ended, and this process with it
        return slurm.REFUSED

    def create_step(self, job: slurm.Job, options: slurm.Options, tasks: int) -> dict[str, Any]:
        """Ask for a step, and wait until its CPUs and GPUs are free; returns its number and its GPUs."""
        each = slurm.read_number(options, "cpus-per-task", 1)
        is_exact = any(name in options for name in slurm.EXACT)
        cpus = 0 if "overlap" in options else min(tasks * each, job.cpus) if is_exact else job.cpus
        self.send(cpus=cpus, gpus=slurm.count_gpus(options, tasks))
        answer = self.read()
        if "waits" in answer:
            say("Job step creation temporarily disabled, retrying (Requested nodes are busy)")
            answer = self.read()
        if "step" not in answer:
            raise slurm.StepError("Unable to create step for job: Job/step already completing or completed")
        return answer


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


def read_programs(path: str, count: int) -> list[list[str]]:
    """The command of each task in a file of --multi-prog: lines of ranks, program and arguments."""
    found: dict[int, list[str]] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        ranks, *words = line.split() or ["#"]
        if ranks.startswith("#"):
            continue
        pairs = [one.partition("-") for one in ranks.split(",") if ranks != "*"]
        listed = [rank for first, _, last in pairs for rank in range(int(first), int(last or first) + 1)]
        for offset, rank in enumerate(listed or sorted({*range(count)} - {*found})):
            if rank >= count:
                raise slurm.StepError(f"Line {number} of configuration file {path} invalid: {rank} >= ntasks")
            found[rank] = [word.replace("%t", str(rank)).replace("%o", str(offset)) for word in words]
    for rank in range(count):
        if not found.get(rank):
            raise slurm.StepError(f"Configuration file {path} invalid, no record for task id {rank}")
    return [found[rank] for rank in range(count)]


class TaskOutput:
    """Where what the tasks print goes: to the log, or to files."""

    def __init__(self, options: slurm.Options, step: int, tasks: int) -> None:
        self.options, self.step, self.width = options, str(step), len(str(tasks - 1))
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
        values = {"t": str(rank), "n": "0", "N": os.environ.get("SLURMD_NODENAME", ""), "s": self.step, "x": name}
        values.update(j=job, A=job, J=f"{job}.{self.step}", u=os.environ.get("USER", ""))
        values.update({"a": os.environ.get("SLURM_ARRAY_TASK_ID", ""), "%": "%"})
        path = re.sub(r"%(\d*)([tnNsxjAJua%])", lambda one: values[one.group(2)].zfill(int(one.group(1) or 0)), path)
        if path not in self.opened:
            mode = "ab" if self.options.get("open-mode", "truncate")[0] == "a" else "wb"
            self.opened[path] = open(path, mode, buffering=0)  # noqa: SIM115, PTH123 - until the step ends
        return self.opened[path]

    def write(self, rank: int, stream: int, file: IO[bytes] | None, data: bytes) -> None:
        """Write what a task has printed; b"" at its end."""
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


def prepare_task() -> None:
    """In a task before its program: it leads a group of its own, and dies with srun."""
    os.setpgid(0, 0)
    processes.call_prctl(processes.SET_PDEATHSIG, signal.SIGKILL)


class Tasks:
    """The tasks of a step."""

    def __init__(self, options: slurm.Options, output: TaskOutput) -> None:
        self.options, self.output = options, output
        given = options.get("input", "all")
        self.source = 0 if given in ("all", "none") or given.isdigit() else os.open(given, os.O_RDONLY)
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        self.codes: list[int] = []
        self.selector = selectors.DefaultSelector()
        self.kill_at = self.drain_until = NEVER
        wake = processes.open_wakeup_pipe()
        self.interrupted, self.is_told = 0.0, False
        for number in SIGNALS:
            signal.signal(number, lambda number, _: self.note_signal(number))
        self.selector.register(wake, selectors.EVENT_READ, lambda: os.read(wake, 512))

    def start(self, rank: int, command: list[str], environment: dict[str, str], folder: str) -> None:
        given = self.options.get("input", "all")
        reads = given != "none" and (not given.isdigit() or int(given) == rank)
        try:
            found = command[0] if "/" in command[0] else methods.find_program(command[0], environment.get("PATH", "."))
            if not found:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            task = subprocess.Popen(
                [found, *command[1:]],
                env=environment,
                cwd=folder,
                stdin=subprocess.PIPE if reads else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                preexec_fn=prepare_task,
            )
        except OSError as error:
            say(f"error: execve(): {command[0]}: {error.strerror}")
            self.note_end(rank, error.errno or 1)
            return
        self.running[rank] = task
        for stream, pipe in ((1, task.stdout), (2, task.stderr)):
            assert pipe
            reader = self.make_reader(rank, stream, pipe, self.output.choose(rank, stream))
            self.selector.register(pipe, selectors.EVENT_READ, reader)

    def make_reader(self, rank: int, stream: int, pipe: IO[bytes], file: IO[bytes] | None) -> Callable[[], None]:
        def read() -> None:
            data = os.read(pipe.fileno(), CHUNK_BYTES)
            self.output.write(rank, stream, file, data)
            if not data:
                self.selector.unregister(pipe)

        return read

    def feed(self, data: bytes) -> None:
        """Pass the input on to the tasks; in a thread, because a task may never read it. `data`: its beginning."""
        pipes = [task.stdin for task in self.running.values() if task.stdin]
        while pipes:
            data = data or os.read(self.source, CHUNK_BYTES)
            for pipe in list(pipes):
                try:
                    pipe.write(data)
                    pipe.flush()
                    if not data:
                        pipe.close()
                except OSError:  # it has ended, or reads no more
                    pipes.remove(pipe)
            if not data:
                return
            data = b""

    def note_signal(self, number: int) -> None:
        """A signal for srun itself: some are for the tasks, others end them at once, one asks for another."""
        now = time.monotonic()
        if number in (signal.SIGUSR1, signal.SIGUSR2):
            self.signal(number)
            return
        self.is_told = True
        if number != signal.SIGINT:
            say("forcing job termination")
            self.signal(signal.SIGKILL)
        elif now - self.interrupted > INTERRUPT_SECONDS:
            self.interrupted = now
            say("interrupt (one more within 1 sec to abort)")
        else:
            self.signal(number)
            self.kill_at = now + ABORT_SECONDS

    def obey(self, control: StepControl) -> None:
        """The script is to end, or has ended."""
        message = control.read()
        self.signal(message.get("signal", signal.SIGKILL))
        if not message:
            self.selector.unregister(control.socket)

    def signal(self, number: int) -> None:
        """Pass a signal on to all tasks, each with what it has started."""
        for task in list(self.running.values()):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(task.pid, number)

    def note_end(self, rank: int, code: int) -> None:
        self.codes.append(code if code >= 0 else 128 - code)
        if code:
            how = f"Exited with exit code {code}" if code > 0 else signal.strsignal(-code)
            say(f"error: {os.environ.get('SLURMD_NODENAME', '')}: task {rank}: {how}")
        if code and self.options.get("kill-on-bad-exit", "0") != "0":
            self.signal(signal.SIGTERM)
            self.kill_at = min(self.kill_at, time.monotonic() + KILL_SECONDS)
        if int(self.options.get("wait", "0")):
            self.kill_at = min(self.kill_at, time.monotonic() + int(self.options["wait"]))

    def run(self) -> int:
        """Pass on what the tasks print until all have ended; returns the highest of their exit codes."""
        while self.running or (len(self.selector.get_map()) > OWN and time.monotonic() < self.drain_until):
            until = min(self.kill_at, self.drain_until)
            for key, _ in self.selector.select(None if until == NEVER else max(until - time.monotonic(), 0)):
                key.data()
            if time.monotonic() >= self.kill_at:
                self.signal(signal.SIGKILL)
                self.kill_at = NEVER
            for rank, task in list(self.running.items()):
                code = task.poll()
                if code is not None:
                    del self.running[rank]
                    self.note_end(rank, code)
            if not self.running and self.drain_until == NEVER:
                processes.send(processes.list_descendants(os.getpid()), signal.SIGKILL)  # what the tasks have left
                self.drain_until, self.kill_at = time.monotonic() + DRAIN_SECONDS, NEVER
        return max(self.codes, default=1)


def choose_folder(given: str) -> str:
    folder = given or str(Path.cwd())
    if Path(folder).is_dir():
        return folder
    say(f"error: couldn't chdir to `{folder}': No such file or directory: going to /tmp instead")
    return "/tmp"


def run_step(words: list[str]) -> int:
    options, command = slurm.parse_options(words)
    options = slurm.complete_options(options, os.environ)
    if not command:
        raise slurm.StepError("No command given to execute.")
    job = slurm.Job(*json.loads((settings.RUN / slurm.JOB).read_text(encoding="utf-8")))
    count = slurm.count_tasks(job, options)
    commands = read_programs(command[0], count) if "multi-prog" in options else [command] * count
    control = StepControl()
    step = control.create_step(job, options, count)
    processes.adopt_orphans()
    environment, folder = choose_environment(options.get("export", "ALL")), choose_folder(options.get("chdir", ""))
    kept = {name: value for name, value in environment.items() if name not in slurm.OF_GPUS}
    tasks = Tasks(options, TaskOutput(options, step["step"], count))
    is_there = options.get("input") != "none" and select.select([tasks.source], [], [], 0)[0]
    begun = os.read(tasks.source, CHUNK_BYTES) if is_there else b""  # also if the tasks end at once
    for rank, own in enumerate(slurm.make_task_variables(job, options, step["step"], count, step["devices"])):
        tasks.start(rank, commands[rank], {**kept, **own}, folder)
    if any(task.stdin for task in tasks.running.values()):
        threading.Thread(target=tasks.feed, args=(begun,), daemon=True).start()
    tasks.selector.register(control.socket, selectors.EVENT_READ, lambda: tasks.obey(control))
    code = tasks.run()
    control.send(code=0 if tasks.is_told else code)  # a step that the script itself ends has not failed
    return code


def main(words: list[str]) -> int:
    try:
        return run_step(words)
    except slurm.UnknownError as error:
        return StepControl().refuse(f"srun: {error}")
    except (slurm.StepError, OSError, ValueError) as error:
        say(f"error: {error}")
        return 1


if __name__ == "__main__":
    processes.leave(main(sys.argv[1:]))
