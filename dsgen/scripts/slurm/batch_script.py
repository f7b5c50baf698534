"""Runs a script for sbatch as Slurm does (launch.method slurm-script): once, with the variables of a batch shell.

`srun` and the other programs of a cluster are in PATH. Each bash reads a file that puts them there and finds them
later, since `bash -l` sets PATH anew. Functions would not do: after `srun ... &`, $! must be srun.

It runs on worker 0, to which the agents of all workers connect, and each srun. An srun asks here for a step: it owns
its nodes unless it asks for less, and others wait until what they need is free. The agents run its tasks (step.py).
The code of the script is that of the run; if it is 0 although the last step failed, that of the step. A lost worker
ends it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import signal
import socket
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import Any

from shared import control, hostfile, methods, processes, record, settings
from shared.log import log
from slurm import rules, srun, step
from slurm.channel import Channel

END_SECONDS = 5  # for what the script has left running
RETRY_SECONDS = 0.2  # between tries to connect to worker 0
LOST = 255
WATCHED = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
ALWAYS = ("srun", "scontrol", "sbatch", "salloc", "squeue", "sinfo", "sacct", "sacctmgr", "sstat", "scancel", "sbcast")
IF_MISSING = ("module", "ml", "conda", "mamba", "micromamba", "singularity", "apptainer", "shifter")
"""What the shim replaces: always, and in an image that does not have it."""
PROGRAM = "#!/bin/bash\nexec '{0}' -ESs '{1}/shared/run.py' '{1}/slurm/programs.py' '{2}' \"$@\"\n"
FOUND = """# read by each bash, because BASH_ENV names it
case ":$PATH:" in *":{0}:"*) ;; *) PATH="{0}:$PATH" ;; esac
command_not_found_handle() {{
  local name="$1"
  shift
  [ ! -x "{0}/$name" ] || exec "{0}/$name" "$@"
  printf '%s: line %s: %s: command not found\\n' "$0" "$BASH_LINENO" "$name" >&2
  return 127
}}
"""
ACTIVATE = "echo '[dsgen] {}: not done; the image has its own Python' >&2\n"


class Request:
    """What an srun asks for, and its step."""

    def __init__(self, channel: Channel, message: dict[str, Any]) -> None:
        self.channel, self.options = channel, dict(message["options"])
        self.place = {"address": message["address"], "port": message["port"]}
        self.plan: list[rules.Share] = []
        self.step = -1  # it waits
        self.is_told = False  # that it waits


class Script:
    """The script, the workers that run its tasks, and its steps."""

    def __init__(self, setup: srun.Setup, server: socket.socket) -> None:
        self.job = setup.job
        self.events: queue.SimpleQueue[tuple[Channel | None, dict[str, Any]]] = queue.SimpleQueue()
        self.agents: dict[int, Channel] = {}
        self.requests: dict[Channel, Request] = {}  # in the order in which they came
        self.steps = 0
        self.last, self.failure = -1, 0  # the step that was created last, of those that have ended, and its code
        self.pid, self.code, self.stopped, self.is_stopped = 0, -1, 0, False
        processes.watch_signals(WATCHED, lambda number: self.events.put((None, {"signal": number})))
        setup.serve(server, self.receive)

    def receive(self, channel: Channel) -> None:
        """Take what an agent or an srun says, until it ends."""
        for message in iter(channel.read, None):
            self.events.put((channel, message))
        self.events.put((channel, {"lost": True}))

    def run(self, argv: list[str], seconds: float) -> int:
        """Start the script when all agents have connected, and serve it; returns the exit code of the run."""
        until = time.monotonic() + seconds
        while self.code < 0:
            try:
                channel, message = self.events.get(timeout=None if self.pid else max(until - time.monotonic(), 0))
            except queue.Empty:
                self.end(1, f"{len(self.agents)} of {len(self.job.nodes)} workers have connected in {seconds} s")
                break
            if channel:
                self.heed(channel, message)
            elif message["signal"] != signal.SIGCHLD:
                self.stop(message["signal"])
            if not self.pid and len(self.agents) == len(self.job.nodes):
                self.pid = processes.spawn(argv, new_session=True)
            self.create_steps()
            self.stop_shell()
            ended = processes.reap()
            self.code = ended.get(self.pid, self.code) if self.code < 0 else self.code
        for agent in self.agents.values():
            agent.send(over=True)
        processes.end(os.getpid(), None, END_SECONDS)
        if self.code == 0 and self.failure:
            log(f"the script ended with 0, but its last step with {self.failure}, which is the result")
        return self.code or self.failure

    def end(self, code: int, words: str) -> None:
        """End the script at once: it would go on, and may end with 0."""
        if self.code < 0:
            log(f"{words}, so the script ends")
            self.code = code
            if self.pid:
                processes.kill(lambda: processes.list_descendants(os.getpid()))

    def stop(self, number: int) -> None:
        """End the tasks, and then the shell; no step begins any more."""
        self.stopped, self.is_stopped = number, True
        self.code = self.code if self.pid else 128 + number  # it has not begun
        for agent in self.agents.values():
            agent.send(stop=number)

    def stop_shell(self) -> None:
        """Tell the shell to stop, if its tasks have ended."""
        if self.stopped and all(request.step < 0 for request in self.requests.values()):
            processes.send([self.pid], self.stopped)
            self.stopped = 0

    def heed(self, channel: Channel, message: dict[str, Any]) -> None:
        """Do what an agent or an srun says."""
        request = self.requests.get(channel)
        if "agent" in message:
            self.agents[message["agent"]] = channel
        elif "options" in message:
            self.requests[channel] = Request(channel, message)
        elif "refused" in message:
            self.end(rules.REFUSED, f"{message['refused']}: not known here")
        elif "code" in message and request:
            if request.step > self.last:
                self.last, self.failure = request.step, message["code"]
            del self.requests[channel]
            self.stop_shell()  # before it goes on
            channel.send(noted=True)
        elif "lost" in message:
            self.requests.pop(channel, None)
            for node in [node for node, agent in self.agents.items() if agent is channel]:
                self.end(LOST, f"{self.job.nodes[node]} is lost")

    def create_steps(self) -> None:
        """Create the steps for which there is room, in the order in which they were asked for."""
        for request in [one for one in self.requests.values() if one.step < 0]:
            if self.is_stopped:
                request.channel.send(error="Job/step already completing or completed")
                continue
            try:
                request.plan = self.plan(request.options)
            except (rules.StepError, ValueError) as error:
                request.channel.send(error=str(error))
                del self.requests[request.channel]
                continue
            if not request.plan:
                if not request.is_told:
                    request.channel.send(waits=True)
                request.is_told = True
                continue
            request.step, self.steps = self.steps, self.steps + 1
            for part in request.plan:
                self.agents[part.node].send(node=part.node, **request.place)
            request.channel.send(step=request.step, plan=request.plan)

    def plan(self, options: rules.Options) -> list[rules.Share]:
        """Where the tasks of a step run: on nodes where others do not, if there are; [] if there is no room."""
        nodes, each = range(len(self.job.nodes)), rules.read_number(options, "cpus-per-task", 1)
        is_exact = any(name in options for name in rules.EXACT)
        shares = [part for request in self.requests.values() if request.step >= 0 for part in request.plan]
        used = [sum(part.cpus for part in shares if part.node == node) for node in nodes]
        busy = [any(part.node == node for part in shares) for node in nodes]
        ranked = sorted(nodes, key=lambda node: (used[node] + each > self.job.cpus, busy[node]))
        counts = rules.count_tasks(self.job, options, ranked)
        gpus = rules.count_gpus(options, list(counts.values()))
        found = []
        for place, (node, tasks) in enumerate(counts.items()):
            count = gpus[place] if gpus else None
            cpus = 0 if "overlap" in options else min(tasks * each, self.job.cpus) if is_exact else self.job.cpus
            taken = {one for part in shares if part.node == node and part.cpus for one in part.devices or []}
            free = [one for one in range(self.job.gpus) if not (cpus and one in taken)]
            if (cpus and used[node] + cpus > self.job.cpus) or (count or 0) > len(free):
                return []
            found.append(rules.Share(node, tasks, cpus, None if count is None else free[:count]))
        return found


class Agent:
    """Runs the tasks of this worker, in a process for each step."""

    def __init__(self, channel: Channel, node: int) -> None:
        self.channel, self.is_stopped = channel, False
        channel.send(agent=node)
        self.events: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        signal.signal(signal.SIGTERM, lambda number, _: self.stop(number))  # of a child that does not watch it yet
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        processes.watch_signals([signal.SIGTERM], lambda number: self.events.put({"stop": number}))
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        for message in iter(self.channel.read, None):
            self.events.put(message)
        self.events.put(None)

    def run(self) -> int:
        """Do what worker 0 says, until the script has ended."""
        code = LOST
        for message in iter(self.events.get, None):
            if "over" in message:
                code = 0
                break
            if "stop" in message:
                self.stop(message["stop"])
            else:
                processes.fork(functools.partial(self.start, message))
        processes.end(os.getpid(), None, 0)
        return code

    def start(self, order: dict[str, Any]) -> int:
        return step.Tasks(self, **order).run()

    def stop(self, number: int) -> None:
        """Tell the tasks to stop, once: to many programs a second signal says to make haste."""
        if not self.is_stopped:
            self.is_stopped = True
            own = os.getpid()
            processes.send([one.pid for one in processes.list_processes().values() if one.parent == own], number)


def make_shims(folder: Path) -> None:
    """Write the programs of the shim, and let each bash find them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ALWAYS + IF_MISSING:
        if name in ALWAYS or not (f"BASH_FUNC_{name}%%" in os.environ or methods.find_program(name)):
            (folder / name).write_text(PROGRAM.format(sys.executable, settings.SCRIPTS, name))
            (folder / name).chmod(0o755)
    for name in ("activate", "deactivate"):  # what `source activate ENVIRONMENT` reads; `deactivate` is called
        if not methods.find_program(name):
            (folder / name).write_text(ACTIVATE.format(name))
            (folder / name).chmod(0o755)
    given = os.environ.get("BASH_ENV", "")
    (folder.parent / "found.sh").write_text(FOUND.format(folder) + (f". '{given}'\n" if given else ""))
    os.environ.update(BASH_ENV=str(folder.parent / "found.sh"))
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def read_interpreter(text: str) -> list[str]:
    """The words after #!, as the kernel reads them: a file of a ConfigMap may not be executable."""
    first = text.partition("\n")[0]
    words = first[2:].strip().split(maxsplit=1)
    if not first.startswith("#!") or not words:
        raise rules.StepError("the first line of the script must begin with #! and the path to a shell")
    return words


def read_job(hosts: list[str], argv: list[str]) -> tuple[rules.Job, list[str], dict[str, str]]:
    """The job of a script, its interpreter and its directives; StepError for one that cannot run here."""
    text = Path(argv[0]).read_text(encoding="utf-8", errors="replace")
    directives = {option.name: option.value for option in rules.read_directives(text) if option.known}
    return rules.make_job(hosts, directives, len(os.sched_getaffinity(0))), read_interpreter(text), directives


def read_secret(run: settings.Settings) -> str:
    """The nonce that the launcher has put into the record."""
    return str(record.read_mounted(run.run).get("launcher") or "").rpartition("/")[2]


def join(run: settings.Settings, job: rules.Job, node: int, port: int) -> int:
    """Be the agent of a worker other than 0: connect to worker 0, whose pod may have the record later than this one."""
    until = time.monotonic() + run.start_timeout_seconds
    while True:
        setup = srun.Setup(job, job.nodes[0], port, read_secret(run), dict(os.environ))
        try:
            agent = Agent(setup.connect(), node)
            break
        except OSError as error:
            if time.monotonic() > until:
                log(f"{job.nodes[0]}:{port} cannot be reached: {error}")
                return 1
            time.sleep(RETRY_SECONDS)
    setup.write()
    return agent.run()


def main(argv: list[str]) -> int:
    run = settings.load()
    node, _, port = (int(os.environ.pop(name)) for name in methods.PLACE_OF_SCRIPT)
    try:
        job, interpreter, directives = read_job(hostfile.read_hosts(settings.RUN / "hostfile"), argv)
    except (OSError, ValueError, rules.StepError) as error:
        log(str(error))
        return 1
    make_shims(srun.FOLDER / "bin")
    processes.adopt_orphans()
    if node:
        return join(run, job, node, port)
    setup = srun.Setup(job, "", port, read_secret(run) or control.make_word(), dict(os.environ))
    address, server = setup.listen(port)
    setup = setup._replace(address=address, port=server.getsockname()[1])
    setup.write()
    processes.fork(lambda: Agent(setup.connect(), 0).run())
    number = 1_000_000 + zlib.crc32(f"{run.namespace}/{run.run_name}".encode()) % 9_000_000
    os.environ.setdefault("SLURM_JOB_ID", str(number))  # the same after a restart, another one for another run
    os.environ.setdefault("SLURM_JOB_NAME", Path(argv[0]).name)
    os.environ.update(rules.make_job_variables(job, directives, os.environ, str(Path.cwd())))
    if "chdir" in directives:
        with contextlib.suppress(OSError):
            os.chdir(directives["chdir"])
    return Script(setup, server).run([*interpreter, *argv], run.start_timeout_seconds)
