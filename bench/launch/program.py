"""The training of the comparison: all ranks connect to rank 0, which prints when they have met and when they end.

It uses no library, so that what is measured is the launch.
"""

import os
import socket
import time

HOLD_SECONDS = 1.0
RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "NODE_RANK", "PET_NODE_RANK", "JOB_COMPLETION_INDEX")
WORLDS = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "NNODES", "PET_NNODES")
ADDRESSES = ("MASTER_ADDR", "PET_MASTER_ADDR")
PORTS = ("MASTER_PORT", "PET_MASTER_PORT")


def given(names, default=None):
    """The first of these variables that is set: launchers name them differently."""
    return next((os.environ[name] for name in names if os.environ.get(name)), default)


def lead(world, port):
    with socket.create_server(("", port), backlog=1024) as server:
        others = [server.accept()[0] for _ in range(world - 1)]
    print(f"MET {world} {time.time():.3f}", flush=True)
    time.sleep(HOLD_SECONDS)
    for other in others:
        other.close()
    print(f"END {time.time():.3f}", flush=True)


def follow(address, port):
    while True:
        try:
            leader = socket.create_connection((address, port), timeout=600)
        except OSError:
            time.sleep(0.1)
        else:
            leader.recv(1)  # returns when rank 0 ends
            return


def main():
    rank, world = int(given(RANKS, 0)), int(given(WORLDS))
    # torchrun's own store listens on the master port.
    port = int(given(PORTS, 29500)) + ("TORCHELASTIC_USE_AGENT_STORE" in os.environ)
    if rank == 0:
        lead(world, port)
    else:
        follow(given(ADDRESSES), port)


main()
