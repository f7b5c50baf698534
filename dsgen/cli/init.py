"""`dsgen init`: a values file to begin with."""

from pathlib import Path

import click

from dsgen import presets, values
from dsgen.cli import _completion
from dsgen.cli._printed import emit, say
from dsgen.errors import EXIT_OK, UsageProblem
from dsgen.problems.diagnostics import Diagnostic
from dsgen.repository import BEGIN, FILE
from dsgen.schema.suggestions import did_you_mean
from dsgen.values import SourceText
from dsgen.writer import create

FLAGS = {"name": "--name: ", "namespace": "-n: ", "image": "--image: "}
"""What gives the values below each key at the top."""


@click.command("init")
@click.argument("file", metavar="[FILE]", required=False, shell_complete=_completion.files)
@click.option(
    "--preset",
    default="",
    metavar="NAME",
    help="What to begin with.  [default: minimal]",
    shell_complete=_completion.presets,
)
@click.option("--list", "listing", is_flag=True, help="Show the presets and what each is for.")
@click.option("--name", default="", metavar="NAME", help="Name of the job.")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace of the job.")
@click.option("--image", default="", metavar="IMAGE", help="Image of the training: REPOSITORY[:TAG][@DIGEST].")
@click.option("--repository", is_flag=True, help="Write dsgen.yaml, for a repository of jobs, and a first job.")
def command(
    file: str | None, preset: str, listing: bool, name: str, namespace: str, image: str, repository: bool
) -> int:
    """Write a commented values file to begin with.

    FILE is values.yaml unless it is named; `-` is standard output. An existing file is never overwritten.
    Every preset is a complete job that validates and renders; what is in it is explained in its comments.

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
            raise UsageProblem("--list writes no file: leave out what stands beside it, or --list")
        say(f"{each:<{_width()}}{presets.summary(each)}" for each in presets.names())
        return EXIT_OK
    if file == "":  # to Path, this is the current folder
        raise UsageProblem("the name of FILE is empty: is a variable not set? Leave FILE out to write values.yaml")
    preset = preset or "minimal"
    text = _filled(preset, name, namespace, image)
    if repository:
        if file is not None:
            raise UsageProblem("--repository writes dsgen.yaml into this folder: leave out FILE")
        return _repository(text)
    file = file or "values.yaml"
    if file == "-":
        emit(text)
        return EXIT_OK
    create(Path(file), text)
    say([f"{file}: written from preset {preset}. Make it yours, then: dsgen validate {file}"])
    return EXIT_OK


def _repository(text: str) -> int:
    """Writes dsgen.yaml, and a job where there is none yet."""
    create(Path(FILE), BEGIN.read_text(encoding="utf-8"))
    say([f"{FILE}: written, the settings of a repository of jobs"])
    if not Path("jobs").exists():
        job = Path("jobs", values.load([SourceText("", text)]).release.name, "values.yaml")
        create(job, text)
        say([f"{job.as_posix()}: written, a first job. Make it yours, then: dsgen validate && dsgen render"])
    return EXIT_OK


def _width() -> int:
    return max(map(len, presets.names())) + 2


def _filled(preset: str, name: str, namespace: str, image: str) -> str:
    """The text of a preset with these names. Raises UsageProblem when there is no such preset, or a name cannot be."""
    if preset not in presets.names():
        question = did_you_mean(*presets.like(preset)[:3])
        hint = f"{question} dsgen init --list shows them all".lstrip()
        raise UsageProblem(f"--preset {preset}: there is no such preset; {hint}")
    text = presets.text(preset)
    if name or namespace or image:
        text = presets.filled(text, name, namespace, image)
        _refuse_wrong_names(text)
    return text


def _refuse_wrong_names(text: str) -> None:
    """Raises UsageProblem when the names of the command line make the file one that `dsgen validate` refuses."""
    errors = [one for one in values.load([SourceText("", text)]).problems(chart=True) if one.severity == "error"]
    if errors:
        raise UsageProblem(*map(_told, errors))


def _told(problem: Diagnostic) -> str:
    """With the flag that it is about, and the rule."""
    flag = FLAGS.get(str(problem.path[0]), "") if problem.path else ""
    return f"{flag}{problem.message}" + (f"; {problem.hint}" if problem.hint else "")
