"""`dsgen stop`: end a run."""

import click

from dsgen.cli._cluster import change_options, confirm_change, run_options
from dsgen.cli._console import echo
from dsgen.cluster.actions import describe_freed, format_objects, has_ended, list_run_jobs, refuse_reverted, stop_run
from dsgen.cluster.models import RunState
from dsgen.cluster.runs import RunRef
from dsgen.errors import EXIT_FINDINGS, EXIT_OK


@click.command("stop")
@run_options("-f", "--values")
@change_options
def command(ref: RunRef, yes: bool, force: bool) -> int:
    """End a run.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The ranks get SIGTERM and can write a checkpoint. The
    phase becomes Stopped, and the workers end. To train again, use another run.id.

    \b
    Examples:
      dsgen stop cifar
      dsgen stop training/cifar --run 2 --yes
    """
    state = ref.read_state()
    if has_ended(state):
        echo([f"{ref.title}, run {state.run}: it has ended, {state.record['phase']}"])
        return EXIT_OK
    if not force:
        refuse_reverted(state, "set lifecycle.suspend: true")
    free = describe_freed(state)
    words = f"stop {ref.title}, run {state.run}" + (f": frees {free}" if free else "") + "\n"
    if not confirm_change(words + format_objects(list_run_jobs(state)), yes):
        return EXIT_FINDINGS
    return stop(ref, state)


def stop(ref: RunRef, state: RunState) -> int:
    """Stop the run, and print how it ended."""
    if ended := stop_run(ref, state):
        echo([f"{ref.title}, run {ended.run}: {ended.record['phase']}"])
        return EXIT_OK
    echo(["some workers have not ended yet; dsgen status shows them"])
    return EXIT_FINDINGS
