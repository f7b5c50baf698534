"""The tables and the picture of docs/estimate.md and docs/estimate-formulas.md, as they are computed now."""

import re
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dsgen.estimate import (
    accelerators,
    device,
    estimates,
    host,
    report,
    setup,
    steps,
    traffic,
)
from dsgen.estimate.families import FAMILIES
from dsgen.estimate.formulas import Item
from dsgen.estimate.notes import LEFT_OUT, WITHOUT_EFFECT
from dsgen.estimate.quantities import format_digits, format_size
from tests.estimate import jobs
from tests.estimate.measured import Compared, rows
from tests.estimate.references import Reference, compute_rows
from tools import docs
from tools.estimators import DIFFERENCES

MARKS = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
INPUTS = replace(
    jobs.MODEL, product="A100-80GB", network=4e11, tokens=10**10, price=2.0, storage=5e9, keep=2, loader_memory=2**30
)
OFFLOAD = {"offload_optimizer": {"device": "cpu"}}
NVME = {"offload_optimizer": {"device": "nvme"}, "offload_param": {"device": "nvme"}}
PLUS = {"zero_hpz_partition_size": 8, "zero_quantized_weights": True, "zero_quantized_gradients": True}
CONFIGS: dict[str, dict[str, Any]] = {
    **{f"stage {stage}": jobs.config(stage, 2, gradient_accumulation_steps=2) for stage in (0, 1, 2, 3)},
    **{f"stage {stage}, optimizer on the CPU": jobs.config(stage, 1, zero=OFFLOAD) for stage in (1, 2, 3)},
    "stage 3, both on the CPU": jobs.config(3, 1, zero={**OFFLOAD, "offload_param": {"device": "cpu"}}),
    "stage 3, both on NVMe": jobs.config(3, 1, zero=NVME),
    "ZeRO++": jobs.config(3, 1, zero=PLUS, gradient_accumulation_steps=2),
    "MiCS": jobs.config(3, 1, zero={"mics_shard_size": 8}, gradient_accumulation_steps=2),
    "a part of the optimizer on the CPU": jobs.config(
        3, 1, zero={"offload_optimizer": {"device": "cpu", "ratio": 0.5}}
    ),
    "gradients in 32 bits": jobs.config(1, 1, data_types={"grad_accum_dtype": "fp32"}),
    "tensor parallelism": jobs.config(1, 1, tensor_parallel={"autotp_size": 4}),
    "sequence parallelism": jobs.config(2, 1, sequence_parallel_size=4),
    "experts": jobs.config(2, 1, expert_parallel={"enabled": True, "autoep_size": 4}),
    "cpu_checkpointing": jobs.config(2, 1, activation_checkpointing={"cpu_checkpointing": True}),
    "weights gathered to save them": jobs.config(3, 1, zero={"stage3_gather_16bit_weights_on_model_save": True}),
}
"""The jobs whose formulas are shown, by what each of them adds."""
EXPERTS = replace(INPUTS, experts=8, experts_per_token=2, expert_parameters=5 * 10**9)


def with_tables(page: str) -> str:
    """The page with the present tables between its marks."""
    return MARKS.sub(lambda found: found[1] + "\n".join(["", *TABLES[found[2]](), "", found[3]]), page)


# -- formulas ---------------------------------------------------------------------------------------------------------


def _parts(name: str) -> Iterator[tuple[str, Sequence[Item], dict[str, str]]]:
    """The formulas of a job: a title, the items at all moments, and the meaning of their symbols."""
    values = jobs.values(CONFIGS[name], 2)
    given = replace(EXPERTS if name == "experts" else INPUTS, nvme=6e9)
    job, estimate = setup.make_setup(values, given), estimates.estimate_job(values, given)
    assert estimate.traffic
    assert estimate.step
    assert estimate.checkpoint
    general = setup.SYMBOLS
    yield "Memory of an accelerator", estimates.list_held_items(job), general | device.SYMBOLS
    yield "Main memory of a worker", host.list_items(job, values, estimate.per_accelerator), general | host.SYMBOLS
    yield "Bytes that a rank sends in a step", estimate.traffic.items, general | traffic.SYMBOLS
    yield "Time of a step", estimate.step.items, general | steps.SYMBOLS
    yield "A checkpoint", estimate.checkpoint.items, general


def _formulas() -> Iterator[str]:
    """Every formula once, with the first job that has it."""
    found: dict[str, dict[tuple[str, str, str], str]] = {}
    legends: dict[str, dict[str, str]] = {}
    for name in CONFIGS:
        for title, items, legend in _parts(name):
            for one in items:
                found.setdefault(title, {}).setdefault((one.name, one.formula, one.source), name)
                used = {letter: legend[letter] for letter in report.list_item_symbols(one)}
                legends.setdefault(title, {}).update(used)
    for title, rows_ in found.items():
        yield from (f"## {title}", "", "| item | formula | first seen in | source |", "|---|---|---|---|")
        yield from (
            f"| {what} | `{formula}` | {job} | {_cell(source)} |" for (what, formula, source), job in rows_.items()
        )
        yield from ("", "; ".join(f"`{letter}`: {meaning}" for letter, meaning in legends[title].items()) + ".", "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")


def _left_out() -> Iterator[str]:
    yield from ("| key of DeepSpeed's configuration | why it is not in |", "|---|---|")
    yield from (f"| `{'.'.join(path)}` | {why} |" for path, why in LEFT_OUT)


def _without_effect() -> Iterator[str]:
    yield from ("| keys without an effect on the estimate | why |", "|---|---|")
    yield from (f"| {', '.join(f'`{key}`' for key in keys)} | {why} |" for why, keys in WITHOUT_EFFECT.items())


def _differences() -> Iterator[str]:
    yield from ("| what DeepSpeed computes | how it differs |", "|---|---|")
    yield from (f"| {what} | {_cell(why)} |" for what, why in DIFFERENCES.items())


# -- what is known ----------------------------------------------------------------------------------------------------


def _families() -> Iterator[str]:
    yield ", ".join(f"`{name}`" for name in sorted(FAMILIES)) + "."


def _accelerators() -> Iterator[str]:
    head = ("product", "memory", "peak, 16 bits", "link to the others", "to main memory", "labels", "source")
    yield from ("| " + " | ".join(head) + " |", "|---" * len(head) + "|")
    for one in accelerators.ROWS:
        link = "-" if one.link is None else f"{one.link / 1e9:g} GB/s"
        cells = (
            *(one.name, format_size(one.memory), f"{one.flops / 1e12:g} TFLOPS", link, f"{one.host / 1e9:g} GB/s"),
            *(", ".join(f"`{label}`" for label in one.labels), _cell(one.source)),
        )
        yield "| " + " | ".join(cells) + " |"


# -- published and measured figures -----------------------------------------------------------------------------------

OUTCOMES = {
    "fits": "ran with {}",
    "does not fit": "out of memory with {}",
    "at least": "{}",
    "shown": "{}",
    "value": "{}",
}


def _references() -> Iterator[str]:
    yield from ("| job | source | what | published | computed | error |", "|---|---|---|--:|--:|---|")
    yield from map(_reference, compute_rows())


def _reference(row: Reference) -> str:
    figure = OUTCOMES[row.kind].format(_number(row.published, row.unit))
    high = "unknown" if row.high == float("inf") else _number(row.high, row.unit)
    computed = high if _number(row.low, row.unit) == high else f"{_number(row.low, '')} to {high}"
    notes = [_error(row), row.note]
    cells = [_cell(cell) for cell in (row.case, row.what, figure, computed, "; ".join(filter(None, notes)))]
    return "| " + " | ".join([cells[0], _linked(row.source), *cells[1:]]) + " |"


THREAD, PAPER = re.compile(r"([\w.-]+/[\w.-]+)#([0-9]+)"), re.compile(r"arXiv ([0-9.]+[0-9])")


def _linked(source: str) -> str:
    """A source with links to threads and articles."""
    linked = THREAD.sub(r"[\1#\2](https://github.com/\1/issues/\2)", _cell(source))
    return PAPER.sub(r"[arXiv \1](https://arxiv.org/abs/\1)", linked)


def _error(row: Reference) -> str:
    if row.error is None:
        return "agrees" if row.agrees else "disagrees"
    if row.error == 0:
        return "in the range"
    words = "shown only, {} outside" if row.kind == "shown" else "agrees to {}"
    return words.format(f"{100 * row.error:.2g} %")


def _number(number: float, unit: str) -> str:
    return f"{format_digits(number)} {unit}".rstrip()


def _measured() -> Iterator[str]:
    yield from (
        "| what | measured | in the range | width, median | widest | wider than x 2 |",
        "|---|--:|--:|--:|--:|--:|",
    )
    by_what: dict[str, list[Compared]] = {}
    for row in rows():
        by_what.setdefault(row.what, []).append(row)
    for what, some in by_what.items():
        inside = sum(row.is_inside for row in some)
        widths = sorted(row.width for row in some)
        wide = sum(width > 2 for width in widths)
        yield f"| {what} | {len(some)} | {inside} | x {statistics.median(widths):.2f} | x {widths[-1]:.2f} | {wide} |"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "formulas": _formulas,
    "left_out": _left_out,
    "without_effect": _without_effect,
    "differences": _differences,
    "families": _families,
    "accelerators": _accelerators,
    "references": _references,
    "measured": _measured,
}


# -- the picture -------------------------------------------------------------------------------------------------------


def memory() -> str:
    """What an accelerator holds in the job that the first commands of docs/estimate.md make."""
    page = (docs.ROOT / "docs" / "estimate.md").read_text(encoding="utf-8")
    blocks = {block["file"] or block["language"]: block["body"] for block in reversed([*docs.BLOCK.finditer(page)])}
    with tempfile.TemporaryDirectory() as name:
        docs.make_folder(folder := Path(name))
        docs.write(folder / "config.json", blocks["config.json"])
        for line in blocks["console"].splitlines():
            if line.startswith("$ "):
                docs.run(line.removeprefix("$ "), folder)
        return docs.run("dsgen estimate llama.yaml -o svg", folder).stdout
