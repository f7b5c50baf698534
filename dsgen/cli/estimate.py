"""`dsgen estimate`: print what a training needs, before a GPU is held."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

import click

from dsgen import forecasts
from dsgen.cli import completion
from dsgen.cli._console import echo, write, write_json
from dsgen.cli._loading import STDIN, Report, RequestedJob, check_jobs, load_only
from dsgen.cli._options import Inputs, cluster_choice, input_options
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, NotFoundError, UsageError
from dsgen.estimate import report
from dsgen.reading import read_source
from dsgen.values import Job, Override

FORMS = ("text", "json", "markdown", "svg")


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
    help="json for programs; svg is a picture of the memory of one job.  [default: text]",
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
        inputs = _add_model(inputs, _read_measures(loaded.job, context, kubeconfig))
        loaded = check_jobs(inputs, with_estimate=False)[0][0]
    job = _save(loaded, inputs) if save else loaded.job
    if axes:
        if explain or form == "svg":
            raise UsageError(f"{'--explain' if explain else '-o svg'} shows one estimate: leave out --sweep")
        return _sweep(inputs, axes, form)
    forecast = forecasts.forecast_job(job)
    if form == "json":
        write_json(forecasts.as_data(job, forecast))
    elif form == "svg":
        from dsgen.graph.estimates import draw_memory  # imported late: only pictures need it

        write(draw_memory(forecast.setup, forecast.estimate))
    else:
        call = [] if job.file == STDIN else ["dsgen", "estimate", job.file, *given]
        title = f"job {job.release.namespace}/{job.release.name}"
        if form == "markdown":
            echo(report.as_markdown(forecast, title, call, explain))
        else:
            echo(report.as_text(forecast, f"{job.file}: {title}", call, explain))
    return EXIT_OK


# -- the job and its model --------------------------------------------------------------------------------------------


def _load_with_model(inputs: Inputs, config: str | None) -> tuple[RequestedJob, Inputs]:
    """The job, and the inputs with the numbers of its model as values. The estimate itself shows what does not fit."""
    load = functools.partial(load_only, why="an estimate is of one job", with_estimate=False)
    if config is None:
        return load(inputs)[0], inputs
    model = forecasts.read_model(config, read_source(config, config).text)
    with_model = _add_model(inputs, forecasts.make_settings(model))
    loaded = load(with_model)[0]
    settings = forecasts.make_settings(model, loaded.job)
    if None in settings.values():
        with_model = _add_model(inputs, settings)
        loaded = load(with_model)[0]
    return loaded, with_model


def _read_measures(job: Job, context: str, kubeconfig: str) -> dict[str, Any]:
    """Keys with what the newest run of a job has measured; empty for what a job has of an earlier run only."""
    from dsgen.cli._cluster import connect  # imported late: only --measured needs a cluster
    from dsgen.cluster.runs import MEASURED, RunRef, read_measures

    cluster, names = connect(context, kubeconfig), job.release
    ref = RunRef(cluster, names.namespace or cluster.namespace, names.name)
    state = ref.read_state()
    found = read_measures(cluster, state)
    if not found:
        advice = "print step and memory, and set lifecycle.progress.pattern"
        raise NotFoundError(f"run {state.run} of {ref.title} has measured nothing: {advice}")
    before = job.data["estimate"]["measured"]
    unknown = {key: None if key == "secondsPerStep" else "" for key in before if before[key] and key not in found}
    return {f"{MEASURED}.{key}": value for key, value in {**found, **unknown}.items()}


def _add_model(inputs: Inputs, settings: Mapping[str, Any]) -> Inputs:
    model = (Override("--set-json", f"{key}={json.dumps(number)}") for key, number in settings.items())
    return inputs._replace(overrides=(*model, *inputs.overrides))


def _save(loaded: RequestedJob, inputs: Inputs) -> Job:
    """Writes the values of the flags into the file of the job; comments are kept."""
    from dsgen.cli._delivery import Edit  # imported late: only --save needs it
    from dsgen.problems import Diagnostic
    from dsgen.runs.bump import bump

    if not inputs.overrides:
        raise UsageError(
            "--save writes the numbers of --model and --measured, and the values of --set: give one of them"
        )
    saved = bump(loaded.job, (), loaded.load, inputs.overrides, has_new_id=False, option="--save")
    if isinstance(saved, Diagnostic):
        Report(problems=[saved], sources=loaded.job.sources).show()
        return loaded.job
    if not saved.summary:
        echo([f"{loaded.job.file}: nothing to write"], err=True)
        return loaded.job
    edit = Edit(loaded, saved)
    edit.write()
    echo([edit.summary], err=True)
    return saved.job


def _list_words(inputs: Inputs, config: str | None) -> list[str]:
    """The options of a call that change the job, to repeat them."""
    model = [] if config is None else ["--model", config]
    overlays = [word for name in inputs.overlays for word in ("-f", name)]
    return [*overlays, *model, *(word for override in inputs.overrides for word in (override.flag, override.text))]


# -- sweeps -----------------------------------------------------------------------------------------------------------


def _sweep(inputs: Inputs, axes: tuple[str, ...], form: str) -> int:
    """Print the estimates of all combinations. The exit code is 1 if no combination is valid."""
    from dsgen.estimate import sweeps  # imported late: only --sweep needs it
    from dsgen.estimate.inputs import read_section

    def attempt(settings: Mapping[str, str]) -> sweeps.Attempt:
        flags = (Override(sweeps.choose_flag(word), f"{key}={word}") for key, word in settings.items())
        jobs, problems = check_jobs(inputs._replace(overrides=(*inputs.overrides, *flags)), with_estimate=False)
        errors = [problem for problem in problems.problems if problem.severity == "error"]
        if errors or len(jobs) != 1:
            return sweeps.Attempt(settings, refused=errors[0].message if errors else "this is not one job")
        return sweeps.make_attempt(settings, jobs[0].job.data, read_section(jobs[0].job.data["estimate"]))

    keys = sweeps.parse_axes(axes)
    attempts = sweeps.mark_cheapest([*map(attempt, sweeps.list_combinations(keys))])
    names = sweeps.shorten_keys(keys)
    if form == "json":
        write_json({"points": [each.as_data() for each in attempts]})
    else:
        echo(sweeps.as_markdown(names, attempts) if form == "markdown" else sweeps.as_text(names, attempts))
    return EXIT_OK if any(each.estimate for each in attempts) else EXIT_FINDINGS
