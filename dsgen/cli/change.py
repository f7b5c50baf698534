"""The commands that change a run: `dsgen stop`, `suspend`, `resume` and `delete`."""

import click

from dsgen.cli._cluster import change_options, confirm_change, run_options
from dsgen.cli._console import echo
from dsgen.cluster.actions import (
    delete_objects,
    describe_freed,
    format_objects,
    has_ended,
    list_objects,
    list_run_jobs,
    list_suspended_jobs,
    refuse_reverted,
    stop_run,
    suspend_jobs,
)
from dsgen.cluster.models import RunState
from dsgen.cluster.runs import RunRef
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageError


@click.command("stop")
@run_options("-f", "--values")
@change_options
def stop(ref: RunRef, yes: bool, force: bool) -> int:
    """End a run.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The ranks get SIGTERM and can write a checkpoint. The
    phase becomes Stopped, and the workers end. To train again, use another run.id.

    \b
    Examples:
      dsgen stop cifar
      dsgen stop training/cifar --run 2 --yes
    """
    return _change(ref, "stop", yes, force)


def _change(ref: RunRef, verb: str, yes: bool, force: bool) -> int:
    """Stop, suspend or resume a run that has not ended, after a confirmation."""
    state, pauses = ref.read_state(), verb != "resume"
    if has_ended(state):
        echo([f"{ref.title}, run {state.run}: it has ended, {state.record['phase']}"])
        return EXIT_OK if verb == "stop" else EXIT_FINDINGS
    if not force:
        refuse_reverted(state, f"set lifecycle.suspend: {str(pauses).lower()}")
    jobs = list_run_jobs(state) if verb == "stop" else list_suspended_jobs(state, pauses)
    free = describe_freed(state) if pauses else ""
    words = f"{verb} {ref.title}, run {state.run}" + (f": frees {free}" if free else "") + "\n"
    if not confirm_change(words + format_objects(jobs), yes):
        return EXIT_FINDINGS
    if verb == "stop":
        return end_run(ref, state)
    suspend_jobs(ref.cluster, jobs, pauses)
    return EXIT_OK


def end_run(ref: RunRef, state: RunState) -> int:
    """Stop the run, and print how it ended."""
    if ended := stop_run(ref, state):
        echo([f"{ref.title}, run {ended.run}: {ended.record['phase']}"])
        return EXIT_OK
    echo(["some workers have not ended yet; dsgen status shows them"])
    return EXIT_FINDINGS


@click.command("suspend")
@run_options("-f", "--values")
@change_options
def suspend(ref: RunRef, yes: bool, force: bool) -> int:
    """Pause a run: delete its pods and keep its Jobs.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The ranks get SIGTERM and can write a checkpoint;
    `dsgen resume` starts the run again.

    \b
    Examples:
      dsgen suspend cifar
      dsgen suspend training/cifar --yes
    """
    return _change(ref, "suspend", yes, force)


@click.command("resume")
@run_options("-f", "--values")
@change_options
def resume(ref: RunRef, yes: bool, force: bool) -> int:
    """Resume a suspended run.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. A run in a queue of Kueue starts when
    its queue admits it.

    \b
    Examples:
      dsgen resume cifar
      dsgen resume training/cifar --yes
    """
    return _change(ref, "resume", yes, force)


@click.command("delete")
@run_options("-f", "--values")
@click.option("--job", "whole", is_flag=True, help="Delete the whole job with its record and key; its claims are kept.")
@click.option("--with-volumes", metavar="JOB", help="With --job: also delete the claims; repeat the name of the job.")
@change_options
def delete(ref: RunRef, whole: bool, with_volumes: str | None, yes: bool, force: bool) -> int:
    """Delete the objects of a run.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The record of the job is kept. If the run has not
    ended, its ranks get SIGTERM; `dsgen stop` also waits for their end.

    \b
    Examples:
      dsgen delete cifar --run 1
      dsgen delete cifar --job --yes
      dsgen delete cifar --job --with-volumes cifar
    """
    if with_volumes is not None and (not whole or with_volumes != ref.job):
        raise UsageError(f"--with-volumes deletes data: use --job --with-volumes {ref.job}")
    state = ref.read_state(around=True)
    if not force:
        refuse_reverted(state, "")
    objects = list_objects(ref.cluster, state, whole, with_volumes is not None)
    kept = [] if with_volumes else [claim["metadata"]["name"] for claim in state.claims or []]
    words = f"delete {ref.title}" + ("" if whole else f", run {state.run}") + "\n" + format_objects(objects)
    words += f"kept: {', '.join(f'claim {name}' for name in kept)}\n" if kept else ""
    if not confirm_change(words, yes):
        return EXIT_FINDINGS
    delete_objects(ref.cluster, objects)
    echo([f"{len(objects)} objects deleted"])
    return EXIT_OK
