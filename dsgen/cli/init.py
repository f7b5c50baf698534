"""`dsgen init`: a values file to begin with."""

from pathlib import Path

import click

from dsgen import presets, values
from dsgen.cli._shared import emit
from dsgen.diagnostics import has_errors
from dsgen.errors import EXIT_OK, UsageProblem
from dsgen.values import Release, SourceText
from dsgen.writer import Refused


@click.command("init")
@click.argument("file", metavar="[FILE]", default="values.yaml")
@click.option(
    "--preset",
    type=click.Choice(presets.names()),
    default="minimal",
    metavar="NAME",
    help="What to begin with.  [default: minimal]",
)
@click.option("--list", "listing", is_flag=True, help="Show the presets and what each is for.")
@click.option("--name", default="", metavar="NAME", help="Name of the job.")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace of the job.")
@click.option("--image", default="", metavar="IMAGE", help="Image of the training: REPOSITORY[:TAG][@DIGEST].")
def command(file: str, preset: str, listing: bool, name: str, namespace: str, image: str) -> int:
    """Write a commented values file to begin with.

    FILE is values.yaml unless it is named; `-` is standard output. A file that is there already is never overwritten.
    Every preset is a complete job that validates and renders; what is in it is explained in its comments.

    \b
    Examples:
      dsgen init --list
      dsgen init llama.yaml --preset multi-node-gpu
      dsgen init bert.yaml --name bert -n research --image registry.example.com/team/bert:v1
      dsgen init - --preset cpu-smoke-test | dsgen validate -
    """
    if listing:
        emit("".join(f"{each:<{_width()}}{presets.summary(each)}\n" for each in presets.names()))
        return EXIT_OK
    text = presets.text(preset)
    if name or namespace or image:
        text = presets.filled(text, name, namespace, image)
        _refuse_wrong_names(text)
    if file == "-":
        emit(text)
        return EXIT_OK
    _create(Path(file), text)
    emit(f"{file}: written from preset {preset}. Make it yours, then: dsgen validate {file}\n")
    return EXIT_OK


def _width() -> int:
    return max(map(len, presets.names())) + 2


def _refuse_wrong_names(text: str) -> None:
    """Raises UsageProblem when the names of the command line make the file one that `dsgen validate` refuses."""
    loaded = values.load([SourceText("", text)])
    found = loaded.diagnostics
    if loaded.values:
        found += values.check(loaded, Release(loaded.values.data["name"], loaded.values.data["namespace"]))
    if has_errors(found):
        raise UsageProblem("\n".join(problem.message for problem in found if problem.severity == "error"))


def _create(path: Path, text: str) -> None:
    """Write a new file. Raises Refused when something with this name is there, however short a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        stream = path.open("x", encoding="utf-8", newline="\n")
    except FileExistsError as error:
        raise Refused(
            f"{path} is there already, and init never overwrites: choose another name, or delete it"
        ) from error
    try:
        with stream:
            stream.write(text)
    except BaseException:  # an interrupt, too, must not leave half a file
        path.unlink(missing_ok=True)
        raise
