"""The measured trainings of tests/data/measured_training.json beside their forecasts.

On CPUs, a rank's resident memory holds what an accelerator would hold and what is offloaded; both forecasts are added.
The processes themselves are not: resident memory is counted from the moment before the model is created. Buckets count
when they are written to, and pinned memory does not exist. Gloo has no reduce-scatter: it all-reduces, which sends
twice as much (reduce_scatter_tensor_coalesced of torch/csrc/distributed/c10d/ProcessGroupGloo.cpp).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgen.estimate import checkpoints, estimates, host, setup, traffic
from dsgen.estimate.formulas import REST
from dsgen.estimate.inputs import Inputs, add_model
from dsgen.estimate.parameters import make_model
from tests.estimate import jobs

DATA: dict[str, Any] = json.loads((Path(__file__).parent.parent / "data" / "measured_training.json").read_text())
FRAMING = 0.005
"""The share of a checkpoint that names, shapes and the framing of its files have."""


@dataclass(frozen=True)
class Compared:
    """One measured item, in bytes, with its forecast."""

    case: str
    what: str
    measured: float
    low: float
    high: float

    @property
    def is_inside(self) -> bool:
        """Whether the forecast holds."""
        return self.low <= self.measured <= self.high

    @property
    def error(self) -> float:
        """How far the measured value is outside of the range, as a share; 0 inside."""
        return max(self.low - self.measured, self.measured - self.high, 0.0) / self.measured

    @property
    def width(self) -> float:
        """The upper bound as a multiple of the lower one."""
        return self.high / self.low


def inputs_of(row: dict[str, Any]) -> Inputs:
    """What a user of this training would write below `estimate`."""
    said = Inputs(
        sequence=row["sequence"],
        recompute="full" if row.get("recompute") else "none",
        attention="standard" if row["attention"] == "eager" else "flash",
        kernels="standard",
        loss="standard",
        zero_init=bool(row.get("zero_init")),
        trainable=row["measured"]["trainable"],
    )
    return add_model(said, make_model(row["model"]))


def compared(row: dict[str, Any]) -> Iterator[Compared]:
    """The items of one training."""
    values = jobs.values(row["config"], 1, row["ranks"], accelerator={"count": 0})
    job = setup.make_setup(values, inputs_of(row))
    offloaded = [one for one in host.list_items(job, values, None) if "offloaded" in one.name]
    more = (sum(one.low for one in offloaded) / job.slots, sum(one.high for one in offloaded) / job.slots)
    sent, saved = jobs.known(traffic.estimate_traffic(job)), jobs.known(checkpoints.estimate_checkpoint(job))
    found, name = row["measured"], row["name"]

    def held(what: str, measured: float, *moments: list[str]) -> Compared:
        total = jobs.known(estimates.estimate_memory(job, *moments))
        return Compared(name, what, measured, total.low + more[0], total.high + more[1])

    yield held("memory between steps", found["idle"], [REST])
    yield held("memory of a step", found["peak"])
    scattered = [one for one in sent.items if one.name == "gradients" and job.stage == 3]
    low = sent.per_rank[0] + sum(one.low for one in scattered)
    high = sent.per_rank[1] + sum(one.high for one in scattered)
    yield Compared(name, "sent by a rank in a step", found["sent"] / job.slots, low, high)
    yield Compared(name, "checkpoint", found["checkpoint"], saved.low, saved.high * (1 + FRAMING))


def rows() -> list[Compared]:
    """All measured items."""
    return [one for row in DATA["rows"] for one in compared(row)]
