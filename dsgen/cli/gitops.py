"""`dsgen gitops`: the objects of Argo CD and Flux around jobs."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dsgen import gitops
from dsgen.cli._jobs import load_jobs
from dsgen.cli._output import Delivery, checking_options, deliver, output_option
from dsgen.cli._shared import Inputs, inputs
from dsgen.errors import UsageProblem
from dsgen.gitops.patterns import Pattern
from dsgen.writer import Place

FLAGS = {"namespace": "--controller-namespace"}
"""Of settings whose name is taken on the command line."""


def _settings() -> dict[str, list[dict[str, Any]]]:
    """Setting -> its rule for each tool that has it. The folder is -o."""
    found: dict[str, list[dict[str, Any]]] = {}
    for tool in gitops.TOOLS:
        for key, rule in gitops.rules(tool).items():
            if key != "output":
                found.setdefault(key, []).append(rule)
    return found


def setting_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command an option for each setting, as one `settings`: those that are given."""

    @functools.wraps(command)
    def call(*arguments: Any, **rest: Any) -> int:
        given = {key: rest.pop(_name(key)) for key in _settings()}
        return command(*arguments, settings={key: value for key, value in given.items() if value is not None}, **rest)

    for key, rules in reversed(_settings().items()):
        call = _option(key, rules)(call)
    return call


def _flag(key: str) -> str:
    return FLAGS.get(key) or "--" + re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", key)


def _name(key: str) -> str:
    """Of a setting's option, apart from those of the values."""
    return f"setting_{key.lower()}"


def _option(key: str, rules: list[dict[str, Any]]) -> Callable[..., Any]:
    flag = _flag(key)
    text = " ".join(dict.fromkeys(rule["description"] for rule in rules))
    if rules[0]["type"] == "boolean":
        return click.option(f"{flag}/--no-{flag[2:]}", _name(key), default=None, help=text)
    choices = [choice for rule in rules for choice in rule.get("enum", ())]
    if choices:
        return click.option(flag, _name(key), type=click.Choice(choices), help=text)
    check = functools.partial(_checked, flag, rules[0])
    return click.option(flag, _name(key), metavar="TEXT", callback=lambda _, __, given: check(given), help=text)


def _checked(flag: str, rule: dict[str, Any], given: str | None) -> str | None:
    """Raises UsageProblem for a text that the setting cannot be."""
    if given is not None and not re.search(rule["pattern"], given):
        raise UsageProblem(f"{flag} {given!a}: it must be {rule['x-pattern']}")
    return given


@click.command("gitops")
@inputs()
@output_option("The folder of these objects.", required=True)
@click.option(
    "--path",
    default=None,
    metavar="PATTERN",
    help="Folder of a job in the repository.  [default: rendered/{namespace}/{name}, or charts/{namespace}/{name}]",
)
@setting_options
@checking_options
def command(inputs: Inputs, output: Path, path: str | None, settings: dict[str, Any], delivery: Delivery) -> int:
    """Write what Argo CD or Flux needs to apply jobs from a Git repository.

    The jobs are those of FILE..., as for `dsgen render`. What is written names each job and its folder in the
    repository, and is the same for all runs of a job.

    \b
    Examples:
      dsgen gitops cifar.yaml mnist.yaml --kind Application --repository https://git.example.com/jobs.git -o argocd
      dsgen gitops cifar.yaml --kind Kustomization --repository https://git.example.com/jobs.git -o flux
      dsgen gitops cifar.yaml --kind HelmRelease -o flux --check
    """
    tool = _tool(settings)
    complete = gitops.complete(tool, {**settings, "output": output.as_posix()})
    if not complete.get("repository") and tool == "argocd":
        raise UsageProblem("Argo CD needs the address of the repository: add --repository")
    pattern = Pattern(path or gitops.folders(complete))
    jobs, report = load_jobs(inputs, delivery.form)
    found = [gitops.delivered(job, pattern.folder(job.release.namespace, job.release.name)) for job in jobs]
    return deliver([(Place(output), gitops.plan(tool, complete, found, pattern))], delivery, report)


def _tool(settings: dict[str, Any]) -> str:
    """The tool that has all of these settings. Raises UsageProblem where there is none."""
    kind = settings.get("kind")
    if kind is None:
        raise UsageProblem("say what to write: --kind Application, ApplicationSet, Kustomization or HelmRelease")
    tool = next(tool for tool in gitops.TOOLS if kind in gitops.rules(tool)["kind"]["enum"])
    if strange := [key for key in settings if key not in gitops.rules(tool)]:
        raise UsageProblem(f"{', '.join(map(_flag, strange))}: {gitops.TOOLS[tool]} has no such setting")
    return tool
