"""Runs a script for sbatch as Slurm does (launch.method slurm-script): once, with the variables of a batch shell.

`srun` and the other programs of a cluster are in PATH. Each bash reads a file that puts them there and finds them
later, since `bash -l` sets PATH anew. Functions would not do: after `srun ... &`, $! must be srun.

srun.py asks here for a step: it owns the node unless it asks for less, and others wait until what they need is free.
The code of the script is that of the run; if it is 0 although the last step failed, that of the step.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import zlib
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))  # the folder of the packages, behind those of Python
    from shared import compiled

    compiled.use()

from shared import hostfile, methods, processes, settings, slurm

END_SECONDS = 5  # for what the script has left running
ALWAYS = ("srun", "scontrol", "sbatch", "salloc", "squeue", "sinfo", "sacct", "sacctmgr", "sstat", "scancel", "sbcast")
IF_MISSING = ("module", "ml", "conda", "mamba", "micromamba", "singularity", "apptainer", "shifter")
"""What the shim replaces: always, and in an image that does not have it."""
PROGRAM = "#!/bin/bash\nexec '{}' -ESs '{}/{}' \"$@\"\n"
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


def say(words: str) -> None:
    sys.stderr.write(f"[dsgen] {words}\n")
    sys.stderr.flush()


class Client:
    """The connection of one srun, with what its step uses."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.received = connection, b""
        self.asked: dict[str, Any] = {}  # it waits for a step
        self.step, self.cpus = -1, 0
        self.devices: list[int] | None = None
        self.is_told = False  # that it waits

    def send(self, **message: Any) -> None:
        with contextlib.suppress(OSError):
            self.connection.sendall(json.dumps(message).encode() + b"\n")


class Script:
    """The script, and the steps that it creates."""

    def __init__(self, job: slurm.Job) -> None:
        self.job = job
        self.clients: dict[int, Client] = {}  # by descriptor, in the order of the requests
        self.steps = 0
        self.last, self.failure = -1, 0  # the step that was created last, of those that have ended, and its code
        self.pid, self.stopped, self.is_stopped = 0, 0, False
        self.refusal = ""
        path = settings.RUN / slurm.SOCKET
        with contextlib.suppress(FileNotFoundError):  # of an attempt before
            path.unlink()
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(path))
        self.server.listen(64)
        self.wake = processes.open_wakeup_pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: self.stop(number))

    def run(self, argv: list[str]) -> int:
        """Start the script, and serve its steps until it has ended; returns the exit code of the run."""
        self.pid = processes.spawn(argv, new_session=True)
        code, listening = None, self.server.fileno()
        while code is None:
            ready = select.select([listening, self.wake, *self.clients], [], [])[0]
            if self.wake in ready:
                os.read(self.wake, 512)
            if listening in ready:
                connection = self.server.accept()[0]
                self.clients[connection.fileno()] = Client(connection)
            for descriptor in [one for one in ready if one in self.clients]:
                self.read(self.clients[descriptor])
            self.create_steps()
            if self.stopped and all(client.step < 0 for client in self.clients.values()):
                processes.send([self.pid], self.stopped)  # the shell, after its tasks
                self.stopped = 0
            code = slurm.REFUSED if self.refusal else processes.reap().get(self.pid)
        if self.refusal:
            say(f"{self.refusal}: not known here, so the script ends")
            processes.kill(lambda: processes.list_descendants(os.getpid()))
        processes.end(os.getpid(), None, END_SECONDS)
        if code == 0 and self.failure:
            say(f"the script ended with 0, but its last step with {self.failure}, which is the result")
        return code or self.failure

    def stop(self, number: int) -> None:
        """End the tasks, and then the shell; no step begins any more."""
        self.stopped, self.is_stopped = number, True
        for client in [one for one in self.clients.values() if one.step >= 0]:
            client.send(signal=number)

    def read(self, client: Client) -> None:
        """Take what an srun says."""
        data = b""
        with contextlib.suppress(OSError):
            data = client.connection.recv(65536)
        *lines, client.received = (client.received + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            self.refusal = self.refusal or message.get("refused", "")
            if "code" in message and client.step > self.last:
                self.last, self.failure = client.step, message["code"]
            elif "cpus" in message:
                client.asked = message
        if not data:
            del self.clients[client.connection.fileno()]
            client.connection.close()

    def create_steps(self) -> None:
        """Create the steps for which there is room, in the order in which they were asked for."""
        for client in [one for one in self.clients.values() if one.asked]:
            used = sum(one.cpus for one in self.clients.values())
            devices = self.choose_devices(client.asked)
            if self.is_stopped:
                client.send(error="stopped")
            elif used + client.asked["cpus"] <= max(self.job.cpus, used) and devices is not False:
                client.cpus, client.devices, client.step = client.asked["cpus"], devices, self.steps
                self.steps += 1
                client.send(step=client.step, devices=devices)
            else:
                if not client.is_told:
                    client.send(waits=True)
                client.is_told = True
                continue
            client.asked = {}

    def choose_devices(self, asked: dict[str, Any]) -> Any:
        """The GPUs of a step; None for all of them, False if too few are free."""
        count, every = asked["gpus"], list(range(self.job.gpus))
        if count is None:
            return None
        used = {device for client in self.clients.values() if client.cpus for device in client.devices or []}
        free = [device for device in every if device not in used] if asked["cpus"] else every
        return free[:count] if len(free) >= count else False


def make_shims(folder: Path) -> None:
    """Write the programs of the shim, and let each bash find them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ALWAYS + IF_MISSING:
        if name in ALWAYS or not (f"BASH_FUNC_{name}%%" in os.environ or methods.find_program(name)):
            program = "shared/srun.py" if name == "srun" else f"worker/cluster_programs.py' '{name}"
            (folder / name).write_text(PROGRAM.format(sys.executable, settings.SCRIPTS, program))
            (folder / name).chmod(0o755)
    for name in ("activate", "deactivate"):  # what `source activate ENVIRONMENT` reads
        if not methods.find_program(name):
            (folder / name).write_text(ACTIVATE.format(name))
    given = os.environ.get("BASH_ENV", "")
    (folder.parent / "found.sh").write_text(FOUND.format(folder) + (f". '{given}'\n" if given else ""))
    os.environ.update(BASH_ENV=str(folder.parent / "found.sh"))
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def read_interpreter(text: str) -> list[str]:
    """The words after #!, as the kernel reads them: a file of a ConfigMap may not be executable."""
    first = text.partition("\n")[0]
    words = first[2:].strip().split(maxsplit=1)
    if not first.startswith("#!") or not words:
        raise slurm.StepError("the first line of the script must begin with #! and the path to a shell")
    return words


def main(argv: list[str]) -> int:
    run = settings.load()
    folder = settings.RUN / Path(slurm.SOCKET).parent
    folder.mkdir(exist_ok=True)
    try:
        text = Path(argv[0]).read_text(encoding="utf-8", errors="replace")
        interpreter, directives = read_interpreter(text), slurm.read_directives(text)
        (node,) = hostfile.read_hosts(settings.RUN / "hostfile")
        job = slurm.make_job(node, directives, len(os.sched_getaffinity(0)))
    except (OSError, ValueError, slurm.StepError) as error:
        say(str(error))
        return 1
    (settings.RUN / slurm.JOB).write_text(json.dumps(job))
    for name in methods.PLACE_OF_SCRIPT:
        os.environ.pop(name, None)
    number = 1_000_000 + zlib.crc32(f"{run.namespace}/{run.run_name}".encode()) % 9_000_000
    os.environ.setdefault("SLURM_JOB_ID", str(number))  # the same after a restart, another one for another run
    os.environ.setdefault("SLURM_JOB_NAME", Path(argv[0]).name)
    os.environ.update(slurm.make_job_variables(job, directives, os.environ, str(Path.cwd())))
    make_shims(folder / "bin")
    if "chdir" in directives:
        with contextlib.suppress(OSError):
            os.chdir(directives["chdir"])
    processes.adopt_orphans()
    return Script(job).run([*interpreter, *argv])


if __name__ == "__main__":
    processes.leave(main(sys.argv[1:]))
