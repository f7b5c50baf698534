"""`dsgen stop`: end a run."""

import time

import click

from dsgen.cli._cluster import RunRef, change_options, confirm_change, refuse_reverted, run_options
from dsgen.cli._console import echo
from dsgen.cluster.actions import describe_freed, format_objects, has_ended, list_run_jobs, make_stopped_record
from dsgen.cluster.models import RunState
from dsgen.cluster.reader import RECORD_SUFFIX, api_path
from dsgen.errors import EXIT_FINDINGS, EXIT_OK

PATIENCE_SECONDS = 600


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
    state = ref.state()
    if has_ended(state):
        echo([f"{ref.title}, run {state.run}: it has ended, {state.record['phase']}"])
        return EXIT_OK
    refuse_reverted(state, force, "set lifecycle.suspend: true")
    free = describe_freed(state)
    words = f"stop {ref.title}, run {state.run}" + (f": frees {free}" if free else "") + "\n"
    if not confirm_change(words + format_objects(list_run_jobs(state)), yes):
        return EXIT_FINDINGS
    return stop(ref, state)


def stop(ref: RunRef, state: RunState) -> int:
    """Delete the launcher Job of the run, and wait for the end of all pods."""
    ref.run = state.run
    for job in list_run_jobs(state)[:1]:
        ref.cluster.delete(job.path)
    return _ended(ref)


def _ended(ref: RunRef) -> int:
    """Wait for the end of the record and of the workers; without a launcher, write the record."""
    for state in ref.looks(time.monotonic() + PATIENCE_SECONDS):
        if state.launcher or any(not pod.gone for pod in state.pods_of("launcher")):
            continue
        if not has_ended(state):
            path = api_path("configmaps", ref.namespace, ref.job + RECORD_SUFFIX)
            ref.cluster.patch(path, make_stopped_record(state))
        elif all(pod.gone or not pod.node for pod in state.workers):
            echo([f"{ref.title}, run {state.run}: {state.record['phase']}"])
            return EXIT_OK
    echo(["some workers have not ended yet; dsgen status shows them"])
    return EXIT_FINDINGS
