"""`dsgen graph`: draw the objects of a job."""

import click

from dsgen import api, graph
from dsgen.cli._console import write
from dsgen.cli._loading import check_jobs, refuse_several
from dsgen.cli._options import Inputs, format_option, input_options
from dsgen.errors import EXIT_OK, UsageError
from dsgen.values import Job


@click.command("graph")
@input_options(many=False)
@click.option("--memory", is_flag=True, help="Draw what an accelerator holds, by dsgen estimate; as svg.")
@format_option("svg", "mermaid", help="GitHub and GitLab draw mermaid in Markdown.")
def command(inputs: Inputs, memory: bool, form: str) -> int:
    """Draw the objects of a job and the traffic between them.

    The picture is made from the rendered objects: what pods mount and read, which labels select them, to which ports
    they connect, and what their Roles allow. Objects with a dashed border must exist before. The SVG follows the light
    or dark mode of the viewer.

    \b
    Examples:
      dsgen graph cifar.yaml > cifar.svg
      dsgen graph cifar.yaml --format mermaid > cifar.mmd
      dsgen graph cifar.yaml --memory > memory.svg
    """
    if not inputs.has_files:
        raise UsageError("give a values file, as in: dsgen graph cifar.yaml > cifar.svg")
    if memory and form != "svg":
        raise UsageError("--memory draws svg: leave out --format")
    jobs, report = check_jobs(inputs, with_estimate=not memory)
    report.show_first("text")
    refuse_several(inputs, [job.release.name for job in jobs], "the picture shows one job")
    job = jobs[0].job
    if memory:
        return _draw_memory(job)
    names = job.release
    title = f"The objects of job {names.name} in namespace {names.namespace}, and the traffic between them"
    write(graph.FORMS[form](graph.read_graph([document.text for document in api.render(job)]), title))
    return EXIT_OK


def _draw_memory(job: Job) -> int:
    from dsgen import forecasts  # imported late: the other picture needs neither
    from dsgen.graph.estimates import draw_memory

    forecast = forecasts.forecast_job(job)
    write(draw_memory(forecast.setup, forecast.estimate))
    return EXIT_OK
