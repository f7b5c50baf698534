"""One attempt: deepspeed with its pdsh and ssh children in a process group of their own, and what they print."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import settings
from output import Output

HOSTFILE = "/job/hostfile"
RANK_PROGRAM = "/etc/dsgen/rank.py"
LINE_BYTES = 1 << 16
PDSH_FANOUT = 1024  # deepspeed's own; sessions stay open, so more workers than this would wait for ever
# deepspeed hands these on to the ranks, and pdsh and a shell read them again. The workers have them already, unharmed.
FORWARDED = ("MLFLOW", "MV2", "UCX", "NCCL")
TOOLS = ("deepspeed", "pdsh", "ssh", "ssh-keygen")


def missing_tools() -> list[str]:
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def command(configured: settings.Settings, hosts: list[str]) -> list[str]:
    """The deepspeed command line. No argument of the user's is in it: rank.py reads them from a file."""
    more = [f"--launcher_args=-f {len(hosts)}"] if len(hosts) > PDSH_FANOUT else []
    master = ["--master_addr", hosts[0], "--master_port", str(configured.master_port)]
    return [
        "deepspeed",
        "--hostfile",
        HOSTFILE,
        "--force_multi",
        *master,
        *more,
        "--no_python",
        "--no_local_rank",
        RANK_PROGRAM,
    ]


def environment(folder: Path) -> dict[str, str]:
    """deepspeed's environment, with the shim in `folder`/bin as its pdsh."""
    links = folder / "bin"
    links.mkdir(exist_ok=True)
    shim = links / "pdsh"
    real = shutil.which("pdsh") or "pdsh"
    if not shim.is_symlink():
        shim.symlink_to(settings.CONFIG / "pdsh.sh")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FORWARDED)}
    return dict(kept, PATH=f"{links}{os.pathsep}{os.environ.get('PATH', os.defpath)}", DSGEN_PDSH=real)


class Training:
    """The running process. Its output goes to the log line by line, and what it says is learned by `output`."""

    def __init__(self, argv: list[str], env: dict[str, str], output: Output) -> None:
        self.output = output
        self.process = subprocess.Popen(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._pump = threading.Thread(target=self._forward, daemon=True)
        self._pump.start()

    def code(self) -> int | None:
        """None while it runs; 128 + n when a signal ended it."""
        code = self.process.poll()
        return code if code is None or code >= 0 else 128 - code

    def kill(self) -> None:
        """End the whole group: every ssh connection goes, and with it each session on the workers."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def finish(self) -> None:
        """Read what is left of the output; a stranger that holds the pipe open is not waited for long."""
        self._pump.join(5)

    def _forward(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in iter(lambda: lines.readline(LINE_BYTES), b""):
                sys.stdout.buffer.write(self.output.take(line))
                sys.stdout.buffer.flush()
