"""Lightning with DeepSpeedStrategy, which refuses CPUs; what is behind that works: fit.py CONFIGURATION FOLDER."""

import sys
from pathlib import Path

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.strategies import DeepSpeedStrategy
from torch.utils.data import DataLoader

configuration, folder = sys.argv[1], Path(sys.argv[2])
last = folder / "last.ckpt"


class OnCPUs(DeepSpeedStrategy):
    """Without the checks that the accelerator is CUDA, and that each rank has a GPU."""

    root_device = torch.device("cpu", 0)  # the index is the local rank

    def setup_environment(self) -> None:
        self.accelerator.setup_device(self.root_device)
        self.set_world_ranks()
        self._init_deepspeed_distributed()


class Module(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))

    def training_step(self, batch: torch.Tensor, _: int) -> torch.Tensor:
        loss = torch.nn.functional.mse_loss(self.net(batch), batch.sum(dim=1, keepdim=True))
        if self.global_rank == 0:
            print({"step": self.global_step + 1, "loss": round(loss.item(), 4)}, flush=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters())


lightning.seed_everything(0)
trainer = lightning.Trainer(
    accelerator="cpu",
    devices=1,
    num_nodes=2,
    max_epochs=2 if last.exists() else 1,
    strategy=OnCPUs(config=configuration),
    callbacks=[ModelCheckpoint(dirpath=folder, save_last=True)],
    logger=False,
    enable_progress_bar=False,
)
trainer.fit(Module(), DataLoader(torch.randn(12, 8), batch_size=2), ckpt_path=last if last.exists() else None)
