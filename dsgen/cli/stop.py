"""`dsgen stop`: end a run."""

import time

import click

from dsgen.cli._actions import agreed, asking, refuse_what_comes_back
from dsgen.cli._cluster import Target, target
from dsgen.cli._printed import say
from dsgen.cluster import actions, collect
from dsgen.cluster.collect import RECORD_SUFFIX
from dsgen.cluster.facts import Facts
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
    facts = target.facts()
    if actions.has_ended(facts):
        say([f"{target.title}, run {facts.run}: it has ended, {facts.record['phase']}"])
        return EXIT_OK
    refuse_what_comes_back(facts, force, "set lifecycle.suspend: true")
    free = actions.held(facts)
    words = f"stop {target.title}, run {facts.run}" + (f": frees {free}" if free else "") + "\n"
    if not agreed(words + actions.listed(actions.jobs(facts)), yes):
        return EXIT_FINDINGS
    return stop(target, facts)


def stop(target: Target, facts: Facts) -> int:
    """Delete the launcher Job of the run, and wait for the end of all pods."""
    target.run = facts.run
    for job in actions.jobs(facts)[:1]:
        target.cluster.delete(job.path)
    return _ended(target)


def _ended(target: Target) -> int:
    """Wait for the end of the record and of the workers; without a launcher, write the record."""
    for facts in target.looks(time.monotonic() + PATIENCE_SECONDS):
        if facts.launcher or any(not pod.gone for pod in facts.pods_of("launcher")):
            continue
        if not actions.has_ended(facts):
            path = collect.path("configmaps", target.namespace, target.job + RECORD_SUFFIX)
            target.cluster.patch(path, actions.stopped_record(facts))
        elif all(pod.gone or not pod.node for pod in facts.workers):
            say([f"{target.title}, run {facts.run}: {facts.record['phase']}"])
            return EXIT_OK
    say(["some workers have not ended yet; dsgen status shows them"])
    return EXIT_FINDINGS
