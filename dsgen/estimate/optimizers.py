"""Optimizers: the bytes of state that they keep for each trained parameter, beside the 32-bit copy of the weight."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Optimizer:
    """low, high: bytes of state for each parameter; they differ where they depend on the layers. ZeRO partitions
    weights as flat vectors, so factored optimizers cannot factor them and keep the whole second moment. temporary: the
    most bytes for each parameter that intermediate results need during a step, if it is not fused.
    """

    low: float
    high: float
    source: str
    temporary: float = 8


ADAM = Optimizer(8, 8, "two moments in 32 bits (ZeRO, arXiv 1910.02054, section 3.1)")
ADAM_8BIT = Optimizer(2, 2.2, "two moments in 8 bits and their scales (arXiv 2110.02861)")
ONE = Optimizer(4, 4, "one moment in 32 bits")
CPU_LION = Optimizer(8, 8, "two moments in 32 bits, of which one is not used (deepspeed/ops/lion/cpu_lion.py)")
MUON = Optimizer(2, 8, "momentum of matrices in 16 or 32 bits, Adam for the others (deepspeed/runtime/zero/muon)")
NONE = Optimizer(0, 4, "no state, or momentum in 32 bits", temporary=4)
UNKNOWN = Optimizer(0, 8, "not known: from none to the two moments of Adam")

BY_NAME: dict[str, Optimizer] = {
    **dict.fromkeys(("adam", "adamw", "fusedadam", "deepspeedcpuadam", "lamb", "fusedlamb", "muadam"), ADAM),
    **dict.fromkeys(("muadamw", "adamax", "nadam", "radam", "adadelta", "paged_adamw", "adamw_torch"), ADAM),
    **dict.fromkeys(("adamw_torch_fused", "adamw_hf", "onebitadam", "zerooneadam", "onebitlamb"), ADAM),
    **dict.fromkeys(("adam8bit", "adamw8bit", "adamw_8bit", "adamw_bnb_8bit", "paged_adamw_8bit"), ADAM_8BIT),
    **dict.fromkeys(("lion", "fusedlion", "adagrad", "rmsprop", "adafactor", "asgd"), ONE),
    "deepspeedcpulion": CPU_LION,
    **dict.fromkeys(("lion_8bit", "paged_lion_8bit"), Optimizer(1, 1.1, ADAM_8BIT.source)),
    **dict.fromkeys(("muon", "muonwithauxadam"), MUON),
    **dict.fromkeys(("sgd", "musgd"), NONE),
}
"""Names in lower case: of DeepSpeed's configuration, of torch, and of Hugging Face's `optim`."""
OFFLOADED = {"lion": "deepspeedcpulion"}
"""Names of which DeepSpeed creates an optimizer with other states, if it is offloaded."""


def find(name: str | None, momentum: float | None = None, is_offloaded: bool = False) -> Optimizer:
    """The optimizer of a name, or UNKNOWN. momentum: of optimizer.params, 0 if they do not have it; None if there are
    no params that are known. is_offloaded: whether DeepSpeed's configuration names the optimizer and offloads it.
    """
    name = (name or "").lower()
    found = BY_NAME.get(OFFLOADED.get(name, name) if is_offloaded else name, UNKNOWN)
    if found is NONE and momentum is not None:
        states = 4.0 if momentum else 0.0
        return replace(found, low=states, high=states)
    return found
