"""The batch sizes: train_batch_size = train_micro_batch_size_per_gpu x gradient_accumulation_steps x ranks.

DeepSpeed computes what is not set, and fails if the product differs (`_configure_train_batch_size` of
deepspeed/runtime/config.py). Ranks that share one copy of the model count once.
"""

from __future__ import annotations

import math

from dsgen.deepspeed.combinations import Config
from dsgen.deepspeed.keys import RelativeDiagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

TOTAL, MICRO, STEPS = "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"
SPLITS = (
    ("sequence_parallel_size",),
    ("tensor_parallel", "autotp_size"),
    ("tensor_parallel", "tp", "tp_size"),
    ("tensor_parallel", "tensor_parallel", "tp_size"),
)
"""With a value above 1, several ranks share one copy of the model."""


def findings(config: Mapping[str, Any], replicas: int, slots: int, passed: bool) -> Iterator[RelativeDiagnostic]:
    """Sizes that do not fit the number of processes; none if one of them is not a positive number.

    passed: DeepSpeed reads the file itself, so the program cannot add a missing size.
    """
    given = {key: _count(config[key]) for key in (TOTAL, MICRO, STEPS) if key in config}
    if None in given.values():
        return  # another check reports it, or it is a placeholder
    counts = {key: value for key, value in given.items() if value}
    if TOTAL not in counts:
        if passed and MICRO not in counts:
            message = f"one of {TOTAL} and {MICRO} is required"
            yield RelativeDiagnostic("DS265", (), message, f"set {MICRO}, the batch size of one process")
        return
    ranks, total = replicas * slots, counts.pop(TOTAL)
    if not _fits(total, counts, ranks, _is_split(config)):
        yield RelativeDiagnostic(
            "DS265", (TOTAL,), _message(total, counts, replicas, slots), _hint(total, counts, ranks)
        )


def _count(value: Any) -> int | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if number and value > 0 and float(value).is_integer() else None


def _is_split(config: Mapping[str, Any]) -> bool:
    known = Config(config)
    return "pipeline" in config or any((known.number(*path) or 1) > 1 for path in SPLITS)


def _fits(total: int, others: Mapping[str, int], ranks: int, split: bool) -> bool:
    product = math.prod(others.values())
    if total % product:
        return False
    copies = total // product
    if len(others) == 2:
        return ranks % copies == 0 if split else ranks == copies
    return split or copies % ranks == 0


def _message(total: int, others: Mapping[str, int], replicas: int, slots: int) -> str:
    factors = "".join(f"{value} ({key}) x " for key, value in others.items())
    product = math.prod(others.values()) * replicas * slots
    wanted = f"{factors}{replicas * slots} (workers.replicas {replicas} x workers.slots {slots})"
    wanted += f" = {product}" if others else ""
    verb = "must be" if len(others) == 2 else "must be a multiple of"
    return f"{TOTAL} {verb} {wanted}, not {total}"


def _hint(total: int, others: Mapping[str, int], ranks: int) -> str:
    product = math.prod(others.values()) * ranks
    if len(others) == 2:
        return f"set {TOTAL}: {product}, or remove it: DeepSpeed computes it"
    near = max(product, total // product * product)
    return f"set {TOTAL}: {near}, or set only {MICRO} and {STEPS}: DeepSpeed computes the product"
