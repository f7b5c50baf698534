"""The table of the commands on values files and their options, which `_arguments` and `_clicked` read.

Every run imports this module, so it has no imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMS = ("text", "json", "sarif", "github")
"""The forms of problems in the output."""


class Option:
    """An option; without metavar and choices, it is a flag without a value.

    name: of the parameter; by default the last flag with underscores. many: it can be repeated, and the parameter is a
    tuple. choices: the possible values.
    """

    def __init__(
        self,
        *flags: str,
        help: str,  # noqa: A002 - the name in click
        name: str = "",
        metavar: str = "",
        choices: Sequence[str] = (),
        many: bool = False,
        default: str | None = "",
    ) -> None:
        self.flags, self.help = flags, help
        self.name = name or flags[-1].lstrip("-").replace("-", "_")
        self.metavar, self.choices, self.many = metavar, choices, many
        self.takes_value = bool(metavar or choices)
        self.default = () if many else default if self.takes_value else False


class Command:
    """A command `x`, implemented by the function `command` in dsgen.cli.x. many: it takes any number of FILEs."""

    def __init__(self, name: str, *options: Option, many: bool = True) -> None:
        self.name, self.options, self.many = name, options, many


def overlays(*flags: str, over: str = "every FILE") -> Option:
    """The option for more values files, under these flags."""
    text = f"Values file that is merged over {over}, in order; repeatable."
    return Option(*flags, name="overlays", many=True, metavar="FILE", help=text)


def form(*choices: str, help: str) -> Option:  # noqa: A002 - the name in click
    """The option for the form of the output; the first choice is the default."""
    help += f"  [default: {choices[0]}]"  # noqa: A001 - the name in click
    return Option("--format", name="form", choices=choices, default=choices[0], help=help)


SETS = (
    Option("--set", name="set_plain", many=True, metavar="KEY=VALUE", help="Set values, as in Helm: a.b=1,c=2."),
    Option("--set-string", many=True, metavar="KEY=VALUE", help="The same; the value is always a string."),
    Option("--set-json", many=True, metavar="KEY=JSON", help="The same; the value is JSON."),
    Option("--set-file", many=True, metavar="KEY=PATH", help="The same; the value is the text of a file."),
)
NAMESPACE = Option("-n", "--namespace", metavar="NAME", help="Namespace, if the file has none.")
_OF_JOB = "Namespace of JOB.  [default: that of the file, or of the context]"
OF_JOB = Option("-n", "--namespace", metavar="NAME", help=_OF_JOB)
_NAME = "Name of the job, if the file has none; of several jobs, the one to use."
NAMES = (Option("--name", metavar="NAME", help=_NAME), NAMESPACE)
VALUES = (overlays("-f", "--values"), *SETS)
INPUTS = (*VALUES, *NAMES)
STRICT = Option("--strict", help="Treat warnings as errors.")
PROBLEMS = form(*FORMS, help="Format of the problems; text goes to standard error, all others to standard output.")
CHECK = Option("--check", help="Change nothing; list the files that differ and exit with code 1.")
DRY_RUN = Option("--dry-run", help="Change nothing; print what would be done.")
QUIET = Option("-q", "--quiet", help="Print problems only.")
CHECKING = (CHECK, DRY_RUN, QUIET, PROBLEMS)
"""Options for writing a folder without runs."""
FOLDER = (
    CHECK,
    Option("--prune", help="Remove the files of jobs that dsgen.yaml no longer names."),
    DRY_RUN,
    Option("--refresh", help="Replace a run of another version of dsgen. Only for a run that was never applied."),
    Option("--replace", help="Replace a run whose values changed. Only for a run that was never applied."),
    QUIET,
    Option("--yes", help="Do not ask for confirmation of --replace."),
    Option("--keep-going", help="Write the other jobs if one is refused; the exit code is still 1."),
    PROBLEMS,
)
"""The parameters of `Delivery`."""
KUSTOMIZATION = Option("--kustomization", help="Include a kustomization.yaml that lists the objects.")
BUMP = Option("--bump", help="If a run would change, write the next run.id into its file; values of --set, too.")


def output(text: str) -> Option:
    """The option for the folder."""
    return Option("-o", "--output", metavar="DIR", default=None, help=text)


COMMANDS = {
    command.name: command
    for command in (
        Command(
            "render",
            *INPUTS,
            STRICT,
            output("Write one object per file into this folder."),
            KUSTOMIZATION,
            BUMP,
            *FOLDER,
        ),
        Command("chart", *INPUTS, STRICT, output("The folder of the chart."), *FOLDER, many=False),
        Command(
            "validate",
            *INPUTS,
            STRICT,
            Option(
                "--for",
                name="target",
                choices=("manifests", "chart"),
                default="manifests",
                help="The use of the values; a chart needs no name and no namespace.  [default: manifests]",
            ),
            PROBLEMS,
            Option("-q", "--quiet", help="Print problems only."),
        ),
        Command(
            "graph",
            *INPUTS,
            STRICT,
            form("svg", "mermaid", help="GitHub and GitLab draw mermaid in Markdown."),
            many=False,
        ),
        Command(
            "diff",
            *INPUTS,
            STRICT,
            output("The folder to compare with."),
            Option("--chart", help="Compare with the chart that `dsgen chart` wrote, file by file."),
            KUSTOMIZATION,
            form("text", "json", "markdown", help="markdown is for the comment on a pull request."),
        ),
        Command("values", *INPUTS, form("yaml", "json", help="json has no comments.")),
    )
}
