"""The options that several commands share, as decorators, and the objects that commands get from them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dsgen.cli import completion
from dsgen.cli._console import echo_error
from dsgen.errors import UsageError
from dsgen.reading.nodes import Override

if TYPE_CHECKING:
    from pathlib import Path

    from dsgen.writer import Mode

Function = Callable[..., int]
"""The function of a command; returns the exit code."""
Decorator = Callable[[Function], Function]

NO_PRUNE = "--prune applies to the jobs of dsgen.yaml: leave out the FILEs, -f and -d"
FORMS = ("text", "json", "sarif", "github")
"""The forms of problems in the output."""
OTHER_FORMS = {"yaml", "json", "name", "wide", "markdown", "svg", "sarif"}
"""Formats of other commands and programs, which are no folders."""


class Inputs(NamedTuple):
    """The inputs of jobs: each of `files` is one job, over which `overlays` and `overrides` are merged.

    strict: warnings are errors.
    """

    files: tuple[str, ...]
    overlays: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()
    name: str = ""
    namespace: str = ""
    strict: bool = False

    @property
    def has_files(self) -> bool:
        """Whether any file is given; without files, most commands use the jobs of dsgen.yaml."""
        return bool(self.files or self.overlays)


class Delivery(NamedTuple):
    """How results are written to folders: the values of the options of `delivery_options`."""

    check: bool = False
    prune: bool = False
    dry_run: bool = False
    refresh: bool = False
    replace: bool = False
    quiet: bool = False
    yes: bool = False
    keep_going: bool = False
    form: str = "text"

    @property
    def mode(self) -> Mode:
        """How an existing run is treated; see `writer.plan.Mode`."""
        return "replace" if self.replace else "refresh" if self.refresh else "keep"

    @property
    def flags(self) -> str:
        """The flags that apply to a folder and are set, for messages."""
        defaults = self._field_defaults
        given = (name for name, value in self._asdict().items() if name != "quiet" and value != defaults[name])
        return ", ".join("-o" if name == "form" else f"--{name.replace('_', '-')}" for name in given)


def combine(*decorators: Decorator) -> Decorator:
    """One decorator for several: the help of the command lists their options in this order."""

    def decorate(command: Function) -> Function:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def gather(name: str, make: Callable[..., Any], fields: Sequence[str], options: Decorator) -> Decorator:
    """Options that a command gets as one argument, `name`, which is made of their values. fields: their names."""

    def decorate(command: Function) -> Function:
        @functools.wraps(command)
        def call(**given: Any) -> int:
            values = {field: given.pop(field) for field in fields if field in given}
            return command(**{name: make(**values)}, **given)

        return options(call)

    return decorate


class _FormatOrFolder(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """A format, or a folder as until version 0.2."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value not in OTHER_FORMS else super().convert(value, param, ctx)


def format_option(*choices: str, help: str, takes_folder: bool = False) -> Decorator:  # noqa: A002 - the name in click
    """The option for the form of the output; the first choice is the default.

    takes_folder: with the option of `folder_option`, whose folder may still be here.
    """

    def decorate(command: Function) -> Function:
        @functools.wraps(command)
        def call(old_form: str | None, form: str, **given: Any) -> int:
            if old_form:
                echo_error("--format is now -o, and goes in version 0.4")
            elif form not in choices:
                if given["directory"] is not None:
                    raise UsageError(f"-o {form}: a format is {', '.join(choices)}")
                echo_error("-o DIR is now -d DIR, and goes in version 0.4")
                given["directory"], form = _parse_folder(None, None, form), choices[0]
            return command(form=old_form or form, **given)

        kind = (_FormatOrFolder if takes_folder else click.Choice)(choices)
        text = f"{help}  [default: {choices[0]}]"
        return combine(
            click.option("-o", "--output", "form", type=kind, default=choices[0], help=text),
            click.option("--format", "old_form", type=click.Choice(choices), hidden=True),
        )(call)

    return decorate


def folder_option(text: str) -> Decorator:
    return click.option(
        "-d", "--directory", metavar="DIR", callback=_parse_folder, shell_complete=completion.folders, help=text
    )


def _parse_folder(_: object, __: object, name: str | None) -> Path | None:
    if name == "":  # Path("") would be the current folder
        raise UsageError("the name of the folder, -d, is empty: is a variable not set?")
    if name is None:
        return None
    from pathlib import Path  # imported late: printing does not need it

    return Path(name)


strict_option = click.option("--strict", is_flag=True, help="Treat warnings as errors.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print problems only.")
_PROBLEMS = "Format of the problems; text goes to standard error, all others to standard output."
problem_format_option = format_option(*FORMS, help=_PROBLEMS)
_delivery_format = format_option(*FORMS, help=_PROBLEMS, takes_folder=True)
kustomization_option = click.option(
    "--kustomization", is_flag=True, help="Include a kustomization.yaml that lists the objects."
)
name_options = combine(
    click.option(
        "--name",
        default="",
        metavar="NAME",
        help="Name of the job, if the file has none; of several jobs, the one to use.",
    ),
    click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace, if the file has none."),
)


def _make_overrides(_: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> list[Override]:
    """The values of a --set flag. Raises UsageError for bytes that are not UTF-8."""
    flag = option.opts[0]
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"{flag} {text!a}: this is not UTF-8") from error
    return [Override(flag, text) for text in texts]


_SETS = {
    "--set": ("KEY=VALUE", "Set values, as in Helm: a.b=1,c=2."),
    "--set-string": ("KEY=VALUE", "Like --set, but always a string."),
    "--set-json": ("KEY=JSON", "Like --set, but the value is JSON."),
    "--set-file": ("KEY=PATH", "Like --set, but the value is the text of a file."),
}
"""Flag -> metavar and help."""
_set_options = gather(
    "overrides",
    lambda **given: tuple(one for several in given.values() for one in several),
    [flag.lstrip("-").replace("-", "_") for flag in _SETS],
    combine(
        *(
            click.option(
                flag,
                callback=_make_overrides,
                multiple=True,
                metavar=metavar,
                shell_complete=completion.assigned,
                help=text,
            )
            for flag, (metavar, text) in _SETS.items()
        )
    ),
)


def value_options(*flags: str, over: str = "every FILE") -> Decorator:
    """Options for more values files, under these flags, and for values; a command gets `overlays` and `overrides`."""
    text = f"Values file that is merged over {over}, in order; repeatable."
    files = click.option(*flags, "overlays", multiple=True, metavar="FILE", shell_complete=completion.files, help=text)
    return combine(files, _set_options)


def input_options(many: bool = True, required: bool = False, has_strict: bool = True) -> Decorator:
    """FILE and the options for values, names and --strict; the command gets `inputs`. many: any number of FILEs."""
    metavar = ("FILE" if required else "[FILE]") + "..." * many
    options = combine(
        click.argument(
            "files",
            nargs=-1 if many else 1,
            required=required,
            metavar=metavar,
            shell_complete=completion.files,
            callback=lambda _, __, given: given if isinstance(given, tuple) else (given,) * (given is not None),
        ),
        value_options("-f", "--values"),
        name_options,
        *([strict_option] if has_strict else []),
    )
    return gather("inputs", Inputs, Inputs._fields, options)


_check_option = click.option(
    "--check", is_flag=True, help="Change nothing; list the files that differ and exit with code 1."
)
_dry_run_option = click.option("--dry-run", is_flag=True, help="Change nothing; print what would be done.")
_gather_delivery = functools.partial(gather, "delivery", Delivery, Delivery._fields)
delivery_options = _gather_delivery(
    combine(
        _check_option,
        click.option("--prune", is_flag=True, help="Remove the files of jobs that dsgen.yaml no longer names."),
        _dry_run_option,
        click.option(
            "--refresh",
            is_flag=True,
            help="Replace a run of another version of dsgen. Only for a run that was never applied.",
        ),
        click.option(
            "--replace",
            is_flag=True,
            help="Replace a run whose values changed. Only for a run that was never applied.",
        ),
        quiet_option,
        click.option("--yes", is_flag=True, help="Do not ask for confirmation of --replace."),
        click.option(
            "--keep-going", is_flag=True, help="Write the other jobs if one is refused; the exit code is still 1."
        ),
        _delivery_format,
    ),
)
"""The options for writing the folders of jobs; the command gets `delivery`."""
delivery_options_without_runs = _gather_delivery(
    combine(_check_option, _dry_run_option, quiet_option, _delivery_format)
)
"""The same for a folder without runs."""

cluster_choice = combine(
    click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig."),
    click.option(
        "--kubeconfig",
        default="",
        metavar="FILE",
        shell_complete=completion.files,
        help="Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config.",
    ),
)
"""Selects a cluster."""
