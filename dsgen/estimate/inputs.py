"""What an estimate needs beside the values of a job: the section `estimate`, as numbers.

Nothing is guessed: what is None is unknown, and what depends on it is named in `Estimate.missing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from dsgen.estimate.quantities import UnitError, parse_bandwidth, parse_bytes
from dsgen.schema import MISSING, look_up

if TYPE_CHECKING:
    from dsgen.estimate.parameters import Model

Recompute = Literal["none", "selective", "full"]


@dataclass(frozen=True)
class Inputs:
    """Of the model, all counts are of parameters or elements: parameters, trainable, active (those that one token
    passes, fewer than all in a mixture of experts), embedding (those that are looked up, not multiplied),
    expert_parameters (of all routed experts), largest_layer (of the largest single module), layers, hidden, heads,
    kv_heads, head_dim, intermediate (of the experts of one token together), matrices of an MLP (3 if it is gated, or
    2), vocabulary, experts, experts_per_token.

    sequence: tokens of a sample; with encoder and decoder the mean of both. recompute: activations that the backward
    pass computes again: selective those of the scores of attention, full all but the inputs of the layers. attention:
    whether it keeps the matrix of scores. kernels: standard if each operation of a layer is one of PyTorch's own, as in
    Hugging Face's classes; fused if torch.compile, Liger or Megatron join them. loss: standard if the logits of a micro
    batch and their probabilities in 32 bits exist at once, tiled if never all. zero_init: whether the program creates
    the model under deepspeed.zero.Init. precision, micro_batch, accumulation, optimizer: where the program sets them
    rather than DeepSpeed's configuration, or where that says auto.
    experts_parallel: ranks among which the program distributes the experts, if DeepSpeed's configuration does not.

    product: a name or label of accelerators.ROWS; memory in bytes, flops a second (dense, 16 bit), link and host_link
    in bytes a second override it. utilization: the share of flops that is reached, if it is known. network: bits a
    second of a worker, in one direction. worker_memory: bytes of main memory that a node has for a worker;
    memory_bandwidth: bytes of it a second. nvme: bytes a second of the disks of a worker, in each direction.
    loader_memory: bytes of all data loaders of a rank. storage: bytes a second of the storage of checkpoints, of all
    workers together. keep: how many checkpoints are kept. checkpoints: the name of their volume in `storage`. tokens:
    to train. price: of an accelerator for an hour.

    measured_run: the run of which the others are. measured_step: seconds of a step. measured_memory: the most bytes of
    an accelerator; measured_worker: of a worker.
    """

    parameters: int | None = None
    trainable: int | None = None
    active: int | None = None
    embedding: int | None = None
    expert_parameters: int | None = None
    largest_layer: int | None = None
    layers: int | None = None
    hidden: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    intermediate: int | None = None
    matrices: int | None = None
    vocabulary: int | None = None
    experts: int | None = None
    experts_per_token: int | None = None
    sequence: int | None = None
    recompute: Recompute | None = None
    attention: Literal["standard", "flash"] | None = None
    kernels: Literal["standard", "fused"] | None = None
    loss: Literal["standard", "tiled"] | None = None
    zero_init: bool | None = None
    precision: Literal["fp32", "fp16", "bf16"] | None = None
    micro_batch: int | None = None
    accumulation: int | None = None
    optimizer: str | None = None
    experts_parallel: int | None = None
    product: str | None = None
    memory: float | None = None
    flops: float | None = None
    link: float | None = None
    host_link: float | None = None
    utilization: float | None = None
    network: float | None = None
    worker_memory: float | None = None
    memory_bandwidth: float | None = None
    nvme: float | None = None
    storage: float | None = None
    loader_memory: float | None = None
    tokens: float | None = None
    price: float | None = None
    keep: int | None = None
    checkpoints: str | None = None
    measured_run: str | None = None
    measured_step: float | None = None
    measured_memory: float | None = None
    measured_worker: float | None = None


def _name_keys(section: str, *fields: str) -> dict[str, str]:
    """Fields of Inputs whose keys have their names, as Kubernetes writes them: `hostLink` for host_link."""
    words = {field: field.title().replace("_", "") for field in fields}
    return {field: f"estimate.{section}{word[:1].lower()}{word[1:]}" for field, word in words.items()}


KEYS: dict[str, str] = {
    **_name_keys("model.", "parameters", "trainable", "active", "embedding", "layers", "hidden", "heads"),
    **_name_keys("model.", "intermediate", "matrices", "vocabulary", "experts", "sequence", "recompute"),
    **_name_keys("model.", "attention", "kernels", "loss", "precision", "accumulation", "optimizer"),
    **_name_keys("model.", "expert_parameters", "largest_layer", "kv_heads", "head_dim", "experts_per_token"),
    **_name_keys("model.", "experts_parallel", "zero_init", "micro_batch"),
    **_name_keys("accelerator.", "product", "memory", "flops", "link", "host_link", "utilization", "price"),
    **_name_keys("worker.", "memory_bandwidth", "nvme", "loader_memory"),
    **_name_keys("", "network", "tokens"),
    "worker_memory": "estimate.worker.memory",
    "storage": "estimate.checkpoints.bandwidth",
    "keep": "estimate.checkpoints.keep",
    "checkpoints": "estimate.checkpoints.volume",
    "measured_run": "estimate.measured.run",
    "measured_step": "estimate.measured.secondsPerStep",
    "measured_memory": "estimate.measured.memory",
    "measured_worker": "estimate.measured.workerMemory",
}
"""Field of Inputs -> the key of a values file that sets it."""
OF_MODEL = (
    *("parameters", "active", "embedding", "expert_parameters", "largest_layer", "layers", "hidden", "heads"),
    *("kv_heads", "head_dim", "intermediate", "matrices", "vocabulary", "experts", "experts_per_token"),
)
"""The fields of Inputs that a Model has, too."""


def add_model(inputs: Inputs, model: Model) -> Inputs:
    """The numbers of a model where the inputs have none."""
    numbers: dict[str, Any] = {name: getattr(model, name) for name in OF_MODEL if getattr(inputs, name) is None}
    return replace(inputs, **numbers)


def collect_numbers(model: Model) -> dict[str, int]:
    """The numbers of a model by their keys in a values file, to write them there; without those that are 0."""
    return {KEYS[name]: number for name in OF_MODEL if (number := getattr(model, name))}


UNITS: dict[str, Callable[[str | float], float]] = {
    **dict.fromkeys(("memory", "link", "host_link", "nvme", "storage"), parse_bytes),
    **dict.fromkeys(("measured_memory", "measured_worker"), parse_bytes),
    **dict.fromkeys(("worker_memory", "memory_bandwidth", "loader_memory", "flops"), parse_bytes),
    "network": parse_bandwidth,
}
"""Field of Inputs -> how its text is read; the others are numbers, words and switches already."""


def read_section(section: Mapping[str, Any]) -> Inputs:
    """The inputs of the section `estimate` of a values file, whose schema is checked; empty text is unknown.

    Raises UnitError with the key.
    """
    numbers: dict[str, Any] = {}
    for name, key in KEYS.items():
        value = look_up(section, key.split(".")[1:])
        value = None if value in ("", MISSING) else value
        if value is not None and name in UNITS:
            try:
                value = UNITS[name](value)
            except UnitError as error:
                raise UnitError(f"{key}: {error}") from None
        numbers[name] = value
    return Inputs(**numbers)
