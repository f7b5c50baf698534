"""`dsgen init`: write a values file to start from."""

from pathlib import Path

import click

from dsgen import shipped, values
from dsgen.cli import completion
from dsgen.cli._console import echo, write
from dsgen.editing import compare_text
from dsgen.errors import EXIT_OK, UsageError
from dsgen.language.text import align
from dsgen.reading import SETTINGS_FILE, find_roots
from dsgen.repository import BEGIN
from dsgen.schema.suggestions import did_you_mean
from dsgen.values import SourceText
from dsgen.writer import create

FLAGS = {"name": "--name: ", "namespace": "-n: ", "image": "--image: "}
"""Key of the values -> the option that sets it."""


@click.command("init")
@click.argument("file", metavar="[FILE]", required=False, shell_complete=completion.files)
@click.option(
    "--preset",
    default="",
    metavar="NAME",
    help="The preset to start from.  [default: minimal]",
    shell_complete=completion.presets,
)
@click.option("--list", "listing", is_flag=True, help="Show the presets and what each is for.")
@click.option("--name", default="", metavar="NAME", help="Name of the job.")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace of the job.")
@click.option("--image", default="", metavar="IMAGE", help="Image of the training: REPOSITORY[:TAG][@DIGEST].")
@click.option("--repository", is_flag=True, help="Write dsgen.yaml, for a repository of jobs, and a first job.")
def command(
    file: str | None, preset: str, listing: bool, name: str, namespace: str, image: str, repository: bool
) -> int:
    """Write a commented values file to start from.

    FILE is values.yaml by default; `-` is standard output. An existing file is never overwritten.
    Every preset is a complete, valid job; comments explain its values.

    \b
    Examples:
      dsgen init --list
      dsgen init llama.yaml --preset multi-node-gpu
      dsgen init bert.yaml --name bert -n research --image registry.example.com/team/bert:v1
      dsgen init - --preset cpu-smoke-test | dsgen validate -
      dsgen init --repository --name bert -n research
    """
    if listing:
        if file is not None or any((preset, name, namespace, image, repository)):
            raise UsageError("--list writes no file: leave out the other options and FILE, or --list")
        echo(align([name, shipped.read_preset_summary(name)] for name in shipped.list_presets()))
        return EXIT_OK
    if file == "":  # Path("") would be the current folder
        raise UsageError("the name of FILE is empty: is a variable not set? Leave FILE out to write values.yaml")
    preset = preset or "minimal"
    text = _fill(preset, name, namespace, image)
    if repository:
        if file is not None:
            raise UsageError("--repository writes dsgen.yaml into this folder: leave out FILE")
        return _write_repository(text)
    file = file or "values.yaml"
    if file == "-":
        write(text)
        return EXIT_OK
    create(Path(file), text)
    echo([f"{file}: written from preset {preset}. Edit it, then: dsgen validate {file}"])
    return EXIT_OK


def _write_repository(text: str) -> int:
    """Write dsgen.yaml, and a first job if there is none."""
    if above := [Path(root, SETTINGS_FILE) for root in find_roots(".") if Path(root) != Path.cwd()]:
        raise UsageError(f"{above[0]} is above this folder, and dsgen.yaml does not inherit: add the jobs to that one")
    create(Path(SETTINGS_FILE), BEGIN.read_text(encoding="utf-8"))
    echo([f"{SETTINGS_FILE}: written; it has the settings of a repository of jobs"])
    if not Path("jobs").exists():
        job = Path("jobs", values.load([SourceText("", text)]).release.name, "values.yaml")
        create(job, text)
        echo([f"{job.as_posix()}: written; it is a first job. Edit it, then: dsgen validate && dsgen render"])
    return EXIT_OK


def _fill(preset: str, name: str, namespace: str, image: str) -> str:
    """The text of a preset with these names. Raises UsageError for an unknown preset and an invalid name."""
    if preset not in shipped.list_presets():
        close = shipped.find_presets_like(preset)
        hint = f"there are {', '.join(shipped.list_presets())}"
        if len(close) == 1:
            hint = f"{did_you_mean(*close)} dsgen init --list shows them all"
        raise UsageError(f"--preset {preset}: no such preset; {hint}")
    text = shipped.read_preset(preset)
    if name or namespace or image:
        text, data = shipped.fill_preset(text, name, namespace, image)
        _refuse_wrong_names(text)
        compare_text(text, data)
    return text


def _refuse_wrong_names(text: str) -> None:
    """Raises UsageError if a name from the command line is invalid in the file."""
    errors = [one for one in values.load([SourceText("", text)]).problems(chart=True) if one.severity == "error"]
    flags = (FLAGS.get("".join(map(str, error.path[:1])), "") for error in errors)
    texts = ("; ".join(filter(None, (one.message, one.hint))) for one in errors)
    if errors:
        raise UsageError(*map(str.__add__, flags, texts))
