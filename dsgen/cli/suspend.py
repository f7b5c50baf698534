"""`dsgen suspend`: pause a run."""

import click

from dsgen.cli._cluster import RunRef, change_options, confirm_change, refuse_reverted, run_options
from dsgen.cli._console import echo
from dsgen.cluster.actions import describe_freed, format_objects, has_ended, list_run_jobs
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
    """Set spec.suspend of both Jobs, that of the launcher first: otherwise it would treat its workers as lost."""
    state = ref.state()
    verb = "suspend" if on else "resume"
    if has_ended(state):
        echo([f"{ref.title}, run {state.run}: it has ended, {state.record['phase']}"])
        return EXIT_FINDINGS
    refuse_reverted(state, force, f"set lifecycle.suspend: {str(on).lower()}")
    jobs = list_run_jobs(state)
    if not on and state.worker and state.worker.queue:
        jobs = jobs[:1]  # the queue resumes the worker Job
    free = describe_freed(state) if on else ""
    words = f"{verb} {ref.title}, run {state.run}" + (f": frees {free}" if free else "") + "\n"
    if not confirm_change(words + format_objects(jobs), yes):
        return EXIT_FINDINGS
    for job in jobs:
        ref.cluster.patch(job.path, {"spec": {"suspend": on}})
    return EXIT_OK
