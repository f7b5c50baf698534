"""What an accelerator holds: weights, gradients, optimizer, gathered layers and buckets, activations, logits, context.

Each item is a range: no run that is described completely holds less than the lower bound.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from dsgen.estimate import activations, states
from dsgen.estimate.formulas import GIB, MOMENTS, Item, Total, compute_total
from dsgen.estimate.setup import Setup
from dsgen.estimate.symbols import compute_model_symbols, compute_symbols

CONTEXT = (0.1 * GIB, 3 * GIB)
"""Kernels of CUDA or ROCm, and buffers of NCCL; ml-engineering, training/performance: 0.5 to 1.8 without NCCL."""
FRAGMENTATION = 0.10
"""The most that the allocator loses, as a share of the rest."""
ON_CPUS = 0.07
"""The same for the allocator of a CPU and what libraries keep, measured: bench/training."""


def estimate_memory(setup: Setup, moments: Collection[str] = MOMENTS) -> Total | None:
    """What an accelerator holds at that of the moments at which it holds most.

    None if the parameters, the precision or the stage are unknown.
    """
    items = list_items(setup)
    return _add_fragmentation(setup, compute_total(items, moments)) if items else None


def _add_fragmentation(setup: Setup, held: Total) -> Total:
    share = ON_CPUS if setup.is_cpu else FRAGMENTATION
    lost = share * held.high
    source = "bench/training" if setup.is_cpu else "5 to 10 %: EleutherAI, Transformer Math 101"
    rest = Item("fragmentation", 0, lost, f"0 to {share} * the rest", f"0 to {share} * {held.high:.4g}", source)
    return replace(held, high=held.high + lost, items=(*held.items, rest))


def list_items(setup: Setup) -> list[Item]:
    """What an accelerator holds at all moments, without fragmentation."""
    if setup.inputs.parameters is None or not setup.precision or not setup.config.data:
        return []
    symbols = compute_symbols(setup)
    items = [*states.list_items(setup, symbols), *activations.list_items(setup, symbols)]
    if not setup.is_cpu:
        source = "ml-engineering, training/performance: kernels of CUDA; buffers of NCCL"
        items.append(Item("context", *CONTEXT, "0.1 GiB to 3 GiB", "0.1 GiB to 3 GiB", source))
    return [one for one in items if one.high > 0]


def is_complete(setup: Setup) -> bool:
    """Whether nothing is missing that the upper bound needs."""
    symbols = compute_model_symbols(setup)
    return all(name in symbols for name in "bshlv") and bool(setup.precision) and setup.inputs.parameters is not None
