"""Keys of DeepSpeed's configuration that exclude or require each other: one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from dsgen.deepspeed.keys import AUTO, RelativeDiagnostic, Version, parse_version
from dsgen.problems import KeyPath, Severity

ZERO = "zero_optimization"
NEEDS_ZERO = "set zero_optimization.stage"
ON_DISK = "nvme"


class Config(NamedTuple):
    """DeepSpeed's configuration; absent values and values of a wrong type are None or false."""

    data: Mapping[str, Any]

    def get(self, *path: str) -> Any:
        """The value under a path."""
        value: Any = self.data
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def is_on(self, *path: str) -> bool:
        """Whether a switch is on, in any spelling that DeepSpeed accepts."""
        return str(self.get(*path)).lower() in ("true", "1", "1.0", "yes", "on", "y", "t")

    @property
    def stage(self) -> int:
        """The stage of ZeRO; -1 if it is not valid."""
        given = self.get(ZERO)
        if isinstance(given, bool) or given is None:
            return int(bool(given))
        text = str(self.get(ZERO, "stage")).removesuffix(".0")
        return int(text) if text in ("0", "1", "2", "3") else 0 if text == "None" else -1

    def read_device(self, part: str) -> str:
        """The device of `offload_param` or `offload_optimizer`."""
        return str(self.get(ZERO, part, "device") or "none")

    def read_number(self, *path: str) -> float | None:
        """A number under a path."""
        value = self.get(*path)
        return float(value) if isinstance(value, int | float) else None

    @property
    def is_partial(self) -> bool:
        """Whether only a part of the optimizer is offloaded."""
        ratio = self.read_number(ZERO, "offload_optimizer", "ratio")
        return ratio is not None and ratio < 1

    @property
    def sums(self) -> bool:
        """Whether gradients are summed instead of averaged."""
        return str(self.get("gradient_allreduce_op")).lower() == "sum"


class Combination(NamedTuple):
    """One combination. message: a sentence, with {stage} for the stage of ZeRO."""

    id: str
    path: KeyPath
    when: Callable[[Config], bool]
    message: str
    hint: str = ""
    severity: Severity = "error"


def _require_path(part: str) -> Combination:
    return Combination(
        "DS267",
        (ZERO, part, "device"),
        lambda config: config.read_device(part) == ON_DISK and not config.get(ZERO, part, "nvme_path"),
        f"{part}.device nvme needs {part}.nvme_path",
        "set it to a folder on a fast disk, as a path inside the container",
    )


def _require_stage(path: KeyPath) -> Combination:
    return Combination(
        "DS267",
        path,
        lambda config: config.is_on(*map(str, path)) and config.stage == 0,
        f"{path[-1]} needs ZeRO, but zero_optimization.stage is 0",
        NEEDS_ZERO,
    )


ROWS = (
    Combination(
        "DS266",
        ("bf16", "enabled"),
        lambda config: config.is_on("fp16", "enabled") and config.is_on("bf16", "enabled"),
        "fp16 and bf16 are mutually exclusive, but both are enabled",
        "keep one of them; bf16 if the GPUs support it",
    ),
    Combination(
        "DS266",
        ("bfloat16", "enabled"),
        lambda config: (
            config.is_on("fp16", "enabled") and config.is_on("bfloat16", "enabled") and "bf16" not in config.data
        ),
        "fp16 and bfloat16 are mutually exclusive, but both are enabled",
        "keep one of them",
    ),
    _require_path("offload_param"),
    _require_path("offload_optimizer"),
    Combination(
        "DS267",
        (ZERO, "offload_optimizer", "ratio"),
        lambda config: config.is_partial and config.stage in (0, 1, 2),
        "offload_optimizer.ratio below 1 needs stage 3, not {stage}",
        "set zero_optimization.stage: 3, or remove ratio",
    ),
    Combination(
        "DS267",
        ("gradient_allreduce_op",),
        lambda config: config.sums and config.stage == 3,
        "gradient_allreduce_op sum cannot be used with stage 3",
        "use mean, or another stage",
    ),
    Combination(
        "DS267",
        ("gradient_allreduce_op",),
        lambda config: config.sums and isinstance(config.get(ZERO, "zenflow"), Mapping),
        "gradient_allreduce_op sum cannot be used with zenflow",
    ),
    Combination(
        "DS267",
        ("gradient_allreduce_op",),
        lambda config: config.sums and config.is_on("compile", "deepcompile"),
        "gradient_allreduce_op sum cannot be used with deepcompile",
    ),
    _require_stage(("fp16", "fp16_master_weights_and_grads")),
    _require_stage(("bf16", "bf16_master_weights_and_grads")),
    _require_stage(("bf16", "bf16_optimizer_states")),
    Combination(
        "DS267",
        ("bf16", "bf16_optimizer_states"),
        lambda config: (
            config.is_on("bf16", "bf16_optimizer_states")
            and not config.is_on("bf16", "bf16_master_weights_and_grads")
            and config.stage != 0
        ),
        "bf16_optimizer_states needs bf16_master_weights_and_grads",
    ),
    Combination(
        "DS267",
        (ZERO, "compute_grad_norm"),
        lambda config: (
            config.get(ZERO, "compute_grad_norm") is not None
            and not config.is_on(ZERO, "compute_grad_norm")
            and config.get(ZERO, "compute_grad_norm") != AUTO
            and config.stage in (0, 3)
        ),
        "compute_grad_norm: false needs stage 1 or 2, not {stage}",
    ),
    Combination(
        "DS268",
        (ZERO, "offload_param"),
        lambda config: config.read_device("offload_param") in ("cpu", ON_DISK) and config.stage in (0, 1, 2),
        "offload_param has no effect with stage {stage}: only stage 3 offloads parameters",
        "set zero_optimization.stage: 3, or remove offload_param",
        "warning",
    ),
    Combination(
        "DS268",
        (ZERO, "offload_optimizer"),
        lambda config: config.read_device("offload_optimizer") in ("cpu", ON_DISK) and config.stage == 0,
        "offload_optimizer has no effect with stage 0, which means training without ZeRO",
        NEEDS_ZERO,
        "warning",
    ),
    Combination(
        "DS268",
        (ZERO, "offload_optimizer", "device"),
        lambda config: config.read_device("offload_optimizer") == ON_DISK and config.stage in (1, 2),
        "offload_optimizer.device nvme has no effect with stage {stage}, which offloads to the CPU",
        "set zero_optimization.stage: 3, or device: cpu",
        "warning",
    ),
)


def check_combinations(given: Mapping[str, Any]) -> Iterator[RelativeDiagnostic]:
    """The rows that apply to a configuration."""
    config = Config(given)
    for row in ROWS:
        if row.when(config):
            yield RelativeDiagnostic(row.id, row.path, row.message.format(stage=config.stage), row.hint, row.severity)


FP16_BY_CPU = "0.16.9"
"""The first known version that asks the CPU whether it supports fp16 (`is_fp16_supported` of cpu_accelerator.py);
earlier versions always refuse it."""


def check_cpus(given: Mapping[str, Any], workers: Mapping[str, Any], version: Version) -> Iterator[RelativeDiagnostic]:
    """fp16 in workers without devices."""
    resources = workers["resources"]
    names = [*(resources.get("limits") or ()), *(resources.get("requests") or ())]
    has_devices = (
        workers["accelerator"].get("count") != 0 or resources.get("claims") or any("/" in one for one in names)
    )
    if has_devices or not Config(given).is_on("fp16", "enabled"):
        return
    message = "fp16 is enabled, but the workers have no devices"
    hint = "use bf16, which DeepSpeed supports on every CPU"
    if parse_version(version.table) < parse_version(FP16_BY_CPU):
        message += f": DeepSpeed {version.called} refuses it on CPUs"
        yield RelativeDiagnostic("DS267", ("fp16", "enabled"), message, hint)
    else:
        message += ": DeepSpeed refuses it on CPUs without fp16 instructions, which most CPUs lack"
        yield RelativeDiagnostic("DS267", ("fp16", "enabled"), message, hint, "warning")
