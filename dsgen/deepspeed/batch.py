"""The batch sizes: train_batch_size = train_micro_batch_size_per_gpu x gradient_accumulation_steps x copies.

`copies` is the number of copies of the model that get different data, which is the number of ranks unless several ranks
share one copy. DeepSpeed computes the sizes that are not set, and fails if the product differs
(`DeepSpeedConfig.__init__` and `_configure_train_batch_size` of deepspeed/runtime/config.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from dsgen.deepspeed.combinations import Config
from dsgen.deepspeed.keys import AUTO, NO_VERSION, RelativeDiagnostic, Version, parse_version
from dsgen.deepspeed.options import DIVIDING, ProgramOption

TOTAL, MICRO, STEPS = "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"
SEQUENCE, DATA = "sequence_parallel_size", "data_parallel_size"
SPLITS = (
    ("tensor_parallel", "autotp_size"),
    ("tensor_parallel", "tp", "tp_size"),
    ("tensor_parallel", "tensor_parallel", "tp_size"),
)
"""With a value above 1, several ranks share one copy of the model."""
MESH = "0.15.4"
"""The first known version that takes the number of copies from data_parallel_size, beside sequence_parallel_size."""
NEAREST = 2
"""Numbers of workers in a hint, on each side."""
DIVIDES = "0.17.0"
"""The first known version that divides the number of ranks by sequence_parallel_size; earlier versions do so only for a
program that passes an `mpu` (an object with the sizes of its parallel groups) to deepspeed.initialize."""


class Ranks(NamedTuple):
    """All processes, and how many of them share one copy of the model; both also in words."""

    number: int
    words: str
    split: int
    split_words: str


def make_ranks(replicas: int, slots: int, parallel: Mapping[str, int] = MappingProxyType({})) -> Ranks:
    """The ranks of a job. parallel: the sizes of `find_parallel`."""
    sizes = {kind: parallel[kind] for kind in DIVIDING if parallel.get(kind, 1) > 1}
    split_words = " x ".join(f"{kind} {size}" for kind, size in sizes.items())
    words = f"workers.replicas {replicas} x workers.slots {slots}"
    return Ranks(replicas * slots, words, math.prod(sizes.values()), split_words)


@dataclass(frozen=True)
class Copies:
    """The number of copies of the model, also in words. may_be_fewer: a program with an `mpu` may divide it further."""

    count: int
    words: str
    may_be_fewer: bool = False


def check_sizes(
    config: Mapping[str, Any],
    ranks: Ranks,
    passed: bool,
    version: Version = NO_VERSION,
    said: Mapping[str, ProgramOption] = MappingProxyType({}),
) -> Iterator[RelativeDiagnostic]:
    """Sizes that do not fit the number of processes; none if one of them is not a positive number.

    passed: DeepSpeed reads the file itself, so the program cannot add a missing size. said: the options of the program
    that mean the same and take the place of `auto`; what does not fit then is a warning.
    """
    given = {key: _read_count(config[key]) for key in (TOTAL, MICRO, STEPS) if key in config}
    given |= {key: int(option.value) for key, option in said.items() if config.get(key) == AUTO}
    if None in given.values():
        return  # another check reports it, or it is a placeholder
    counts = {key: value for key, value in given.items() if value}
    if ranks.number % ranks.split:
        message = f"the {ranks.number} processes ({ranks.words}) cannot be divided among {ranks.split_words}"
        yield RelativeDiagnostic("DS265", (), message, "change workers.replicas, workers.slots or the sizes")
        return
    if TOTAL not in counts:
        if passed and MICRO not in counts:
            message = f"one of {TOTAL} and {MICRO} is required"
            yield RelativeDiagnostic("DS265", (), message, f"set {MICRO}, the batch size of one process")
        return
    total, shared = counts.pop(TOTAL), _read_count(config.get(SEQUENCE))
    if shared and ranks.number % shared and parse_version(version.table) >= parse_version(DIVIDES):
        message = f"{SEQUENCE} must divide the {ranks.number} processes ({ranks.words}), not {shared}"
        yield RelativeDiagnostic("DS265", (SEQUENCE,), message)
        return
    copies = _count_copies(config, ranks, version)
    if not _fits(total, counts, copies.count):
        for one in _report_misfit(config, total, counts, copies, ranks):
            yield one._replace(severity="warning") if AUTO in map(config.get, given) else one


def compare_sizes(config: Mapping[str, Any], said: Mapping[str, ProgramOption]) -> Iterator[RelativeDiagnostic]:
    """Sizes that differ from those of the program's options."""
    for key, option in said.items():
        given = _read_count(config.get(key))
        if given and given != int(option.value):
            message = f"{key} is {given}, but {option.written} of the program is {option.value}"
            hint = "write the same number; programs of the Hugging Face Trainer also take auto"
            yield RelativeDiagnostic("DS265", (key,), message, hint, "warning")


def suggest_workers(config: Mapping[str, Any], replicas: int, slots: int) -> str:
    """The nearest numbers of workers among which the batch can be divided; "" if there is none."""
    fitting = sizes(config, slots)
    below = [size for size in fitting if size < replicas][-NEAREST:]
    near = [*below, *[size for size in fitting if size > replicas][:NEAREST]]
    return f"the batch can be divided among {', '.join(map(str, near))} workers" if near else ""


def sizes(config: Mapping[str, Any], slots: int) -> list[int]:
    """All numbers of workers among which the batch can be divided; [] if a size is no number."""
    counts = [_read_count(config[key]) for key in (TOTAL, MICRO, STEPS) if key in config]
    if TOTAL not in config or None in counts:
        return []
    total, *others = [count for count in counts if count]
    product, shared = math.prod(others) * slots, _read_count(config.get(SEQUENCE)) or 1
    return [
        size for size in range(1, total // product + 1) if total % (product * size) == 0 and size * slots % shared == 0
    ]


def _report_misfit(
    config: Mapping[str, Any], total: int, others: Mapping[str, int], copies: Copies, ranks: Ranks
) -> Iterator[RelativeDiagnostic]:
    message, hint = _explain_misfit(total, others, copies), _suggest_sizes(total, others, copies.count)
    product = math.prod(others.values())
    # a number of copies that divides the known one may fit
    may_fit = total % product == 0 and (len(others) < 2 or copies.count % (total // product) == 0)
    if may_fit and not copies.may_be_fewer and copies.count == ranks.number:
        hint += "; if several processes share one copy of the model, set training.parallel"
    if not (copies.may_be_fewer and may_fit):
        yield RelativeDiagnostic("DS265", (TOTAL,), message, hint)
    elif not _is_split_otherwise(config):
        message += ", unless the program passes an mpu with other sizes"
        yield RelativeDiagnostic("DS265", (TOTAL,), message, hint, "warning")


def _read_count(value: Any) -> int | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if number and value > 0 and float(value).is_integer() else None


def _is_split_otherwise(config: Mapping[str, Any]) -> bool:
    """Whether a pipeline or tensor parallelism, whose groups dsgen does not know, shares copies."""
    known = Config(config)
    return "pipeline" in config or any((known.read_number(*path) or 1) > 1 for path in SPLITS)


def _count_copies(config: Mapping[str, Any], ranks: Ranks, version: Version) -> Copies:
    """How many copies DeepSpeed counts: without an `mpu`, or with one that has the sizes of `ranks`."""
    shared, data = _read_count(config.get(SEQUENCE)) or 1, _read_count(config.get(DATA))
    if SEQUENCE in config and data and parse_version(version.table) >= parse_version(MESH):
        return Copies(data, DATA, may_be_fewer=True)
    if shared > 1 and parse_version(version.table) >= parse_version(DIVIDES):
        return Copies(ranks.number // shared, f"{ranks.words} / {SEQUENCE} {shared}", may_be_fewer=True)
    if ranks.split > 1:
        return Copies(ranks.number // ranks.split, f"{ranks.words} / {ranks.split_words}")
    return Copies(ranks.number, ranks.words, may_be_fewer=shared > 1 or _is_split_otherwise(config))


def _fits(total: int, others: Mapping[str, int], copies: int) -> bool:
    product = math.prod(others.values())
    if total % product:
        return False
    return total // product == copies if len(others) == 2 else total // product % copies == 0


def _explain_misfit(total: int, others: Mapping[str, int], copies: Copies) -> str:
    factors = "".join(f"{value} ({key}) x " for key, value in others.items())
    wanted = f"{factors}{copies.count} ({copies.words})"
    wanted += f" = {math.prod(others.values()) * copies.count}" if others else ""
    verb = "must be" if len(others) == 2 else "must be a multiple of"
    return f"{TOTAL} {verb} {wanted}, not {total}"


def _suggest_sizes(total: int, others: Mapping[str, int], copies: int) -> str:
    product = math.prod(others.values()) * copies
    if len(others) == 2:
        return f"set {TOTAL}: {product}, or remove it: DeepSpeed computes it"
    near = max(product, total // product * product)
    return f"set {TOTAL}: {near}, or set only {MICRO} and {STEPS}: DeepSpeed computes the product"
