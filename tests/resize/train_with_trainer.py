"""A training by the Hugging Face Trainer on CPUs, for tests of checkpoints that change the number of ranks.

The global batch is fixed: the steps of accumulation follow from the number of ranks. Rank 0 prints the losses.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import TensorDataset
from transformers import HfArgumentParser, Trainer, TrainerCallback, TrainingArguments

WIDTH, BATCH, MICRO, SAMPLES = 64, 24, 2, 240


class Classifier(torch.nn.Module):
    """A perceptron that returns its loss, as the Trainer wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, 10))

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"loss": torch.nn.functional.cross_entropy(self.layers(inputs), labels)}


class Printer(TrainerCallback):
    def on_log(self, _: Any, state: Any, __: Any, logs: dict[str, Any], **___: Any) -> None:
        if state.is_world_process_zero and "loss" in logs:
            print(json.dumps({"step": state.global_step - 1, "loss": logs["loss"]}), flush=True)


def collate(samples: list[Any]) -> dict[str, torch.Tensor]:
    inputs, labels = zip(*samples, strict=True)
    return {"inputs": torch.stack(inputs), "labels": torch.stack(labels)}


def main() -> None:
    folder, until, configuration, *decay = sys.argv[1:]
    torch.manual_seed(0)
    torch.set_num_threads(1)
    given = {
        "output_dir": folder,
        "max_steps": int(until),
        "save_steps": 5,
        "logging_steps": 1,
        "learning_rate": 0.01,
        "lr_scheduler_type": "constant",
        "weight_decay": float(decay[0] if decay else 0.1),
        "per_device_train_batch_size": MICRO,
        "gradient_accumulation_steps": BATCH // MICRO // int(os.environ["WORLD_SIZE"]),
        "use_cpu": True,
        "report_to": "none",
        "disable_tqdm": True,
        "deepspeed": configuration,
    }
    (arguments,) = HfArgumentParser(TrainingArguments).parse_dict(given)
    data = TensorDataset(torch.randn(SAMPLES, WIDTH), torch.randint(10, (SAMPLES,)))
    trainer = Trainer(Classifier(), arguments, train_dataset=data, data_collator=collate, callbacks=[Printer()])
    trainer.train(resume_from_checkpoint=any(Path(folder).glob("checkpoint-*")))
    torch.distributed.barrier()
    os._exit(0)


main()
