"""A small real training: scikit-learn's digits, a perceptron, DeepSpeed with the job's configuration.

Every rank prints one JSON line when it begins, rank 0 one for each step and each checkpoint. It resumes from the
checkpoint that `latest` names. The same number of ranks always gives the same losses, whoever runs it and however often
it is interrupted.
"""

import argparse
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

import deepspeed
import numpy
import torch
from sklearn.datasets import load_digits

TOKENS = ("/var/run/secrets/dsgen", "/var/run/secrets/kubernetes.io")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int)
    parser.add_argument("--checkpoints", type=Path, help="folder of the checkpoints; none: do not save")
    parser.add_argument("--save-every", type=int, default=5, metavar="STEPS")
    parser.add_argument("--steps", type=int, default=20, help="steps of this run, after those of a checkpoint")
    parser.add_argument("--until", type=int, help="end before this step instead")
    parser.add_argument("--pause", type=float, default=0, help="seconds between steps when it begins at step 0")
    parser.add_argument("--pace", type=float, default=0, help="seconds between all steps")
    parser.add_argument("--fail", metavar="STEP:RANK:CODE", help="this rank exits with this code at this step")
    parser.add_argument(
        "--hang", metavar="STEP:RANK", help="this rank sleeps for ever before this step, the first time"
    )
    parser.add_argument("--kill", metavar="STEP:RANK", help="this rank kills itself before this step, the first time")
    parser.add_argument("--memory", action="store_true", help="every rank prints its peak memory after each step")
    parser.add_argument("--note", default="", help="printed as it came")
    return deepspeed.add_config_arguments(parser).parse_args()


def say(**facts: object) -> None:
    """Write one line at once: two ranks may share a pipe."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def fail_if_asked(asked: str | None, step: int, rank: int) -> None:
    if asked is None:
        return
    at, who, code = map(int, asked.split(":"))
    if (at, who) == (step, rank):
        print(f"rank {rank} gives up at step {step}", file=sys.stderr, flush=True)
        os._exit(code)


def hang_if_asked(asked: str | None, step: int, rank: int, first: int) -> None:
    while asked == f"{step}:{rank}" and first == 0:
        time.sleep(1)


def kill_if_asked(asked: str | None, step: int, rank: int, first: int) -> None:
    if asked == f"{step}:{rank}" and first == 0:
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    given = options()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    deepspeed.init_distributed()
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    digits, labels = load_digits(return_X_y=True)
    inputs, targets = torch.tensor(digits / 16, dtype=torch.float32), torch.tensor(labels)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    engine, *_ = deepspeed.initialize(args=given, model=model, model_parameters=model.parameters())

    first = 0
    if given.checkpoints and (given.checkpoints / "latest").exists():
        first = engine.load_checkpoint(str(given.checkpoints))[1]["step"]
    tokens = [path for path in TOKENS if Path(path).exists()]
    say(
        rank=rank,
        world=world,
        zero=engine.zero_optimization_stage(),
        uid=os.getuid(),
        first=first,
        tokens=tokens,
        note=given.note,
        setting=os.environ.get("SETTING"),
    )

    dtype = next(engine.parameters()).dtype
    micro = engine.train_micro_batch_size_per_gpu()
    for step in range(first, given.until or first + given.steps):
        fail_if_asked(given.fail, step, rank)
        hang_if_asked(given.hang, step, rank, first)
        kill_if_asked(given.kill, step, rank, first)
        shuffled = numpy.random.default_rng(step).permutation(len(inputs))
        batch = shuffled[rank * micro : (rank + 1) * micro]
        loss = torch.nn.functional.cross_entropy(engine(inputs[batch].to(dtype)).float(), targets[batch])
        engine.backward(loss)
        engine.step()
        mean = loss.detach().clone()
        torch.distributed.all_reduce(mean)
        if rank == 0:
            say(step=step, loss=round(mean.item() / world, 6))
        if given.memory:
            say(memory=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        if given.checkpoints and (step + 1) % given.save_every == 0:
            engine.save_checkpoint(str(given.checkpoints), client_state={"step": step + 1})
            if rank == 0:
                say(checkpoint=step + 1)
        time.sleep(given.pace or (given.pause if first == 0 else 0))
    torch.distributed.destroy_process_group()
    os._exit(0)  # threads of torch that are left may abort a process that frees its modules


main()
