"""A program that says what every rank sees: its numbers, its arguments and some variables. All ranks meet first."""

import json
import os
import sys
import time

import torch
import torch.distributed as dist

for name, mpi in {"RANK": "RANK", "WORLD_SIZE": "SIZE", "LOCAL_RANK": "LOCAL_RANK"}.items():
    os.environ.setdefault(name, os.environ.get(f"OMPI_COMM_WORLD_{mpi}", ""))
dist.init_process_group("gloo")
shown = sys.argv.index("--show")
total = torch.ones(1)
dist.all_reduce(total)
seen = {
    "rank": dist.get_rank(),
    "world": dist.get_world_size(),
    "local": int(os.environ["LOCAL_RANK"]),
    "met": int(total),
    "arguments": sys.argv[1:shown] + sys.argv[shown + 2 :],
    "env": {name: os.environ.get(name) for name in sys.argv[shown + 1].split(",")},
}
os.write(1, f"{json.dumps(seen)}\n".encode())  # at once, because mpirun and pdsh mix the output of the ranks
time.sleep(4)  # as long as dsgen needs to see that the ranks are connected
dist.destroy_process_group()
