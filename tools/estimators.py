"""DeepSpeed's own estimates of model states, to the last byte, and where they mean something else than dsgen's.

`estimate_zero2_model_states_mem_needs` of deepspeed/runtime/zero/stage_1_and_2.py and
`estimate_zero3_model_states_mem_needs` of deepspeed/runtime/zero/stage3.py, of DeepSpeed 0.19.8. Both assume Adam, 16
bits, and count neither buckets nor gathered layers nor activations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FACTOR = 1.5
"""DeepSpeed's allowance for buffers of main memory."""
DIFFERENCES: dict[str, str] = {
    "stage 2, optimizer offloaded, host": (
        "the function takes 4 bytes for each parameter and GPU of all nodes; a node loads only the copies of its own"
        " GPUs and holds its share of the states, as DeepSpeed's documentation says (docs/code-docs/source/memory.rst)"
    ),
    "stage 2, host": "memory in which the model is loaded, which is free again when the training starts",
    "stage 3, GPU": (
        "the 18 bytes of a parameter have no place for the weight in 16 bits, which the GPU holds as well (the 2 bytes"
        " of stage 2); dsgen adds them"
    ),
}
"""What the functions compute -> how it differs from what dsgen computes, and why."""


@dataclass(frozen=True)
class Needs:
    """Bytes of main memory of a node, and of a GPU."""

    host: int
    gpu: int


def zero2(parameters: int, slots: int, nodes: int, offload: bool) -> Needs:
    """DeepSpeed's estimate for stage 2; slots: the GPUs of a node."""
    ranks = slots * nodes
    if offload:
        return Needs(int(parameters * max(4 * ranks, 16) * FACTOR), int(2 * parameters))
    return Needs(int(parameters * 4 * slots * FACTOR), 2 * parameters + int(18 * parameters / ranks))


def zero3(
    parameters: int, largest: int, slots: int, nodes: int, offload: Literal["none", "optimizer", "both"], init: bool
) -> Needs:
    """DeepSpeed's estimate for stage 3. init: the model is created under zero.Init."""
    ranks, loading = slots * nodes, 4 * slots
    kept = {"none": 18, "optimizer": 2, "both": 0}[offload]
    moved = {"none": 0, "optimizer": 16, "both": 18}[offload]
    gpu = 4 * largest + int(kept * parameters / ranks)
    if offload == "none":
        return Needs(int((largest if init else parameters) * loading * FACTOR), gpu)
    share = moved * (1 / nodes)
    return Needs(int(parameters * (share if init else max(loading, share)) * FACTOR), gpu)
