"""A loop of its own with accelerate: accelerated.py FOLDER."""

import sys
from pathlib import Path

import torch
from accelerate import Accelerator, PartialState
from torch.utils.data import DataLoader

PartialState(cpu=True)  # before the Accelerator, which makes no process group on CPUs by itself
accelerator, folder = Accelerator(), Path(sys.argv[1])
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
rows = DataLoader(torch.randn(12, 8), batch_size=2)
model, optimizer, rows = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), rows)
if folder.exists():
    accelerator.load_state(folder)
for batch in rows:
    loss = torch.nn.functional.mse_loss(model(batch), batch.sum(dim=1, keepdim=True))
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    if accelerator.is_main_process:
        print({"step": model.global_steps, "loss": round(loss.item(), 4)}, flush=True)
accelerator.save_state(folder)
accelerator.end_training()
