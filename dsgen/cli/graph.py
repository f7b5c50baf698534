"""`dsgen graph`: a job's objects and who talks to whom, as a picture."""

from dsgen import api, graph
from dsgen.cli._jobs import load_jobs, refuse_several
from dsgen.cli._printed import emit
from dsgen.cli._shared import Inputs
from dsgen.errors import EXIT_OK, UsageProblem


def command(inputs: Inputs, form: str) -> int:
    """Draw a job's objects and who talks to whom.

    What is drawn is found in the rendered objects: what pods mount and read, which labels select them, which ports they
    talk to, what their Roles open. Objects with a dashed border must be there already. The SVG is light or dark as its
    reader's system is.

    \b
    Examples:
      dsgen graph cifar.yaml > cifar.svg
      dsgen graph cifar.yaml --format mermaid > cifar.mmd
    """
    if not inputs.has_files:
        raise UsageProblem("give a values file, as in: dsgen graph cifar.yaml > cifar.svg")
    targets, _ = load_jobs(inputs)
    refuse_several(inputs, len(targets), "a picture shows one job")
    [(job, _)] = targets
    names = job.release
    title = f"The objects of job {names.name} in namespace {names.namespace}, and who talks to whom"
    emit(graph.FORMS[form](graph.of_texts([document.text for document in api.render(job)]), title))
    return EXIT_OK
