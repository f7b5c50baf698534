"""The commands by name.

A command's module is imported when it is asked for, so that no command pays for another's imports.
"""

from importlib import import_module

import click

from dsgen import __version__

ON_FILES = (
    *("init", "render", "chart", "gitops"),
    *("validate", "values", "explain", "schema", "graph", "help", "completion"),
)
ON_CLUSTERS = ("list", "status", "why", "wait", "logs", "stop", "suspend", "resume", "delete")
COMMANDS = (*ON_FILES, *ON_CLUSTERS)


class _Commands(click.Group):
    """Finds each command `x` as `command` in dsgen.cli.x."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*COMMANDS]  # the name `list` is that of a command here, once it was imported

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"dsgen.cli.{cmd_name}").command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dsgen")
def dsgen() -> None:
    """Turn one values file into a distributed DeepSpeed training on Kubernetes.

    \b
    Examples:
      dsgen init llama.yaml --preset multi-node-gpu
      dsgen render cifar.yaml | kubectl apply -f -
      dsgen chart cifar.yaml -o chart
      dsgen validate cifar.yaml

    \b
    On a cluster:
      dsgen list
      dsgen status cifar
      dsgen why cifar

    \b
    Exit codes:
      0  done
      1  problems in the values files, or a folder that differs or would lose something
      2  wrong usage of the command line
      3  could not do it: a file cannot be read or written, the cluster cannot be asked
    """
