"""`dsgen stop`: end a run."""

import time

import click

from dsgen.cli._actions import agreed, asking, refuse_what_comes_back
from dsgen.cli._cluster import Target, target
from dsgen.cli._printed import say
from dsgen.cluster.actions import describe_freed, format_objects, has_ended, list_run_jobs, make_stopped_record
from dsgen.cluster.models import RunState
from dsgen.cluster.reader import RECORD_SUFFIX, api_path
from dsgen.errors import EXIT_FINDINGS, EXIT_OK

PATIENCE_SECONDS = 600


@click.command("stop")
@target
@asking
def command(target: Target, yes: bool, force: bool) -> int:
    """End a run.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The ranks get SIGTERM and can write a checkpoint. The
    phase becomes Stopped, and the workers end. To train again, use another run.id.

    \b
    Examples:
      dsgen stop cifar
      dsgen stop training/cifar --run 2 --yes
    """
    state = target.state()
    if has_ended(state):
        say([f"{target.title}, run {state.run}: it has ended, {state.record['phase']}"])
        return EXIT_OK
    refuse_what_comes_back(state, force, "set lifecycle.suspend: true")
    free = describe_freed(state)
    words = f"stop {target.title}, run {state.run}" + (f": frees {free}" if free else "") + "\n"
    if not agreed(words + format_objects(list_run_jobs(state)), yes):
        return EXIT_FINDINGS
    return stop(target, state)


def stop(target: Target, state: RunState) -> int:
    """Delete the launcher Job of the run, and wait for the end of all pods."""
    target.run = state.run
    for job in list_run_jobs(state)[:1]:
        target.cluster.delete(job.path)
    return _ended(target)


def _ended(target: Target) -> int:
    """Wait for the end of the record and of the workers; without a launcher, write the record."""
    for state in target.looks(time.monotonic() + PATIENCE_SECONDS):
        if state.launcher or any(not pod.gone for pod in state.pods_of("launcher")):
            continue
        if not has_ended(state):
            path = api_path("configmaps", target.namespace, target.job + RECORD_SUFFIX)
            target.cluster.patch(path, make_stopped_record(state))
        elif all(pod.gone or not pod.node for pod in state.workers):
            say([f"{target.title}, run {state.run}: {state.record['phase']}"])
            return EXIT_OK
    say(["some workers have not ended yet; dsgen status shows them"])
    return EXIT_FINDINGS
