"""The bytes of a checkpoint of DeepSpeed, the time to save it, and the volume that keeps several."""

from __future__ import annotations

from dataclasses import dataclass

from dsgen.estimate.formulas import Bounds, Item, make_item
from dsgen.estimate.setup import Setup, compute_symbols

SOURCE = "files of DeepSpeed 0.19.8, measured: bench/training"
CONVERTER = "deepspeed/checkpoint/ds_to_universal.py"
CONVERTED = 2e8
"""Bytes per second of a conversion on a local disk (measured on two CPUs: 2.4 to 3 GB in 14 to 16 s)."""


@dataclass(frozen=True)
class CheckpointConversion:
    """item: the bytes at its peak. seconds: on a local disk."""

    item: Item
    seconds: float


@dataclass(frozen=True)
class CheckpointSize:
    """low, high: bytes of a checkpoint. export: bytes of the weights alone, in the precision of the training. seconds:
    to save it. conversion: for another number of ranks. volume: bytes for those that are kept, the one that is being
    written, and the conversion.
    """

    low: float
    high: float
    items: tuple[Item, ...]
    export: float
    seconds: tuple[float, float] | None
    conversion: CheckpointConversion | None
    volume: float | None


def estimate_checkpoint(setup: Setup) -> CheckpointSize | None:
    """The checkpoint of a job; None if the parameters, the precision or the stage are unknown.

    Stages 0 to 2 save the weights of the training and the states; stage 3 saves weights only in the states, except for
    frozen ones. Ranks that share a copy save what they do not split, too.
    """
    given = setup.inputs
    if given.parameters is None or not setup.precision or not setup.config.data:
        return None
    held = compute_symbols(setup)
    symbols: dict[str, Bounds] = {**held, "T": held["F"], "t": setup.split}
    if setup.expert_ranks > 1:
        symbols["P"] = float(given.parameters) / setup.split
    weights = "w * (P - T) * t" if setup.stage == 3 else "w * P * t"
    items = [
        make_item("weights", weights, weights, symbols, SOURCE),
        make_item("optimizer", "(m + o) * T * t", "(m + o) * T * t", symbols, SOURCE),
    ]
    low, high = sum(item.low for item in items), sum(item.high for item in items)
    seconds = (low / given.storage, high / given.storage) if given.storage else None
    if given.storage is None:
        setup.note_missing("storage", "the time to save a checkpoint")
    if given.keep is None:
        setup.note_missing("keep", "the size of the volume for checkpoints")
    conversion = _estimate_conversion(symbols) if setup.resizes else None
    converted = conversion.item.high if conversion else 0
    volume = high * (given.keep + 1) + converted if given.keep is not None else None
    export, shown = setup.weight * given.parameters, tuple(one for one in items if one.high)
    return CheckpointSize(low, high, shown, export, seconds, conversion, volume)


def _estimate_conversion(symbols: dict[str, Bounds]) -> CheckpointConversion:
    size = "24 * T * t + w * P * t"  # fragments and merged states, of three numbers with four bytes each
    made = make_item("conversion for other ranks", size, size, symbols, CONVERTER)
    return CheckpointConversion(made, made.high / CONVERTED)
