"""`dsgen runtime`: print the scripts that jobs share, or remove those that no run uses."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from dsgen.cli._cluster import confirm_change, connect
from dsgen.cli._console import echo, write
from dsgen.cli._options import cluster_choice
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from dsgen.render import render_runtime
from dsgen.schema import find_part


@click.command("runtime")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace of the jobs.  [default: of the context]")
@click.option("--name", default="", metavar="NAME", help="runtime.name of the jobs.  [default: dsgen-runtime]")
@click.option("--unused", is_flag=True, help="List the scripts in the cluster that no Job of the namespace names.")
@click.option("--delete", is_flag=True, help="With --unused: delete them.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@cluster_choice
def command(namespace: str, name: str, unused: bool, delete: bool, yes: bool, context: str, kubeconfig: str) -> int:
    """Print the scripts that the jobs of a namespace share, or list the scripts that no run uses.

    Jobs with runtime.create: false use them: dsgen runtime -n training | kubectl apply --server-side -f -. --unused
    also lists old scripts of single jobs. It leaves out what the nearest dsgen.yaml has in the folder dsgen-runtime.

    \b
    Examples:
      dsgen runtime -n training --unused
      dsgen runtime -n training --unused --delete
    """
    if delete and not unused:
        raise UsageError("--delete removes what --unused lists: add --unused")
    if not unused:
        space = namespace or connect(context, kubeconfig).namespace
        default = (find_part(("runtime", "name")) or {})["default"]
        write("---\n".join(document.text for document in render_runtime(name or default, space)))
        return EXIT_OK
    # Imported late: printing needs no cluster.
    from dsgen.cluster.actions import delete_objects, format_objects, list_unused_scripts

    cluster = connect(context, kubeconfig)
    space = namespace or cluster.namespace
    found = list_unused_scripts(cluster, space, _list_kept(space))
    if not delete:
        echo(one.title for one in found)
    elif found and not confirm_change(f"delete unused scripts of {space}\n{format_objects(found)}", yes):
        return EXIT_FINDINGS
    else:
        delete_objects(cluster, found)
        echo([f"{len(found)} objects deleted"])
    return EXIT_OK


def _list_kept(namespace: str) -> Iterator[str]:
    """The digests that the repository of the working folder has for a namespace."""
    from dsgen.reading import find_root  # imported late, as above
    from dsgen.repository import place_scripts, settings
    from dsgen.writer import Folder, read_index

    if root := find_root(os.curdir):
        with Folder(place_scripts(settings.load(Path(root)), "output", namespace)) as folder:
            index = read_index(folder)
        yield from (path.removesuffix(".yaml").rpartition("-")[2] for path in (index.files if index else ()))
