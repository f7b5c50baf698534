"""`dsgen suspend`: pause a run."""

import click

from dsgen.cli._cluster import change_options, confirm_change, run_options
from dsgen.cli._console import echo
from dsgen.cluster.actions import (
    describe_freed,
    format_objects,
    has_ended,
    list_suspended_jobs,
    refuse_reverted,
    suspend_jobs,
)
from dsgen.cluster.runs import RunRef
from dsgen.errors import EXIT_FINDINGS, EXIT_OK


@click.command("suspend")
@run_options("-f", "--values")
@change_options
def command(ref: RunRef, yes: bool, force: bool) -> int:
    """Pause a run: delete its pods and keep its Jobs.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The ranks get SIGTERM and can write a checkpoint;
    `dsgen resume` starts the run again.

    \b
    Examples:
      dsgen suspend cifar
      dsgen suspend training/cifar --yes
    """
    return suspend(ref, True, yes, force)


def suspend(ref: RunRef, on: bool, yes: bool, force: bool) -> int:
    """Suspend or resume the Jobs of the run, after a confirmation."""
    state = ref.read_state()
    verb = "suspend" if on else "resume"
    if has_ended(state):
        echo([f"{ref.title}, run {state.run}: it has ended, {state.record['phase']}"])
        return EXIT_FINDINGS
    if not force:
        refuse_reverted(state, f"set lifecycle.suspend: {str(on).lower()}")
    jobs = list_suspended_jobs(state, on)
    free = describe_freed(state) if on else ""
    words = f"{verb} {ref.title}, run {state.run}" + (f": frees {free}" if free else "") + "\n"
    if not confirm_change(words + format_objects(jobs), yes):
        return EXIT_FINDINGS
    suspend_jobs(ref.cluster, jobs, on)
    return EXIT_OK
