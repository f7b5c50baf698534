"""`dsgen delete`: delete the objects of a run or of a job."""

import click

from dsgen.cli._cluster import change_options, confirm_change, run_options
from dsgen.cli._console import echo
from dsgen.cluster.actions import delete_objects, format_objects, list_objects, refuse_reverted
from dsgen.cluster.runs import RunRef
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageError


@click.command("delete")
@run_options("-f", "--values")
@click.option("--job", "whole", is_flag=True, help="Delete the whole job with its record and key; its claims are kept.")
@click.option("--with-volumes", metavar="JOB", help="With --job: also delete the claims; repeat the name of the job.")
@change_options
def command(ref: RunRef, whole: bool, with_volumes: str | None, yes: bool, force: bool) -> int:
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
