"""A training whose losses do not depend on the number of ranks, for tests of checkpoints that change it.

The samples of a step follow from its number, and the global batch is fixed. Rank 0 prints the loss of each step.
"""

import argparse
import json
import os
from pathlib import Path

import deepspeed
import torch
from deepspeed.moe.layer import MoE

WIDTH, BATCH = 64, 24


class Mixture(torch.nn.Module):
    """A layer of DeepSpeed's experts."""

    def __init__(self) -> None:
        super().__init__()
        self.moe = MoE(WIDTH, torch.nn.Linear(WIDTH, WIDTH), num_experts=2, ep_size=1)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.moe(inputs)[0]


def model(kind: str) -> torch.nn.Module:
    first, last = torch.nn.Linear(WIDTH, WIDTH * 2), torch.nn.Linear(WIDTH * 2, 10)
    middle = {
        "buffers": lambda: torch.nn.BatchNorm1d(WIDTH * 2),
        "frozen": lambda: torch.nn.Linear(WIDTH * 2, WIDTH * 2),
    }.get(kind, torch.nn.Identity)()
    if kind == "frozen":
        middle.requires_grad_(False)
    begin = [Mixture()] if kind == "experts" else []
    return torch.nn.Sequential(*begin, first, torch.nn.Tanh(), middle, last)


def groups(network: torch.nn.Module, kind: str) -> list[dict[str, object]]:
    """Parameter groups; of `groups` as in the Trainer: no weight decay for biases."""
    trained = [p for p in network.parameters() if p.requires_grad]
    if kind == "experts":
        from deepspeed.moe.utils import split_params_into_different_moe_groups_for_optimizer as split

        return list(split({"params": trained, "name": "all"}))
    if kind not in ("groups", "equal-groups"):
        return [{"params": trained}]
    decays = (0.1, 0.0) if kind == "groups" else (0.1, 0.1)
    parts = ([p for p in trained if p.dim() > 1], [p for p in trained if p.dim() == 1])
    return [{"params": part, "weight_decay": decay} for part, decay in zip(parts, decays, strict=True)]


def optimizer(network: torch.nn.Module, kind: str) -> torch.optim.Optimizer:
    makers = {
        "sgd": lambda given: torch.optim.SGD(given, lr=0.01, momentum=0.9),
        "adagrad": lambda given: torch.optim.Adagrad(given, lr=0.01),
        "amsgrad": lambda given: torch.optim.AdamW(given, lr=0.01, amsgrad=True),
    }
    make = makers.get(kind, lambda given: torch.optim.AdamW(given, lr=0.01, weight_decay=0.1))
    return make(groups(network, kind))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int)
    parser.add_argument("--kind", default="plain")
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--until", type=int, default=10)
    parser.add_argument("--save-every", type=int, default=5)
    parser.add_argument("--same-tag", action="store_true")
    given = deepspeed.add_config_arguments(parser).parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    deepspeed.init_distributed()
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    network = model(given.kind)
    engine, *_ = deepspeed.initialize(args=given, model=network, optimizer=optimizer(network, given.kind))
    first = 0
    if (given.checkpoints / "latest").exists():
        first = engine.load_checkpoint(str(given.checkpoints))[1]["step"]
    micro, pieces = engine.train_micro_batch_size_per_gpu(), engine.gradient_accumulation_steps()
    dtype = next(network.parameters()).dtype
    for step in range(first, given.until):
        drawn = torch.Generator().manual_seed(step)
        inputs, targets = torch.randn(BATCH, WIDTH, generator=drawn), torch.randint(10, (BATCH,), generator=drawn)
        total = torch.zeros(())
        for piece in range(pieces):
            at = (piece * world + rank) * micro
            batch = slice(at, at + micro)
            loss = torch.nn.functional.cross_entropy(engine(inputs[batch].to(dtype)).float(), targets[batch])
            engine.backward(loss)
            engine.step()
            total += loss.detach()
        torch.distributed.all_reduce(total)
        if rank == 0:
            print(json.dumps({"step": step, "loss": total.item() / world / pieces}), flush=True)
        if (step + 1) % given.save_every == 0:
            tag = "same" if given.same_tag else None
            engine.save_checkpoint(str(given.checkpoints), tag=tag, client_state={"step": step + 1})
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    os._exit(0)


main()
