"""A program with DeepSpeed's own options. --tensor-model-parallel-size: with an mpu, as Megatron has it; a YAML file
with pipe-parallel-size: with a PipelineModule, as GPT-NeoX has it. Other options of theirs do not matter here.
"""

import argparse
import json
from functools import partial
from typing import Any

import deepspeed
import torch
from deepspeed.pipe import PipelineModule
from torch.nn.functional import mse_loss


class Grid:
    """An mpu: all ranks share one copy of the model, so each has its own group for data."""

    def __init__(self) -> None:
        every = range(torch.distributed.get_world_size())
        whole, alone = torch.distributed.new_group(every), [torch.distributed.new_group([rank]) for rank in every]
        mine = alone[torch.distributed.get_rank()]
        for kind, group in (("model", whole), ("tensor_model", whole), ("data", mine)):
            setattr(self, f"get_{kind}_parallel_group", partial(lambda found: found, group))
            setattr(self, f"get_{kind}_parallel_rank", partial(torch.distributed.get_rank, group))
            setattr(self, f"get_{kind}_parallel_world_size", partial(torch.distributed.get_world_size, group))


def main() -> None:
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser(allow_abbrev=False))
    parser.add_argument("--local_rank", type=int)
    parser.add_argument("--save", required=True)
    parser.add_argument("--tensor-model-parallel-size", type=int, default=1)
    parser.add_argument("--conf", type=argparse.FileType(), help="YAML that is JSON, too")
    given, _ = parser.parse_known_args()
    stages = json.load(given.conf)["pipe-parallel-size"] if given.conf else 1

    deepspeed.init_distributed()
    torch.manual_seed(0)
    layers = [torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32), torch.nn.Linear(32, 1)]
    model: Any = torch.nn.Sequential(*layers)
    if stages > 1:
        model = PipelineModule(layers, num_stages=stages, loss_fn=mse_loss)
    mpu = Grid() if given.tensor_model_parallel_size > 1 else None
    engine, *_ = deepspeed.initialize(args=given, model=model, model_parameters=model.parameters(), mpu=mpu)
    engine.load_checkpoint(given.save)
    for step in range(engine.global_steps + 1, engine.global_steps + 4):
        rows = torch.randn(engine.train_micro_batch_size_per_gpu(), 8)
        batch = (rows, rows.sum(dim=1, keepdim=True))
        if stages > 1:
            loss = engine.train_batch(iter([batch]))
        else:
            loss = mse_loss(engine(batch[0]), batch[1])
            engine.backward(loss)
            engine.step()
        if engine.global_rank == 0:
            print({"step": step, "loss": round(loss.item(), 4)}, flush=True)
    engine.save_checkpoint(given.save)
    torch.distributed.destroy_process_group()


main()
