"""A job as the formulas see it: ranks, configuration of DeepSpeed and model, what is not known, and the symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dsgen.deepspeed import find_config
from dsgen.deepspeed.combinations import ZERO, Config
from dsgen.deepspeed.options import find_parallel
from dsgen.estimate import accelerators, optimizers
from dsgen.estimate.accelerators import Accelerator
from dsgen.estimate.formulas import Bounds
from dsgen.estimate.inputs import KEYS, Inputs
from dsgen.estimate.optimizers import Optimizer

DEEPSPEED = "training.deepspeed.config"
AUTO = "auto"
BYTES = {"fp32": 4, "float32": 4, "float": 4, "torch.float32": 4, "int8": 1}
"""Bytes of a type of DeepSpeed; the other types have 2."""
PRECISIONS = {"bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16"}
"""Key of DeepSpeed's configuration -> precision; bfloat16 is an old name."""
STAGE_3 = {"max_live_parameters": 1e9, "max_reuse_distance": 1e9, "prefetch_bucket_size": 5e7}
"""Defaults of deepspeed/runtime/zero/config.py, in parameters."""
PRODUCT_LABELS = ("nvidia.com/gpu.product", "amd.com/gpu.product-name")


@dataclass(frozen=True)
class Missing:
    """Something that is not computed. key: the key of the values file that gives it. gives: what it gives."""

    key: str
    gives: str


@dataclass(frozen=True)
class LeftOut:
    """A feature of the job that changes memory or time, and that no formula here has."""

    key: str
    why: str


@dataclass
class Setup:
    """Everything that formulas need of one job; a number that is None is unknown.

    workers, slots: N and S. is_cpu: the workers have no accelerators. of_device: the part of an accelerator that a rank
    has. weight, gradient, master: bytes for each parameter; communicated: the least and the most bytes of a gradient on
    its way. stage: of ZeRO. shard: the ranks among which ZeRO partitions. tensor, pipeline, sequence_ranks,
    expert_ranks: the ranks that share one copy of a layer, of all layers, of a sample, of a layer's experts. micro:
    samples of a rank at a time; accumulation: how often before a step. optimizer_device, parameter_device: none, cpu or
    nvme. offloaded: the share of the optimizer that is offloaded. resizes: checkpoints are converted if the number of
    ranks has changed. missing, left_out: what is not computed.
    """

    inputs: Inputs
    config: Config
    version: str
    workers: int
    slots: int
    is_cpu: bool
    of_device: float
    accelerator: Accelerator | None
    stage: int
    precision: str
    weight: int
    gradient: int
    master: int
    communicated: tuple[int, int]
    optimizer: Optimizer
    tensor: int
    pipeline: int
    sequence_ranks: int
    expert_ranks: int
    micro: int | None
    accumulation: int | None
    shard: int
    optimizer_device: str
    parameter_device: str
    offloaded: float
    resizes: bool
    missing: list[Missing] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def ranks(self) -> int:
        """G: all processes."""
        return self.workers * self.slots

    @property
    def copies(self) -> int:
        """D: the ranks among which optimizer states are partitioned; those that share a copy count once."""
        return max(1, self.ranks // self.split)

    @property
    def split(self) -> int:
        """The ranks that share one copy of the model by tensor and pipeline parallelism."""
        return self.tensor * self.pipeline

    @property
    def samples(self) -> int | None:
        if self.micro is None or self.accumulation is None:
            return None
        return self.micro * self.accumulation * max(1, self.copies // self.sequence_ranks)

    def read_stage_3(self, key: str) -> float:
        """A number of STAGE_3, in parameters. Hugging Face replaces auto by a part of the square of the hidden size."""
        given, hidden = self.read_zero(key, STAGE_3[key]), self.inputs.hidden
        return given if given is not None else 0.9 * hidden**2 if hidden else STAGE_3[key]

    def read_zero(self, key: str, default: float) -> float | None:
        """A number of zero_optimization; None for auto."""
        for name in (key, f"stage3_{key}"):
            if self.config.get(ZERO, name) == AUTO:
                return None
            if (given := self.config.read_number(ZERO, name)) is not None:
                return given
        return default

    def is_on(self, *path: str) -> bool:
        """Whether a switch of DeepSpeed's configuration is on."""
        return self.config.is_on(*path)

    def note_missing(self, name: str, gives: str, key: str | None = None) -> None:
        one = Missing(key or KEYS[name], gives)
        if one.key not in {other.key for other in self.missing}:
            self.missing.append(one)


def make_setup(values: Mapping[str, Any], inputs: Inputs) -> Setup:
    """The setup of a job. values: complete and valid, as `dsgen.values.Job.data`."""
    given, workers = values["training"]["deepspeed"], values["workers"]
    config = Config(find_config(values))
    replicas, slots = int(workers["replicas"]), int(workers["slots"])
    count = workers["accelerator"].get("count")
    precision = _find_precision(config, inputs)
    weight = 4 if precision == "fp32" or config.is_on("torch_autocast", "enabled") else 2
    low_master = any(config.is_on(kind, f"{kind}_master_weights_and_grads") for kind in ("bf16", "fp16"))
    stage = max(0, config.stage)
    states = _find_optimizer(config, inputs, _find_optimizer_device(config, stage) != "none")
    if config.is_on("bf16", "bf16_optimizer_states"):
        states = replace(states, low=states.low / 2, high=states.high / 2)
    parallel, ratio = find_parallel(values), config.read_number(ZERO, "offload_optimizer", "ratio")
    setup = Setup(
        inputs=inputs,
        config=config,
        version=str(given["version"]),
        workers=replicas,
        slots=slots,
        is_cpu=count == 0 and not _has_other_devices(workers),
        of_device=min(1.0, count / slots) if count else 1.0,
        accelerator=_find_accelerator(workers, inputs),
        stage=stage,
        precision=precision or "",
        weight=weight,
        gradient=_count_bytes(config.get("data_types", "grad_accum_dtype"), weight),
        master=0 if weight == 4 and stage == 0 else 2 if low_master else 4,
        communicated=_count_sent_bytes(config, weight),
        optimizer=states,
        tensor=max(_count_tensor_ranks(config), parallel["tensor"]),
        pipeline=parallel["pipeline"],
        sequence_ranks=int(config.read_number("sequence_parallel_size") or parallel["context"]),
        expert_ranks=max(_count_expert_ranks(config, inputs), parallel["expert"]),
        micro=None,
        accumulation=None,
        shard=1,
        optimizer_device=_find_optimizer_device(config, stage),
        parameter_device=_find_device(config, "offload_param", "cpu_offload_param") if stage == 3 else "none",
        offloaded=1.0 if ratio is None else ratio,
        resizes=stage > 0 and bool(given["resize"]["checkpoint"]),
    )
    setup.shard = _count_shard_ranks(setup)
    setup.micro, setup.accumulation = _compute_batch(setup)
    return setup


def _find_optimizer(config: Config, inputs: Inputs, is_offloaded: bool) -> Optimizer:
    name = config.get("optimizer", "type")
    if name is None or name == AUTO:
        return optimizers.find(inputs.optimizer)
    return optimizers.find(str(name), config.read_number("optimizer", "params", "momentum") or 0.0, is_offloaded)


def _has_other_devices(workers: Mapping[str, Any]) -> bool:
    resources = workers["resources"]
    names = [*(resources.get("limits") or ()), *(resources.get("requests") or ())]
    return bool(resources.get("claims")) or any("/" in name for name in names)


def _find_precision(config: Config, inputs: Inputs) -> str | None:
    switches = {kind: config.get(kind, "enabled") for kind in PRECISIONS}
    on = [kind for kind in switches if config.is_on(kind, "enabled")]
    if on:
        return PRECISIONS[on[0]]
    if AUTO in switches.values() or inputs.precision:
        return inputs.precision
    return "fp32"


def _count_bytes(dtype: Any, default: int) -> int:
    return default if dtype in (None, AUTO) else BYTES.get(str(dtype), 2)


def _count_sent_bytes(config: Config, weight: int) -> tuple[int, int]:
    """With torch_autocast, gradients of most layers are sent in 16 bits."""
    sent = _count_bytes(config.get("communication_data_type"), weight)
    return (2, max(weight, sent)) if config.is_on("torch_autocast", "enabled") else (sent, sent)


def _find_accelerator(workers: Mapping[str, Any], inputs: Inputs) -> Accelerator | None:
    selector = workers.get("nodeSelector") or {}
    labels = (selector.get(label) for label in PRODUCT_LABELS)
    name = inputs.product or next((str(one) for one in labels if one), "")
    return accelerators.find(name)


def _count_tensor_ranks(config: Config) -> int:
    paths = (("autotp_size",), ("tp", "tp_size"), ("tensor_parallel", "tp_size"))
    sizes = (config.read_number("tensor_parallel", *path) or 1 for path in paths)
    return max(1, int(max(sizes)))


def _count_expert_ranks(config: Config, inputs: Inputs) -> int:
    if config.is_on("expert_parallel", "enabled"):
        return max(1, int(config.read_number("expert_parallel", "autoep_size") or 1))
    return inputs.experts_parallel or 1


def _find_device(config: Config, part: str, old: str) -> str:
    return "cpu" if config.is_on(ZERO, old) else config.read_device(part)


def _find_optimizer_device(config: Config, stage: int) -> str:
    device = _find_device(config, "offload_optimizer", "cpu_offload")
    if stage == 0:
        return "none"
    return "cpu" if device == "nvme" and stage < 3 else device


def _count_shard_ranks(setup: Setup) -> int:
    """The ranks among which ZeRO partitions weights and states: all copies, or with MiCS those of a group."""
    if setup.stage == 0:
        return 1
    group = setup.config.read_number(ZERO, "mics_shard_size")
    return min(setup.copies, int(group)) if setup.stage == 3 and group and group > 0 else setup.copies


def _read_count(setup: Setup, key: str) -> int | None:
    number = setup.config.read_number(key)
    return int(number) if number and number > 0 else None


def _compute_batch(setup: Setup) -> tuple[int | None, int | None]:
    """The micro batch and the accumulation, of which DeepSpeed computes what its configuration does not have
    (`_set_batch_related_parameters` of deepspeed/runtime/config.py).
    """
    total = _read_count(setup, "train_batch_size")
    micro = _read_count(setup, "train_micro_batch_size_per_gpu") or setup.inputs.micro_batch
    steps = _read_count(setup, "gradient_accumulation_steps") or setup.inputs.accumulation
    copies = max(1, setup.copies // setup.sequence_ranks)
    if micro is None and total:
        micro = max(1, total // copies // (steps or 1))
    if steps is None and micro:
        is_auto = setup.config.get("gradient_accumulation_steps") == AUTO
        steps = max(1, total // copies // micro) if total else None if is_auto else 1
    return micro, steps


SYMBOLS = {
    "P": "parameters of a rank's copy of the model, after tensor and expert parallelism",
    "T": "trained ones of P",
    "F": "trained parameters that ZeRO partitions",
    "D": "ranks among which optimizer states are partitioned",
    "Z": "ranks among which weights are partitioned; D, or with MiCS the ranks of a group",
    "L": "parameters of the largest layer that is gathered at once",
    "w": "bytes of a weight",
    "g": "bytes of a gradient",
    "q": "bytes of a gradient on its way to another rank",
    "m": "bytes of the copy of a weight that the optimizer updates",
    "o": "bytes of the optimizer's state for a parameter",
    "r": "the share of the optimizer that is offloaded",
    "b": "samples of a micro batch",
    "s": "tokens of a sample on one rank",
    "h": "hidden size",
    "l": "layers",
    "v": "vocabulary",
    "c": "bytes that a layer keeps for a token",
    "x": "bytes of the scores of attention for a token and a layer",
    "t": "ranks of tensor parallelism",
}
"""The symbols of most formulas."""


def compute_symbols(setup: Setup) -> dict[str, Bounds]:
    """The numbers of the formulas; those of the model that are unknown are left out."""
    given = setup.inputs
    parameters = float(given.parameters or 0)
    trained = float(parameters if given.trainable is None else min(given.trainable, parameters))
    share = trained / parameters if parameters else 0.0
    whole = min(parameters, 2.0 * (given.vocabulary or 0) * (given.hidden or 0))
    spread = min(parameters, float(given.expert_parameters or 0)) * (1 - 1 / setup.expert_ranks)
    low, high = parameters / setup.split, parameters / setup.split + whole * (1 - 1 / setup.split)
    held = (low - spread / setup.split, high - spread / setup.split)
    largest = float(given.largest_layer or 0)
    stacked = max(largest, (given.expert_parameters or 0) / max(1, given.layers or 1))
    return {
        "P": held,
        "T": (held[0] * share, held[1] * share),
        "F": (low * share, high * share),
        "D": setup.copies,
        "Z": setup.shard,
        "L": (largest / setup.tensor, min(stacked, parameters)),
        "w": setup.weight,
        "g": setup.gradient,
        "q": setup.communicated,
        "m": setup.master,
        "o": (setup.optimizer.low, setup.optimizer.high),
        "r": setup.offloaded,
        "t": setup.tensor,
        **compute_model_symbols(setup),
    }


def compute_model_symbols(setup: Setup) -> dict[str, Bounds]:
    """The numbers of the model that are known."""
    given = setup.inputs
    known = {"b": setup.micro, "h": given.hidden, "l": given.layers, "v": given.vocabulary, "a": given.heads}
    tokens = given.sequence / setup.sequence_ranks if given.sequence else None
    return {name: float(number) for name, number in {**known, "s": tokens}.items() if number is not None}
