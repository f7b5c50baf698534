"""An estimate as tables, in text and in Markdown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dsgen.estimate import device, formulas, host, measured, steps, traffic
from dsgen.estimate.changes import Remedy, as_word
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.forecast import Forecast, Limits
from dsgen.estimate.formulas import Item, Total
from dsgen.estimate.quantities import (
    format_bandwidth,
    format_count,
    format_digits,
    format_range,
    format_seconds,
    format_size,
)
from dsgen.estimate.setup import SYMBOLS as GENERAL
from dsgen.estimate.setup import Setup
from dsgen.language.text import align

UNKNOWN = "unknown"
RECOMPUTE = "estimate.model.recompute"


@dataclass(frozen=True)
class ReportLine:
    """low, high: bounds as text. words: a formula or a verdict. item: whose formula can be shown; None for a sum."""

    name: str
    low: str
    high: str
    words: str = ""
    item: Item | None = None


@dataclass(frozen=True)
class Table:
    """A part of an estimate. legend: the meaning of the symbols in its formulas."""

    title: str
    rows: Sequence[ReportLine]
    legend: Mapping[str, str] = field(default_factory=dict)


# -- tables -----------------------------------------------------------------------------------------------------------


def make_tables(setup: Setup, estimate: Estimate, limits: Limits) -> list[Table]:
    """All parts that are known."""
    parts = (
        _make_memory_table(setup, estimate, estimate.in_step),
        _make_memory_table(setup, estimate, estimate.per_accelerator),
        _make_worker_table(estimate, limits),
        _make_traffic_table(setup, estimate),
        _make_step_table(estimate),
        _make_run_table(setup, estimate),
        _make_checkpoint_table(setup, estimate, limits),
        _make_measured_table(setup, estimate),
    )
    return [part for part in parts if part]


def format_heading(setup: Setup, estimate: Estimate) -> str:
    """What is estimated, in one line."""
    product = setup.accelerator.name if setup.accelerator else "accelerator" if not setup.is_cpu else "process"
    workers = f"{setup.workers} worker{'s' if setup.workers > 1 else ''} with {setup.slots} x {product}"
    return ", ".join((_describe_model(estimate), workers, *_describe_zero(setup)))


def _describe_model(estimate: Estimate) -> str:
    if estimate.parameters is None:
        return "a model of unknown size"
    text = f"{format_count(estimate.parameters)} parameters"
    trained = estimate.trainable
    return text if trained in (None, estimate.parameters) else f"{text}, {format_count(trained or 0)} of them trained"


def _describe_zero(setup: Setup) -> tuple[str, ...]:
    if not setup.config.data:
        return ()
    moved = {"optimizer": setup.optimizer_device, "weights": setup.parameter_device}
    offloads = [
        f"{what} on {'the CPU' if where == 'cpu' else 'NVMe'}" for what, where in moved.items() if where != "none"
    ]
    kinds = {"tensor": setup.tensor, "pipeline": setup.pipeline}
    split = [f"{kind} parallel {ranks}" for kind, ranks in kinds.items() if ranks > 1]
    return (f"ZeRO stage {setup.stage}", *offloads, *split, *filter(None, (setup.precision,)))


def _list_item_lines(items: Iterable[Item], write: Callable[[float], str] = format_size) -> list[ReportLine]:
    return [ReportLine(item.name, write(item.low), write(item.high), item.formula, item) for item in items]


def _make_sum_line(
    name: str, write: Callable[[float], str], bounds: tuple[float, float], words: str = ""
) -> ReportLine:
    return ReportLine(name, write(bounds[0]), write(bounds[1]), words)


def _format_most(held: Total, estimate: Estimate) -> str:
    return format_size(held.high) if estimate.is_complete else UNKNOWN


def _list_fewer_lines(estimate: Estimate) -> tuple[ReportLine, ...]:
    """The memory after a loss, with the fewest workers that workers.min allows."""
    one = estimate.fewer
    held = one.estimate.per_accelerator if one else None
    if one is None or held is None:
        return ()
    high = _format_most(held, one.estimate)
    name = f"with {one.workers} worker{'s' if one.workers > 1 else ''}, after a loss"
    return (ReportLine(name, format_size(held.low), high, describe_fit(one.estimate)),)


def _make_memory_table(setup: Setup, estimate: Estimate, held: Total | None) -> Table | None:
    """What an accelerator holds when it holds most; in a step, if more is held before the first one."""
    if held is None:
        return None
    in_step = held is estimate.in_step
    low = format_size(sum(item.low for item in held.items) if held.moment == formulas.START else held.low)
    words = "" if in_step else describe_fit(estimate)
    rows = [*_list_item_lines(held.items), ReportLine("together", low, _format_most(held, estimate), words)]
    rows += [] if in_step else _list_fewer_lines(estimate)
    what = "a process" if setup.is_cpu else "an accelerator"
    when = "in a step, most of it when" if in_step else "when" if estimate.in_step else "most of it when"
    return Table(f"Memory of {what}, {when} {_describe_moment(held)}", rows, GENERAL | device.SYMBOLS)


def _describe_moment(held: Total) -> str:
    return {
        formulas.LAYERS: "the backward pass is in the layers",
        formulas.STEP: "the optimizer steps",
        host.TRAINING: "it trains",
    }.get(held.moment, held.moment)


def describe_fit(estimate: Estimate) -> str:
    """Whether a job fits its accelerators, in words; empty if their memory is unknown."""
    held, capacity = estimate.per_accelerator, estimate.capacity
    if held is None or capacity is None:
        return ""
    if estimate.fits is not None:
        return f"{'fits' if estimate.fits else 'does not fit'} in {format_size(capacity)}"
    if held.low > capacity:
        return f"most likely does not fit in {format_size(capacity)}"
    if estimate.is_complete:
        return f"may not fit in {format_size(capacity)}"
    return f"it is not known whether it fits in {format_size(capacity)}"


def _make_worker_table(estimate: Estimate, limits: Limits) -> Table | None:
    held = estimate.per_worker
    if held is None:
        return None
    rows = [
        *_list_item_lines(held.items),
        ReportLine("together", format_size(held.low), format_size(held.high), _compare_limits(held, limits)),
    ]
    legend = GENERAL | host.SYMBOLS
    return Table(f"Main memory of a worker, most of it when {_describe_moment(held)}", rows, legend)


def _compare_limits(held: Total, limits: Limits) -> str:
    parts = []
    for what, given in (("limit", limits.limit), ("node", limits.node), ("request", limits.request)):
        if given is None:
            continue
        words = "too small" if held.low > given else "enough" if held.high <= given else "may be too small"
        parts.append(f"{what} {format_size(given)}: {words}")
    return "; ".join(parts)


def _make_traffic_table(setup: Setup, estimate: Estimate) -> Table | None:
    sent = estimate.traffic
    if sent is None or not sent.per_rank[1]:
        return None
    rows = [*_list_item_lines(sent.items), _make_sum_line("together, of a rank", format_size, sent.per_rank)]
    if setup.workers > 1:
        words = "" if setup.inputs.network is None else f"network {format_bandwidth(setup.inputs.network)}"
        rows.append(_make_sum_line("of a worker, to other workers", format_size, sent.per_worker, words))
    return Table("Bytes that a rank sends in a step", rows, GENERAL | traffic.SYMBOLS)


def _make_step_table(estimate: Estimate) -> Table | None:
    step = estimate.step
    if step is None:
        return None
    tokens = f"{format_count(step.tokens)} tokens of a step"
    rows = [
        *_list_item_lines(step.items, format_seconds),
        _make_sum_line("together", format_seconds, (step.low, step.high), f"bound by {step.bound}"),
        _make_sum_line("tokens a second", format_count, step.tokens_per_second, tokens),
    ]
    return Table("Time of a step", rows, GENERAL | steps.SYMBOLS)


def _make_run_table(setup: Setup, estimate: Estimate) -> Table | None:
    run = estimate.run
    if run is None:
        return None
    trained = f"{format_digits(run.steps)} steps for {format_count(setup.inputs.tokens or 0)} tokens"
    hours = [_make_sum_line("time", lambda hours: format_seconds(hours * 3600), run.hours, trained)]
    hours.append(_make_sum_line("accelerator hours", format_count, run.accelerator_hours))
    if run.cost is not None:
        price = f"{setup.inputs.price:g} for an accelerator and hour"
        hours.append(_make_sum_line("cost", format_count, run.cost, price))
    return Table("The whole training", hours)


def _make_checkpoint_table(setup: Setup, estimate: Estimate, limits: Limits) -> Table | None:
    saved = estimate.checkpoint
    if saved is None:
        return None
    rows = [*_list_item_lines(saved.items), ReportLine("together", format_size(saved.low), format_size(saved.high))]
    if saved.seconds is not None:
        enough = "enough" if limits.to_save >= saved.seconds[1] else "too short"
        words = f"lifecycle.terminationGracePeriodSeconds gives a training {format_seconds(limits.to_save)}: {enough}"
        rows.append(_make_sum_line("time to save it", format_seconds, saved.seconds, words))
    if saved.conversion:
        rows += _list_item_lines([saved.conversion.item])
        took, words = format_seconds(saved.conversion.seconds), "on a local disk, if the number of ranks has changed"
        rows.append(ReportLine("time to convert it", took, took, words))
    if saved.volume is not None:
        name = setup.inputs.checkpoints
        given = f"storage.{name}.create.size {format_size(limits.claim)}: " if limits.claim is not None else ""
        words = ("enough" if (limits.claim or 0) >= saved.volume else "too small") if given else ""
        more = ", and a conversion" if saved.conversion else ""
        kept = f"volume for {setup.inputs.keep} and the one being written{more}"
        rows.append(ReportLine(kept, format_size(saved.volume), format_size(saved.volume), given + words))
    return Table("A checkpoint", rows, GENERAL)


def _make_measured_table(setup: Setup, estimate: Estimate) -> Table | None:
    """Estimates beside what a run has measured."""
    rows = []
    for one in measured.compare(setup, estimate, setup.inputs):
        _, value, _, words = one.cells
        low, high = (UNKNOWN if bound is None else measured.TEXTS[one.unit](bound) for bound in (one.low, one.high))
        rows.append(ReportLine(one.name, low, high, f"measured {value}{f': {words}' if words else ''}"))
    run = f"run {setup.inputs.measured_run}" if setup.inputs.measured_run else "a run"
    return Table(f"Beside what {run} has measured", rows) if rows else None


# -- text and Markdown ------------------------------------------------------------------------------------------------


def format_tables(parts: Sequence[Table], explain: bool = False) -> Iterator[str]:
    """The lines of tables, in columns. explain: with the formula of each item, its numbers, source and symbols."""
    rows = [row for part in parts for row in part.rows]
    name = max((len(row.name) for row in rows), default=0)
    low, high = (max((len(getattr(row, side)) for row in rows), default=0) for side in ("low", "high"))
    low, high = max(low, len("least")), max(high, len("most"))
    for part in parts:
        yield ""
        yield part.title
        yield f"  {'':{name}}  {'least':>{low}}  {'most':>{high}}"
        for row in part.rows:
            words = row.words if explain or row.item is None else ""
            yield f"  {row.name:{name}}  {row.low:>{low}}  {row.high:>{high}}  {words}".rstrip()
            if explain and row.item is not None:
                pad = " " * (name + low + high + 6)
                yield from (f"{pad}  {text}" for text in (f"= {row.item.numbers}", f"source: {row.item.source}"))
        if explain:
            yield from (f"    {letter}: {meaning}" for letter, meaning in list_meanings(part))


def list_meanings(part: Table) -> Iterator[tuple[str, str]]:
    """The symbols in the formulas of a table, with their meanings."""
    used = {name for row in part.rows if row.item for name in list_item_symbols(row.item)}
    return ((letter, meaning) for letter, meaning in part.legend.items() if letter in used)


def list_item_symbols(item: Item) -> Iterator[str]:
    for text in item.formula.split(" to "):
        try:
            yield from (name for name in formulas.list_symbols(text) if len(name) == 1)  # others are keys
        except SyntaxError:  # words, such as "0.1 GiB"
            continue


def format_markdown_tables(parts: Sequence[Table], explain: bool = False) -> Iterator[str]:
    for part in parts:
        more = ("formula", "numbers", "source") if explain else ("",)
        yield from ("", f"**{part.title}**", "", f"| | least | most | {' | '.join(more)} |")
        yield f"|---|--:|--:|{'---|' * len(more)}"
        for row in part.rows:
            cells = [row.words, "", ""]
            if one := row.item:
                cells = [f"`{one.formula}`", f"`{one.numbers}`", one.source] if explain else [""]
            yield format_markdown_row([row.name, row.low, row.high, *cells[: len(more)]])
        if explain and (known := [f"`{letter}`: {meaning}" for letter, meaning in list_meanings(part)]):
            yield from ("", "; ".join(known) + ".")


def format_markdown_row(cells: Iterable[str]) -> str:
    return (
        "| "
        + " | ".join(cell.replace("|", "\\|") if cell.startswith("`") else escape_markdown(cell) for cell in cells)
        + " |"
    )


def escape_markdown(text: str) -> str:
    """A text that is no HTML, no code, no link and no column in Markdown."""
    return re.sub(r"([\\<>&`\[|])", r"\\\1", text)


# -- the whole forecast -----------------------------------------------------------------------------------------------


def as_text(needs: Forecast, job: str, call: Sequence[str] = (), explain: bool = False) -> Iterator[str]:
    """The lines of a forecast. call: the words of the command that shows it, to repeat it with a change."""
    yield f"{job}: {format_heading(needs.setup, needs.estimate)}"
    yield from format_tables(make_tables(needs.setup, needs.estimate, needs.limits), explain)
    for title, lines in _list_rest(needs, call):
        yield from ("", title, *(f"  {line}" for line in lines))


def as_markdown(needs: Forecast, job: str, call: Sequence[str] = (), explain: bool = False) -> Iterator[str]:
    """The lines of a forecast in Markdown, as in `as_text`."""
    yield f"**{escape_markdown(f'{job}: {format_heading(needs.setup, needs.estimate)}')}**"
    yield from format_markdown_tables(make_tables(needs.setup, needs.estimate, needs.limits), explain)
    for title, lines in _list_rest(needs, call):
        yield from ("", f"**{title}**", "", *(f"- {escape_markdown(line)}" for line in lines))


def _list_rest(needs: Forecast, call: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """What follows the tables: a title and lines."""
    if needs.may_not_fit:
        yield _describe_remedy(needs.remedy, call)
    missing = [(one.key, one.gives) for one in needs.estimate.missing]
    if missing:
        yield "Not known, and what it would give", [*align(missing)]
    left_out = [(one.key, one.why) for one in needs.estimate.left_out]
    if left_out:
        yield "In the job, but not in this estimate", [*align(left_out)]


def _describe_remedy(remedy: Remedy | None, call: Sequence[str]) -> tuple[str, list[str]]:
    if remedy is None:
        return "No change that dsgen tries makes it fit", ["tried: micro batch, recomputation, stage, offload, workers"]
    held, capacity = remedy.estimate.per_accelerator, remedy.estimate.capacity
    assert held is not None
    assert capacity is not None
    high = format_size(held.high) if remedy.estimate.is_complete else UNKNOWN
    names = " and ".join(change.name for change in remedy.changes)
    settings = {".".join(path): as_word(value) for path, value in remedy.settings.items()}
    flags = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    lines = [f"{names}: {format_range(format_size(held.low), high)} of {format_size(capacity)}"]
    if call:
        lines.append(shlex.join([*call, *flags, "--save"]))
    if RECOMPUTE in settings:
        lines.append("the program itself must recompute activations: with Hugging Face, gradient_checkpointing=True")
    elif any(key.startswith("estimate.") for key in settings):
        lines.append("the program sets these numbers: change it, too")
    return "The cheapest change with which it fits", lines
