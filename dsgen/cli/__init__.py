"""The program `dsgen`: `main` runs a command line, with the commands by name.

The module of a command is imported when the command is used, so that it costs nothing for the list of commands and for
other commands. The list is a table for the same reason.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

from dsgen import __version__
from dsgen.cli._console import describe_bug, echo_error, echo_usage_error
from dsgen.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, DsgenError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ON_FILES = {
    "init": "Write a commented values file to start from.",
    "import": "Convert jobs of other systems to values files.",
    "render": "Print the manifests of jobs, or write them to a folder.",
    "chart": "Write a Helm chart, with a job's values as its defaults.",
    "gitops": "Write the objects of Argo CD or Flux that apply jobs from a Git repository.",
    "validate": "Find all problems of values files, without a cluster.",
    "values": "Print the merged values of jobs, and where each was set.",
    "diff": "Show what a render would change, by object and field.",
    "estimate": "Estimate memory, time, traffic and disk of a training.",
    "explain": "Explain a key, the id of a problem, or a reason.",
    "schema": "Print the JSON Schema of values files.",
    "graph": "Draw the objects of a job and the traffic between them.",
    "help": "Show the help of a command, or a page of the documentation.",
    "completion": "Print the script that lets bash, zsh or fish complete dsgen.",
}
ON_CLUSTERS = {
    "apply": "Apply a job to a cluster, without Git.",
    "run": "Apply a job, follow its log, and exit with its exit code.",
    "list": "List jobs with their newest runs.",
    "status": "Show the status of a run: phase, reason, attempts and pods.",
    "why": "Explain why a run waits or has failed.",
    "events": "Show what happened to a run, in chronological order.",
    "wait": "Wait until a run is admitted, runs, or has ended.",
    "logs": "Print the output of a run.",
    "top": "Show the accelerators of nodes, the queues, or what a job uses.",
    "stop": "End a run.",
    "suspend": "Pause a run: delete its pods and keep its Jobs.",
    "resume": "Resume a suspended run.",
    "delete": "Delete the objects of a run.",
    "runtime": "Print the scripts that the jobs of a namespace share, or list the scripts that no run uses.",
}
COMMANDS = ON_FILES | ON_CLUSTERS
"""Command -> the first sentence of its help."""
MODULES = {
    **dict.fromkeys(("chart", "graph"), "render"),
    "run": "apply",
    "validate": "values",
    **dict.fromkeys(("help", "schema"), "explain"),
    **dict.fromkeys(("list", "status", "why", "events", "wait", "top"), "observe"),
    **dict.fromkeys(("stop", "suspend", "resume", "delete"), "change"),
}
"""Command -> its module in this package, if that has another name."""
OTHER_WORDS = {
    **dict.fromkeys(("lint", "check", "verify"), "validate"),
    **dict.fromkeys(("template", "build", "generate", "manifests", "print"), "render"),
    **dict.fromkeys(("plan", "compare"), "diff"),
    **dict.fromkeys(("install", "upgrade", "deploy", "up"), "apply"),
    **dict.fromkeys(("submit", "train", "start", "launch", "sbatch"), "run"),
    **dict.fromkeys(("ls", "ps", "get", "jobs", "squeue"), "list"),
    **dict.fromkeys(("describe", "show", "inspect"), "status"),
    **dict.fromkeys(("cancel", "kill", "abort", "scancel"), "stop"),
    **dict.fromkeys(("rm", "remove", "uninstall", "destroy", "down"), "delete"),
    **dict.fromkeys(("new", "create", "scaffold"), "init"),
    **dict.fromkeys(("pause", "hold"), "suspend"),
    **dict.fromkeys(("unpause", "continue", "release"), "resume"),
    **dict.fromkeys(("restart", "rerun", "retry"), "run --bump"),
    **dict.fromkeys(("memory", "fit", "forecast", "predict"), "estimate"),
    "config": "values",
    "convert": "import",
    "docs": "help",
    "man": "help",
    "migrate": "import",
    "package": "chart",
    "search": "explain --search",
    "version": "--version",
    "watch": "status --watch",
}
"""The words of other programs for a command or option."""


class LazyGroup(click.Group):
    """A group that imports the module of a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"dsgen.cli.{MODULES.get(cmd_name, cmd_name)}")
        commands = (one for one in vars(module).values() if isinstance(one, click.Command))
        return next(command for command in commands if command.name == cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from dsgen.schema.suggestions import did_you_mean, find_closest  # imported late: only a mistake needs it

            question = did_you_mean(OTHER_WORDS.get(args[0].lower()) or find_closest(args[0], [*COMMANDS]))
            ctx.fail(f"No such command '{args[0]}'" + (f"; {question}" if question else "."))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem  # imported late: only a shell that completes needs it

        commands = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return commands + super(click.Group, self).shell_complete(ctx, incomplete)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="dsgen")
def dsgen() -> None:
    """Turn a values file into a distributed DeepSpeed training on Kubernetes.

    \b
    Examples:
      dsgen init llama.yaml --preset multi-node-gpu
      dsgen render cifar.yaml | kubectl apply -f -
      dsgen chart cifar.yaml -d chart
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


def main(arguments: Sequence[str], program: click.Command = dsgen) -> int:
    """Run a command line and return the exit code; every error becomes a message on standard error."""
    try:
        code: int | None = program.main([*arguments], prog_name="dsgen", standalone_mode=False)
    except click.ClickException as error:
        echo_usage_error(error)
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except DsgenError as error:
        if error.lines:
            echo_error(*error.lines)
        return error.exit_code
    except OSError as error:
        where = os.path.normpath(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else None
        echo_error(f"{where}: {error.strerror}" if where else str(error))
        return EXIT_FAILED
    except Exception as error:  # a bug in dsgen becomes a message, too
        echo_error(describe_bug(error))
        return EXIT_FAILED
    return code or EXIT_OK
