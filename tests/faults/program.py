"""A training without PyTorch, which starts within seconds: its ranks connect over TCP and do each step together.

Rank 0 prints each step and each checkpoint as one JSON line. The training resumes from the checkpoint, fails as its
arguments say, and writes a checkpoint on SIGTERM.
"""

import argparse
import contextlib
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

RANK = int(os.environ.get("RANK", os.environ.get("NODE_RANK", "0")))
WORLD = int(os.environ.get("WORLD_SIZE", os.environ.get("NNODES", "1")))
MASTER, PORT = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
HIDDEN = os.environ.get("PLANTED_IN_WORDS", "nothing")


def say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def reach(port: int) -> socket.socket:
    """Connect to rank 0, which may not listen yet."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection((MASTER, port), timeout=60)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def meet() -> list[socket.socket]:
    """Connections between the ranks: rank 0 has one to each other rank."""
    kept.append(socket.socket())
    with contextlib.suppress(OSError):  # torchrun's agent listens there
        kept[0].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if RANK == 0:
            kept[0].bind(("", PORT))
            kept[0].listen()
    kept.append(reach(PORT))  # like a process group, keep the connection to the rendezvous open
    if RANK == 0 and kept[0].getsockname()[1] == PORT:
        kept.extend(kept[0].accept()[0] for _ in range(WORLD))
    if RANK:
        return [reach(PORT + 1)]
    server = socket.create_server(("", PORT + 1))
    return [server.accept()[0] for _ in range(WORLD - 1)]


def exchange(others: list[socket.socket]) -> None:
    """One step, for which all ranks wait."""
    for other in others:
        other.settimeout(None)
        if RANK:
            other.sendall(b"s")
        if other.recv(1) == b"":
            raise ConnectionError("Connection closed by peer")
    for other in others if RANK == 0 else []:
        other.sendall(b"g")


def fail(how: str) -> None:
    print(f"rank {RANK} gives up", file=sys.stderr, flush=True)
    if how == "raise":
        raise RuntimeError(f"no data at https://user:{HIDDEN}@data.invalid/shard-7")
    if how == "memory":
        eaten = []
        while True:
            eaten.append(bytearray(16 << 20))
    if how == "hang":
        time.sleep(100000)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(int(how))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", "--local-rank")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--pause", type=float, default=0.4)
    parser.add_argument("--fail", default="", metavar="STEP:RANK:HOW")
    parser.add_argument("--hold", action="store_true", help="wait after a checkpoint until the file `go` exists")
    parser.add_argument("--once", action="store_true", help="fail in the first attempt only")
    given = parser.parse_args()
    folder = Path("/checkpoints")
    saved, failed = folder / "step", folder / "failed"
    first = int(saved.read_text()) if saved.exists() else 0
    step = first

    def stop(*_: object) -> None:
        if RANK == 0:
            saved.write_text(str(step))
            say(checkpoint=step, on="SIGTERM")
        os._exit(143)

    signal.signal(signal.SIGTERM, stop)
    others = meet()
    say(rank=RANK, world=WORLD, first=first)
    at, who, how = given.fail.split(":") if given.fail else ("-1", "-1", "")
    for step in range(first, given.steps if first < given.steps else first + given.steps):
        while given.hold and (first, step) == (0, 6) and not (folder / "go").exists():
            time.sleep(0.2)
        if (step, RANK) == (int(at), int(who)) and not (given.once and failed.exists()):
            failed.touch()
            fail(how)
        exchange(others)
        time.sleep(given.pause)
        if RANK == 0:
            say(step=step, loss=1.0 / (step + 1))
            if (step + 1) % 5 == 0:
                saved.write_text(str(step + 1))
                say(checkpoint=step + 1)


kept: list[socket.socket] = []
main()
