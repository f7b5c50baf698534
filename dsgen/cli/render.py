"""The commands that write or draw the objects of jobs: `dsgen render`, `dsgen chart` and `dsgen graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dsgen.cli._console import echo, show_progress, write
from dsgen.cli._loading import load_chart, load_jobs, load_only
from dsgen.cli._options import (
    NO_PRUNE,
    Delivery,
    Inputs,
    delivery_options,
    folder_option,
    input_options,
    kustomization_option,
)
from dsgen.errors import EXIT_OK, UsageError
from dsgen.render import render as render_job

if TYPE_CHECKING:
    from pathlib import Path


SHARED = "without the scripts that the jobs of {0} share: dsgen runtime -n {0} | kubectl apply --server-side -f -"


@click.command("render")
@input_options()
@folder_option("Write one object per file into this folder.")
@kustomization_option
@click.option(
    "--bump", is_flag=True, help="If a run would change, write the next run.id into its file; values of --set, too."
)
@delivery_options
def render(inputs: Inputs, directory: Path | None, kustomization: bool, bump: bool, delivery: Delivery) -> int:
    """Print the manifests of jobs, or write them to a folder.

    Each FILE is one job, over which all -f files are merged; without a FILE, the -f files together are one job. A FILE
    that the nearest dsgen.yaml lists is that job of dsgen.yaml. A folder means each *.yaml file in it, and `-` is
    standard input. With -d and several jobs, each job gets a folder with its name. Without any file, the jobs of the
    nearest dsgen.yaml, in this folder or a parent, are written to the folders that it sets.

    \b
    Examples:
      dsgen render cifar.yaml | kubectl apply -f -
      dsgen render cifar.yaml -f prod.yaml --set workers.replicas=4 -n training
      dsgen render cifar.yaml mnist.yaml -d manifests
      dsgen render cifar.yaml -d manifests/cifar --check
      dsgen render cifar.yaml -d manifests/cifar --bump
      dsgen render
      dsgen render --check
    """
    is_repository = not inputs.has_files
    if is_repository and directory is not None:
        raise UsageError("-d needs FILEs; for the jobs of dsgen.yaml, its `output` sets the folders")
    if delivery.prune and not is_repository:
        raise UsageError(NO_PRUNE)
    if directory is None and not is_repository and (bump or kustomization or delivery.flags):
        flags = ", ".join(filter(None, ("--bump" * bump, "--kustomization" * kustomization, delivery.flags)))
        raise UsageError(f"{flags}: these apply to a folder: add -d DIR")
    if bump and (delivery.check or delivery.mode != "keep"):
        raise UsageError("--bump changes the run id: leave out --check, --refresh and --replace")
    jobs, report = load_jobs(inputs, delivery.form)
    if directory is None and not is_repository:
        for number, each in show_progress("rendered", enumerate(jobs), len(jobs)):
            for place, document in enumerate(render_job(each.job.data, each.job.release)):
                write(f"---\n{document.text}" if number or place else document.text)
        spaces = sorted({job.job.release.namespace for job in jobs if not job.job.data["runtime"]["create"]})
        echo((SHARED.format(space) for space in spaces), err=True)
        return EXIT_OK
    # Imported late, as below: printing does not need the writer.
    from dsgen.cli._delivery import deliver, deliver_all, plan_bumps, plan_manifests

    trust = delivery.mode == "keep" and not delivery.check
    folders = plan_manifests(jobs, directory, kustomization, trust)
    if bump:
        folders = plan_bumps(folders, jobs, inputs.overrides)
    return deliver(folders, delivery, report) if directory else deliver_all(folders, "output", delivery, report)


@click.command("chart")
@input_options(many=False)
@folder_option("The folder of the chart.")
@delivery_options
def chart(inputs: Inputs, directory: Path | None, delivery: Delivery) -> int:
    """Write a Helm chart, with a job's values as its defaults.

    The chart is complete: `helm install` with it creates the same objects as `dsgen render`. It has the name of the
    job. Without a FILE, it is the chart deepspeed-job, whose releases provide the names, so --name and -n are not
    allowed. Without -d, the charts of all jobs in the nearest dsgen.yaml are written.

    \b
    Examples:
      dsgen chart -d charts/deepspeed-job
      dsgen chart cifar.yaml -d charts/cifar
      dsgen chart cifar.yaml -f prod.yaml -d charts/cifar-prod --dry-run
    """
    from dsgen.cli._delivery import deliver, deliver_all, plan_chart, plan_charts  # imported late, as above
    from dsgen.writer import Destination

    if directory is None:
        if inputs.has_files:
            raise UsageError("-d is missing, the folder of the chart, as in: dsgen chart cifar.yaml -d charts/cifar")
        jobs, report = load_jobs(inputs, delivery.form)
        return deliver_all(plan_charts(jobs), "charts", delivery, report)
    if delivery.prune:
        raise UsageError(NO_PRUNE)
    job, report = load_chart(inputs, delivery.form)
    return deliver([plan_chart(Destination(directory), job)], delivery, report)


@click.command("graph")
@input_options(many=False)
@click.option("-o", "--output", "--format", "form", type=click.Choice(("mermaid", "svg")), hidden=True)
def draw(inputs: Inputs, form: str | None) -> int:
    """Draw the objects of a job and the traffic between them.

    The output is Mermaid, which GitHub and GitLab draw in Markdown. It is made from the rendered objects: what pods
    mount and read, which labels select them, to which ports they connect, and what their Roles allow. Objects with a
    dashed border must exist before; traffic has thick arrows.

    \b
    Examples:
      dsgen graph cifar.yaml > cifar.mmd
      dsgen graph cifar.yaml --set launch.method=torchrun | mmdc -i - -o cifar.svg
    """
    if not inputs.has_files:
        raise UsageError("give a values file, as in: dsgen graph cifar.yaml > cifar.mmd")
    if form == "svg":
        raise UsageError("objects are drawn as Mermaid: leave out -o; for SVG, use mermaid-cli: mmdc -i cifar.mmd")
    job = load_only(inputs, "the picture shows one job")[0].job
    from dsgen import graph  # imported late: the other commands do not need it

    names = job.release
    title = f"The objects of job {names.name} in namespace {names.namespace}, and the traffic between them"
    write(graph.as_mermaid(graph.read_graph(document.text for document in render_job(job.data, names)), title))
    return EXIT_OK
