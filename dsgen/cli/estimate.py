"""`dsgen estimate`: print what a training needs, before a GPU is held."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from dsgen import api, forecasts, schema
from dsgen.cli import completion
from dsgen.cli._console import echo, write
from dsgen.cli._loading import STDIN, LoadedJob, Report, check_jobs, refuse_several
from dsgen.cli._options import Inputs, cluster_choice, input_options
from dsgen.deepspeed.keys import load_table
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, NotFoundError, UsageError
from dsgen.estimate import changes, estimates, report
from dsgen.estimate import inputs as estimate_inputs
from dsgen.estimate.changes import Point, as_word
from dsgen.estimate.forecast import Forecast
from dsgen.estimate.quantities import format_count, format_range, format_seconds, format_size
from dsgen.language.text import align
from dsgen.schema.suggestions import did_you_mean, find_closest
from dsgen.values import Job, Override

RECOMPUTE = "estimate.model.recompute"
FORMS = ("text", "json", "markdown", "svg")
MOST = 256
"""Combinations of a sweep."""
CONFIG = "training.deepspeed.config"
ABOVE = (CONFIG, f"{CONFIG}.zero_optimization", "workers", "estimate.model", "estimate.accelerator", "estimate")
"""Where a key is looked for that is not at the top: `stage` is a key of zero_optimization."""
CHEAPEST = "the cheapest that fits"


@click.command("estimate")
@input_options(many=False)
@click.option(
    "--model",
    "config",
    metavar="PATH",
    shell_complete=completion.files,
    help="Take the numbers of the model from this config.json of Hugging Face.",
)
@click.option("--measured", is_flag=True, help="Compare it with what the newest run in the cluster has measured.")
@cluster_choice
@click.option(
    "--save", is_flag=True, help="Write the numbers of --model and --measured, and the values of --set, into FILE."
)
@click.option(
    "--sweep",
    "axes",
    multiple=True,
    metavar="KEY=A,B,...",
    shell_complete=completion.assigned,
    help="Estimate the job with each of these values, and mark the cheapest one that fits; repeatable.",
)
@click.option("--explain", is_flag=True, help="Show each formula, with the numbers in it and its source.")
@click.option(
    "-o",
    "--output",
    "form",
    type=click.Choice(FORMS),
    default=FORMS[0],
    help="json for programs; svg is a picture of the memory, or of a sweep.  [default: text]",
)
def command(
    inputs: Inputs,
    config: str | None,
    measured: bool,
    context: str,
    kubeconfig: str,
    save: bool,
    axes: tuple[str, ...],
    explain: bool,
    form: str,
) -> int:
    """Estimate memory, time, traffic and disk of a training.

    What an accelerator and a worker hold, what a step sends and how long it takes, and the size of a checkpoint: each
    as a range, from the values of the job and its section `estimate`. Nothing is guessed: what is missing is listed
    with what it would give. If the job may not fit, the cheapest change with which it fits is shown. --measured shows
    by how much the estimate was off, and with --save, later estimates show it, too.

    \b
    Examples:
      dsgen estimate llama.yaml
      dsgen estimate llama.yaml --model config.json --set estimate.model.sequence=4096 --save
      dsgen estimate llama.yaml --explain
      dsgen estimate llama.yaml --sweep workers.replicas=1,2,4 --sweep stage=2,3
      dsgen estimate llama.yaml -o svg > memory.svg
    """
    if not inputs.has_files:
        raise UsageError("give a values file, as in: dsgen estimate cifar.yaml")
    given = [] if save else _list_words(inputs, config)
    loaded, inputs = _load_with_model(inputs, config)
    if measured:
        inputs = _add_model(inputs, _read_measures(loaded, context, kubeconfig))
        loaded = check_jobs(inputs, with_estimate=False)[0][0]
    if save:
        loaded = _save(loaded, inputs)
    if axes:
        if explain:
            raise UsageError("--explain shows one estimate: leave out --sweep")
        return _sweep(inputs, axes, form)
    forecast = forecasts.forecast_job(loaded.job)
    if form == "json":
        write(json.dumps(forecasts.as_data(loaded.job, forecast), indent=2) + "\n")
    elif form == "svg":
        from dsgen.graph.estimates import draw_memory  # imported late: only pictures need it

        write(draw_memory(forecast.setup, forecast.estimate))
    else:
        call = [] if loaded.file == STDIN else ["dsgen", "estimate", loaded.file, *given]
        write_as = _as_markdown if form == "markdown" else _as_text
        echo(write_as(loaded.job, forecast, call, explain))
    return EXIT_OK


# -- the job and its model --------------------------------------------------------------------------------------------


def _load(inputs: Inputs) -> LoadedJob:
    """The job of the command line. Prints its problems, except for those that the estimate itself shows."""
    jobs, problems = check_jobs(inputs, with_estimate=False)
    problems.show()
    refuse_several(inputs, [each.release.name for each in jobs], "an estimate is of one job")
    return jobs[0]


def _load_with_model(inputs: Inputs, config: str | None) -> tuple[LoadedJob, Inputs]:
    """The job, and the inputs with the numbers of its model as values."""
    if config is None:
        return _load(inputs), inputs
    model = forecasts.read_model(config, api.read(config).text)
    with_model = _add_model(inputs, forecasts.make_settings(model))
    loaded = _load(with_model)
    settings = forecasts.make_settings(model, loaded.job)
    if None in settings.values():
        with_model = _add_model(inputs, settings)
        loaded = _load(with_model)
    return loaded, with_model


def _read_measures(loaded: LoadedJob, context: str, kubeconfig: str) -> dict[str, Any]:
    """Keys with what the newest run of a job has measured; empty for what a job has of an earlier run only."""
    from dsgen.cli._cluster import connect  # imported late: only --measured needs a cluster
    from dsgen.cluster.runs import MEASURED, RunRef, read_measures

    cluster, names = connect(context, kubeconfig), loaded.job.release
    ref = RunRef(cluster, names.namespace or cluster.namespace, names.name)
    state = ref.read_state()
    found = read_measures(cluster, state)
    if not found:
        advice = "print step and memory, and set lifecycle.progress.pattern"
        raise NotFoundError(f"run {state.run} of {ref.title} has measured nothing: {advice}")
    before = loaded.job.data["estimate"]["measured"]
    unknown = {key: None if key == "secondsPerStep" else "" for key in before if before[key] and key not in found}
    return {f"{MEASURED}.{key}": value for key, value in {**found, **unknown}.items()}


def _add_model(inputs: Inputs, settings: Mapping[str, Any]) -> Inputs:
    model = (Override("--set-json", f"{key}={json.dumps(number)}") for key, number in settings.items())
    return inputs._replace(overrides=(*model, *inputs.overrides))


def _save(loaded: LoadedJob, inputs: Inputs) -> LoadedJob:
    """Writes the values of the flags into the file of the job; comments are kept."""
    from dsgen.cli._delivery import make_edit  # imported late: only --save needs it
    from dsgen.problems import Diagnostic
    from dsgen.runs.bump import bump

    if not inputs.overrides:
        raise UsageError(
            "--save writes the numbers of --model and --measured, and the values of --set: give one of them"
        )
    saved = bump(loaded.job, (), loaded.reload, inputs.overrides, has_new_id=False, option="--save")
    if isinstance(saved, Diagnostic):
        Report(problems=[saved], sources=loaded.job.sources).show()
        return loaded
    if not saved.summary:
        echo([f"{loaded.file}: nothing to write"], err=True)
        return loaded
    make_edit(loaded, saved).write()
    echo([f"{loaded.file}: {saved.summary}"], err=True)
    return loaded._replace(job=saved.job)


# -- the output -------------------------------------------------------------------------------------------------------


def _format_title(job: Job, forecast: Forecast) -> str:
    names = job.release
    return f"job {names.namespace}/{names.name}: {report.format_heading(forecast.setup, forecast.estimate)}"


def _as_text(job: Job, forecast: Forecast, call: Sequence[str], explain: bool) -> Iterator[str]:
    yield f"{job.file}: {_format_title(job, forecast)}"
    yield from report.as_text(report.make_tables(forecast.setup, forecast.estimate, forecast.limits), explain)
    for title, lines in _list_rest(forecast, call):
        yield ""
        yield title
        yield from (f"  {line}" for line in lines)


def _as_markdown(job: Job, forecast: Forecast, call: Sequence[str], explain: bool) -> Iterator[str]:
    yield f"**{_format_title(job, forecast)}**"
    yield from report.as_markdown(report.make_tables(forecast.setup, forecast.estimate, forecast.limits), explain)
    for title, lines in _list_rest(forecast, call):
        yield from ("", f"**{title}**", "")
        yield from (f"- {line}" for line in lines)


def _list_rest(forecast: Forecast, call: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """What follows the tables: a title and lines. call: the words of this command, to repeat it, or none."""
    if forecast.may_not_fit:
        yield _describe_remedy(forecast, call)
    missing = [(one.key, one.gives) for one in forecast.estimate.missing]
    if missing:
        yield "Not known, and what it would give", [*align(missing)]
    left_out = [(one.key, one.why) for one in forecast.estimate.left_out]
    if left_out:
        yield "In the job, but not in this estimate", [*align(left_out)]


def _list_words(inputs: Inputs, config: str | None) -> list[str]:
    """The options of a call that change the job, to repeat them."""
    model = [] if config is None else ["--model", config]
    overlays = [word for name in inputs.overlays for word in ("-f", name)]
    return [*overlays, *model, *(word for one in inputs.overrides for word in (one.flag, one.text))]


def _describe_remedy(forecast: Forecast, call: Sequence[str]) -> tuple[str, list[str]]:
    remedy = forecast.remedy
    if remedy is None:
        return "No change that dsgen tries makes it fit", ["tried: micro batch, recomputation, stage, offload, workers"]
    held, capacity = remedy.estimate.per_accelerator, remedy.estimate.capacity
    assert held is not None
    assert capacity is not None
    high = format_size(held.high) if remedy.estimate.is_complete else report.UNKNOWN
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


# -- sweeps -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attempt:
    """One combination. refused: why the values are not valid; otherwise point is its estimate."""

    words: tuple[str, ...]
    point: Point | None
    refused: str = ""


def _sweep(inputs: Inputs, axes: Sequence[str], form: str) -> int:
    """Print the estimates of all combinations. The exit code is 1 if no combination is valid."""
    keys = dict(_parse_axis(text) for text in axes)
    if len(keys) < len(axes):
        raise UsageError("--sweep: a key can have only one list of values")
    combinations = list(itertools.product(*keys.values()))
    if len(combinations) > MOST:
        raise UsageError(f"--sweep: these are {len(combinations)} combinations, and {MOST} are possible")
    attempts = _mark_cheapest([_make_attempt(inputs, tuple(keys), words) for words in combinations])
    names = [key.rpartition(".")[2] if _is_short(key) else key for key in keys]
    if form == "json":
        write(json.dumps({"points": [_as_data(tuple(keys), each) for each in attempts]}, indent=2) + "\n")
    elif form == "svg":
        from dsgen.graph.estimates import draw_sweep  # imported late: only pictures need it

        write(draw_sweep(names, [(each.words, each.point) for each in attempts]))
    else:
        rows = [[*names, "accelerators", "memory of one", "step", "tokens a second", ""], *map(_format_row, attempts)]
        echo(_format_markdown(rows) if form == "markdown" else align(rows))
    return EXIT_OK if any(each.point for each in attempts) else EXIT_FINDINGS


# -- the keys of a sweep ----------------------------------------------------------------------------------------------


def _parse_axis(text: str) -> tuple[str, list[str]]:
    key, sign, values = text.partition("=")
    words = [word.strip() for word in values.split(",")]
    if not sign or not all(words):
        raise UsageError(f"--sweep {text}: write a key and its values, as in workers.replicas=1,2,4")
    return _complete_key(key.strip().lstrip(".")), words


def _complete_key(key: str) -> str:
    """A key with all that is above it. Raises UsageError for a key that is unknown."""
    for above in ("", *ABOVE):
        path = f"{above}.{key}" if above else key
        if _is_known(path):
            return path
    below = [name for above in ABOVE for name in _list_names(above)]
    question = did_you_mean(find_closest(key.rpartition(".")[2], below))
    raise UsageError(f"--sweep {key}: there is no such key" + (f"; {question}" if question else ""))


def _is_known(path: str) -> bool:
    parts = path.split(".")
    if path.startswith(f"{CONFIG}."):
        return parts[-1] in _list_names(path.rpartition(".")[0])
    rule = schema.find_part(parts)
    return rule is not None and not schema.is_record(rule)


def _list_names(above: str) -> list[str]:
    """The keys below a path."""
    if above != CONFIG and not above.startswith(f"{CONFIG}."):
        rule = schema.find_part(above.split("."))
        return schema.list_keys(rule) if rule else []
    rules: Any = load_table()
    for key in above.removeprefix(CONFIG).split("."):
        rules = rules.get("keys", {}).get(key, {}) if key else rules
    return [*rules.get("keys", {})]


def _is_short(key: str) -> bool:
    """Whether the last part of a key is enough to name it."""
    return key.rpartition(".")[0] in ABOVE


# -- its combinations -------------------------------------------------------------------------------------------------


def _make_attempt(inputs: Inputs, keys: Sequence[str], words: tuple[str, ...]) -> Attempt:
    flags = (Override(_choose_flag(word), f"{key}={word}") for key, word in zip(keys, words, strict=True))
    jobs, problems = check_jobs(inputs._replace(overrides=(*inputs.overrides, *flags)), with_estimate=False)
    errors = [one for one in problems.problems if one.severity == "error"]
    if errors or len(jobs) != 1:
        return Attempt(words, None, errors[0].message if errors else "this is not one job")
    data, settings = jobs[0].job.data, dict(zip(keys, words, strict=True))
    return Attempt(words, changes.make_point(settings, data, estimate_inputs.read_section(data["estimate"])))


def _choose_flag(word: str) -> str:
    """With --set, as with Helm's, 0.5 and 1e9 are texts."""
    return "--set-json" if re.fullmatch(r"[0-9]+([.][0-9]+)?(e[+]?[0-9]+)?", word) else "--set"


def _mark_cheapest(attempts: Sequence[Attempt]) -> list[Attempt]:
    points = iter(changes.mark_cheapest([each.point for each in attempts if each.point]))
    return [replace(each, point=next(points)) if each.point else each for each in attempts]


# -- its output -------------------------------------------------------------------------------------------------------


def _as_data(keys: Sequence[str], attempt: Attempt) -> dict[str, Any]:
    settings = dict(zip(keys, attempt.words, strict=True))
    if attempt.point is None:
        return {"settings": settings, "refused": attempt.refused}
    point = attempt.point
    return {
        "settings": settings,
        "accelerators": point.accelerators,
        "isCheapest": point.is_cheapest,
        **estimates.as_data(point.estimate),
    }


def _format_row(attempt: Attempt) -> list[str]:
    point = attempt.point
    if point is None:
        return [*attempt.words, "", "", "", "", f"refused: {attempt.refused}"]
    estimate, step = point.estimate, point.estimate.step
    held = estimate.per_accelerator
    high = report.UNKNOWN if held is None or not estimate.is_complete else format_size(held.high)
    verdict = report.describe_fit(estimate)
    return [
        *attempt.words,
        format_count(point.accelerators),
        format_range(format_size(held.low), high) if held else report.UNKNOWN,
        format_range(format_seconds(step.low), format_seconds(step.high)) if step else report.UNKNOWN,
        format_range(*map(format_count, step.tokens_per_second)) if step else report.UNKNOWN,
        ", ".join(filter(None, (verdict, CHEAPEST if point.is_cheapest else ""))),
    ]


def _format_markdown(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    first, *rest = rows
    yield report.format_markdown_row(first)
    yield "|---" * len(first) + "|"
    yield from map(report.format_markdown_row, rest)
