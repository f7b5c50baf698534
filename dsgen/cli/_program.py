"""The program for click: its help, and the commands by name.

The module of a command is imported only if the command is used, so that it costs nothing for the list of commands and
for other commands.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dsgen import __version__
from dsgen.cli import _shared
from dsgen.cli._clicked import of_table
from dsgen.cli._commands import COMMANDS, OTHER_WORDS
from dsgen.cli._options import COMMANDS as ON_VALUES
from dsgen.cli._printed import complain_of_usage
from dsgen.errors import EXIT_INTERRUPTED, EXIT_USAGE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Commands(click.Group):
    """Finds each command `x` as `command` in dsgen.cli.x."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name in ON_VALUES:
            return of_table(ON_VALUES[cmd_name])
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = __import__(f"dsgen.cli.{cmd_name}", fromlist=["command"]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from dsgen.schema.suggestions import closest, did_you_mean

            question = did_you_mean(OTHER_WORDS.get(args[0].lower()) or closest(args[0], [*COMMANDS]))
            ctx.fail(f"No such command '{args[0]}'" + (f"; {question}" if question else "."))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem"]:
        from click.shell_completion import CompletionItem

        commands = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return commands + super(click.Group, self).shell_complete(ctx, incomplete)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="dsgen")
def dsgen() -> None:
    """Turn a values file into a distributed DeepSpeed training on Kubernetes.

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
      1  problems in the values files; a folder differs; or a file or a run must not be changed
      2  wrong usage of the command line
      3  failed: a file cannot be read or written, or the cluster cannot be reached
    """


def run(program: click.Command, arguments: Sequence[str]) -> int:
    """Run a click command and return its exit code, like `_shared.run`."""
    return _shared.run(lambda: _run(program, arguments))


def _run(program: click.Command, arguments: Sequence[str]) -> int:
    try:
        code: int | None = program.main(list(arguments), prog_name="dsgen", standalone_mode=False)
    except click.ClickException as error:
        complain_of_usage(error)
        return EXIT_USAGE
    except click.Abort:
        return EXIT_INTERRUPTED
    return code or 0
