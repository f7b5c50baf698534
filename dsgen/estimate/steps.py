"""Seconds of a step: compute, network, offload and NVMe, and which of them is the bound."""

from __future__ import annotations

from dataclasses import dataclass

from dsgen.estimate.accelerators import PCIE_3
from dsgen.estimate.formulas import Bounds, Item, make_item
from dsgen.estimate.setup import Setup, compute_symbols
from dsgen.estimate.traffic import Traffic

SYMBOLS = {
    "O": "operations of a step, of all ranks",
    "R": "ranks",
    "f": "operations a second of a rank, at its peak",
    "u": "the share of the peak that is reached",
    "i": "bytes that a worker sends to others",
    "j": "bytes that a rank sends",
    "y": "bits a second of a worker's network, or bytes a second between the ranks of a worker",
    "a": "the share of a bandwidth that is reached",
    "k": "micro batches of a step",
    "h": "bytes a second between an accelerator and main memory",
    "S": "ranks of a worker",
    "c": "bytes of main memory that Adam reads and writes for a parameter",
    "B": "bytes a second of main memory, or of the disks",
}
"""Symbols of the items; others are in `setup.SYMBOLS`."""
UTILIZATION = (0.33, 0.66)
"""Of published trainings 0.41 to 0.66, with recomputation counted (tests/estimate/references.yaml); of others less."""
LINK_SHARE = 0.6
"""The least of a link's bandwidth that collectives reach, of large messages."""
DISK_SHARE = (0.9, 0.5)
"""The most and the least of a disk's bandwidth that DeepSpeed reaches; DeepNVMe's tutorial: 0.66 read, 0.74 written."""
ADAM_BYTES = 30
"""Bytes of main memory that Adam on the CPU reads and writes for a parameter: states, gradient, both weights."""
HOST_BANDWIDTH = (50e9, 200e9)
"""Bytes a second of main memory that Adam reaches: 50e9 by DeepSpeed's post on ZenFlow, 200e9 with 12 channels."""


@dataclass(frozen=True)
class Step:
    """low, high: seconds. bound: the item that takes longest. items: compute, network, offload, nvme; the network may
    overlap with compute, the others do not. tokens: of a step. tokens_per_second: low and high of the whole job. flops:
    of a step, of all ranks.
    """

    low: float
    high: float
    bound: str
    items: tuple[Item, ...]
    tokens: float
    tokens_per_second: tuple[float, float]
    flops: tuple[float, float]


@dataclass(frozen=True)
class TrainingLength:
    """The whole training. hours, accelerator_hours: low and high. cost: in the currency of the price."""

    steps: float
    hours: tuple[float, float]
    accelerator_hours: tuple[float, float]
    cost: tuple[float, float] | None


def count_flops(setup: Setup) -> tuple[float, float] | None:
    """Operations of a step, of all ranks (PaLM, arXiv 2204.02311, appendix B): 2 for each parameter and token in the
    forward pass, 2 for the gradients of activations, 2 for those of trained weights, and those of attention.
    """
    symbols = _compute_flops_symbols(setup)
    if symbols is None:
        return None
    passes = "n * ((2 + 2 * j + 2 * y) * A + (1 + j + y) * c / 3 * l * s * z + (2 * A + c / 3 * l * s * z) * x)"
    one = make_item("operations", passes, passes, symbols, "PaLM, appendix B")
    return one.low, one.high


def _compute_flops_symbols(setup: Setup) -> dict[str, Bounds] | None:
    given, samples = setup.inputs, setup.samples
    if not given.parameters or samples is None or given.sequence is None:
        return None
    active = float(given.active or given.parameters)
    trained = 1.0 if given.trainable is None else given.trainable / given.parameters
    again: Bounds = {"none": 0.0, "selective": 0.0, "full": 1.0}.get(given.recompute or "", (0.0, 1.0))
    width = float((given.heads or 0) * (given.head_dim or 0) or given.hidden or 0)
    return {
        "n": float(samples * given.sequence),
        "A": (max(0.0, active - (given.embedding or 0)), active),
        "y": trained,
        "j": 1.0 if trained == 1 else (0.0, 1.0),  # below the first trained layer, no gradients are computed
        "c": (6.0, 12.0),  # with a causal mask half of the scores are needed; Megatron and PaLM count all
        "l": float(given.layers or 0),
        "s": float(given.sequence),
        "z": width,
        "x": again,
    }


def estimate_step(setup: Setup, traffic: Traffic | None) -> Step | None:
    """The time of a step; None without tokens, operations of matrices, or the speed of the accelerator."""
    operations = count_flops(setup)
    if operations is None or not operations[0]:
        if setup.inputs.sequence is None:
            setup.note_missing("sequence", "tokens, FLOPs and time of a step")
        return None
    peak = setup.inputs.flops or (setup.accelerator.flops if setup.accelerator else None)
    if peak is None or setup.weight == 4:
        setup.note_missing("product" if peak is None else "flops", "the time of a step (peaks are those of 16 bits)")
        return None
    utilization = (setup.inputs.utilization,) * 2 if setup.inputs.utilization else (UTILIZATION[1], UTILIZATION[0])
    numbers: dict[str, Bounds] = {"O": operations, "R": setup.ranks, "f": peak * setup.of_device, "u": utilization}
    compute = make_item(
        "compute", "O / (R * f * u)", "O / (R * f * u)", numbers, "MFU: Korthikanti 2022, table 5; torchtitan"
    )
    others = [
        one for one in (_estimate_network(setup, traffic), *_estimate_offload(setup), _estimate_nvme(setup)) if one
    ]
    network = [other for other in others if other.name == "network"]
    added = [one for one in others if one.name != "network"]
    low = max([compute.low, *(one.low for one in network)]) + sum(one.low for one in added)
    high = compute.high + sum(one.high for one in others)
    items = (compute, *others)
    tokens = float((setup.samples or 0) * (setup.inputs.sequence or 0))
    bound = max(items, key=lambda one: one.low + one.high).name
    return Step(low, high, bound, items, tokens, (tokens / high, tokens / low), operations)


def _estimate_network(setup: Setup, traffic: Traffic | None) -> Item | None:
    if traffic is None or not traffic.per_rank[1]:
        return None
    if setup.workers > 1 and setup.inputs.network is None:
        setup.note_missing("network", "the time of communication between workers")
    between = 8 * traffic.per_worker[1] / setup.inputs.network if setup.inputs.network else 0.0
    accelerator = setup.accelerator
    link = setup.inputs.link or (accelerator and (accelerator.link or accelerator.host))
    within = traffic.per_rank[1] / link if link else 0.0
    sums: dict[str, Bounds] = {"i": traffic.per_worker, "j": traffic.per_rank}
    if not max(between, within):
        return None
    slower = between >= within
    formula = "8 * i / (y * a)" if slower else "j / (y * a)"
    speed = setup.inputs.network if slower else link
    numbers: dict[str, Bounds] = {**sums, "y": speed or 1.0, "a": (1.0, LINK_SHARE)}
    return make_item(
        "network", formula, formula, numbers, "bytes by the slower of the links: between or within workers"
    )


def _estimate_offload(setup: Setup) -> list[Item]:
    if setup.optimizer_device == "none" and setup.parameter_device == "none":
        return []
    symbols = compute_symbols(setup)
    host = setup.inputs.host_link or (setup.accelerator.host if setup.accelerator else PCIE_3)
    numbers = {**symbols, "k": setup.accumulation or 1, "h": host, "a": (1.0, LINK_SHARE), "S": setup.slots}
    items = []
    if setup.optimizer_device != "none":
        memory = setup.inputs.memory_bandwidth
        reached = (memory, memory * 0.5) if memory else (HOST_BANDWIDTH[1], HOST_BANDWIDTH[0])
        own = {**numbers, "B": reached, "c": ADAM_BYTES}
        source = "DeepSpeed, blogs/deepspeed-zenflow: 4 s for Llama-2-7B on 4 A100"
        update = "r * c * F / D * S / B"
        items.append(make_item("offload: optimizer on the CPU", update, update, own, source))
        copy = "r * (g * k + w) * F / D / (h * a)"
        items.append(make_item("offload: gradients and weights", "r * w * F / D / (h * a)", copy, own, source))
    if setup.parameter_device != "none":
        copy = "2 * k * w * P / Z / (h * a)"
        items.append(
            make_item("offload: weights", copy, copy, numbers, "each gather copies a rank's part from the host")
        )
    return items


def _estimate_nvme(setup: Setup) -> Item | None:
    if "nvme" not in (setup.optimizer_device, setup.parameter_device):
        return None
    if setup.inputs.nvme is None:
        setup.note_missing("nvme", "the time that states on NVMe take")
        return None
    of_states = "2 * (m + o) * F / D * S" if setup.optimizer_device == "nvme" else "0"
    of_weights = "2 * k * w * P / Z * S" if setup.parameter_device == "nvme" else "0"
    formula = f"({of_states} + {of_weights}) / (B * a)"
    numbers = {
        **compute_symbols(setup),
        "k": setup.accumulation or 1,
        "S": setup.slots,
        "B": setup.inputs.nvme,
        "a": DISK_SHARE,
    }
    source = "DeepSpeed, tutorial DeepNVMe: 0.66 to 0.74 of the data sheet"
    return make_item("nvme", formula, formula, numbers, source)


def estimate_run(setup: Setup, step: Step | None) -> TrainingLength | None:
    """The whole training; None without tokens to train, or without the time of a step."""
    if setup.inputs.tokens is None:
        setup.note_missing("tokens", "hours of the whole training")
        return None
    if step is None or not step.tokens:
        return None
    steps = setup.inputs.tokens / step.tokens
    hours = (steps * step.low / 3600, steps * step.high / 3600)
    devices = setup.ranks * setup.of_device
    spent = (hours[0] * devices, hours[1] * devices)
    price = setup.inputs.price
    if price is None:
        setup.note_missing("price", "the cost of the training")
    return TrainingLength(steps, hours, spent, None if price is None else (spent[0] * price, spent[1] * price))
