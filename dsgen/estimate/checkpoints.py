"""The bytes of a checkpoint of DeepSpeed, the time to save it, and the volume that keeps several."""

from __future__ import annotations

from dataclasses import dataclass

from dsgen.estimate.formulas import Bounds, Item, item
from dsgen.estimate.setup import Setup
from dsgen.estimate.symbols import symbols_of

SOURCE = "files of DeepSpeed 0.19.8, measured: bench/training"


@dataclass(frozen=True)
class Checkpoint:
    """low, high: bytes of a checkpoint. export: bytes of the weights alone, in the precision of the training. seconds:
    to save it. volume: bytes for those that are kept and the one that is being written.
    """

    low: float
    high: float
    items: tuple[Item, ...]
    export: float
    seconds: tuple[float, float] | None
    volume: float | None


def of(setup: Setup) -> Checkpoint | None:
    """The checkpoint of a job; None if the parameters, the precision or the stage are unknown.

    Stages 0 to 2 save the weights of the training and the states; stage 3 saves weights only in the states, except for
    frozen ones. Ranks of tensor parallelism save what they do not split, too.
    """
    given = setup.inputs
    if given.parameters is None or not setup.precision or not setup.config.data:
        return None
    held = symbols_of(setup)
    symbols: dict[str, Bounds] = {**held, "T": held["F"]}
    if setup.expert_ranks > 1:
        symbols["P"] = float(given.parameters) / setup.tensor
    weights = "w * (P - T) * t" if setup.stage == 3 else "w * P * t"
    items = [
        item("weights", weights, weights, symbols, SOURCE),
        item("optimizer", "(m + o) * T * t", "(m + o) * T * t", symbols, SOURCE),
    ]
    low, high = sum(one.low for one in items), sum(one.high for one in items)
    seconds = (low / given.storage, high / given.storage) if given.storage else None
    if given.storage is None:
        setup.lacks("storage", "the time to save a checkpoint")
    if given.keep is None:
        setup.lacks("keep", "the size of the volume for checkpoints")
    volume = high * (given.keep + 1) if given.keep is not None else None
    return Checkpoint(
        low, high, tuple(one for one in items if one.high), setup.weight * given.parameters, seconds, volume
    )
