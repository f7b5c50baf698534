"""Keys of DeepSpeed's configuration that exclude or require each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dsgen.deepspeed.keys import AUTO, RelativeDiagnostic, Version, parse_version

ZERO, OFFLOADED = "zero_optimization", ("offload_param", "offload_optimizer")
NEEDS_ZERO = "set zero_optimization.stage"
ON_DISK = "nvme"
MASTER, STATES = "bf16_master_weights_and_grads", "bf16_optimizer_states"
NORM = (ZERO, "compute_grad_norm")


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


def check_combinations(given: Mapping[str, Any]) -> Iterator[RelativeDiagnostic]:
    """What DeepSpeed refuses or ignores in a configuration."""
    config = Config(given)
    for find in (_find_two_precisions, _find_offloads, _find_sums, _find_low_stages, _find_idle_offloads):
        yield from find(config)


def _find_two_precisions(config: Config) -> Iterator[RelativeDiagnostic]:
    for name in ("bf16", "bfloat16"):
        is_idle = name == "bfloat16" and "bf16" in config.data
        if config.is_on("fp16", "enabled") and config.is_on(name, "enabled") and not is_idle:
            message = f"fp16 and {name} are mutually exclusive, but both are enabled"
            hint = "keep one of them" + ("; bf16 if the GPUs support it" if name == "bf16" else "")
            yield RelativeDiagnostic("DS266", (name, "enabled"), message, hint)


def _find_offloads(config: Config) -> Iterator[RelativeDiagnostic]:
    for part in OFFLOADED:
        if config.read_device(part) == ON_DISK and not config.get(ZERO, part, "nvme_path"):
            hint = "set it to a folder on a fast disk, as a path inside the container"
            message = f"{part}.device nvme needs {part}.nvme_path"
            yield RelativeDiagnostic("DS267", (ZERO, part, "device"), message, hint)
    path = (ZERO, "offload_optimizer", "ratio")
    ratio = config.read_number(*path)
    if ratio is not None and ratio < 1 and config.stage in (0, 1, 2):
        message = f"offload_optimizer.ratio below 1 needs stage 3, not {config.stage}"
        yield RelativeDiagnostic("DS267", path, message, "set zero_optimization.stage: 3, or remove ratio")


def _find_sums(config: Config) -> Iterator[RelativeDiagnostic]:
    """Gradients that are summed instead of averaged."""
    refused = {
        "stage 3": config.stage == 3,
        "zenflow": isinstance(config.get(ZERO, "zenflow"), Mapping),
        "deepcompile": config.is_on("compile", "deepcompile"),
    }
    for what, is_used in refused.items():
        if is_used and str(config.get("gradient_allreduce_op")).lower() == "sum":
            hint = "use mean, or another stage" if what == "stage 3" else ""
            message = f"gradient_allreduce_op sum cannot be used with {what}"
            yield RelativeDiagnostic("DS267", ("gradient_allreduce_op",), message, hint)


def _find_low_stages(config: Config) -> Iterator[RelativeDiagnostic]:
    for path in (("fp16", "fp16_master_weights_and_grads"), ("bf16", MASTER), ("bf16", STATES)):
        if config.is_on(*path) and config.stage == 0:
            message = f"{path[-1]} needs ZeRO, but zero_optimization.stage is 0"
            yield RelativeDiagnostic("DS267", path, message, NEEDS_ZERO)
    if config.is_on("bf16", STATES) and not config.is_on("bf16", MASTER) and config.stage != 0:
        yield RelativeDiagnostic("DS267", ("bf16", STATES), f"{STATES} needs {MASTER}")
    if config.get(*NORM) not in (None, AUTO) and not config.is_on(*NORM) and config.stage in (0, 3):
        message = f"compute_grad_norm: false needs stage 1 or 2, not {config.stage}"
        yield RelativeDiagnostic("DS267", NORM, message)


def _find_idle_offloads(config: Config) -> Iterator[RelativeDiagnostic]:
    stage, use_3 = config.stage, "set zero_optimization.stage: 3, or"
    parameters, optimizer = map(config.read_device, OFFLOADED)
    if parameters in ("cpu", ON_DISK) and stage in (0, 1, 2):
        message = f"offload_param has no effect with stage {stage}: only stage 3 offloads parameters"
        yield RelativeDiagnostic("DS268", (ZERO, "offload_param"), message, f"{use_3} remove offload_param", "warning")
    path = (ZERO, "offload_optimizer")
    if optimizer in ("cpu", ON_DISK) and stage == 0:
        message = "offload_optimizer has no effect with stage 0, which means training without ZeRO"
        yield RelativeDiagnostic("DS268", path, message, NEEDS_ZERO, "warning")
    if optimizer == ON_DISK and stage in (1, 2):
        message = f"offload_optimizer.device nvme has no effect with stage {stage}, which offloads to the CPU"
        yield RelativeDiagnostic("DS268", (*path, "device"), message, f"{use_3} device: cpu", "warning")


FP16_BY_CPU = "0.16.9"
"""The first known version that asks the CPU whether it supports fp16 (`is_fp16_supported` of cpu_accelerator.py);
earlier versions always refuse it."""


def check_cpus(given: Mapping[str, Any], workers: Mapping[str, Any], version: Version) -> Iterator[RelativeDiagnostic]:
    """fp16 in workers without devices."""
    resources = workers["resources"]
    names = [*(resources.get("limits") or ()), *(resources.get("requests") or ())]
    has_devices = (
        workers["accelerator"].get("count") != 0 or resources.get("claims") or any("/" in name for name in names)
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
