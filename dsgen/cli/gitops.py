"""`dsgen gitops`: write the objects of Argo CD and Flux that apply jobs."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dsgen import gitops
from dsgen.cli._delivery import deliver, wrap_plan
from dsgen.cli._loading import LoadedJob, load_jobs
from dsgen.cli._options import (
    Decorator,
    Delivery,
    Function,
    Inputs,
    combine,
    delivery_options_without_runs,
    input_options,
    output_option,
)
from dsgen.errors import UsageError
from dsgen.repository.settings import Settings
from dsgen.values import Job
from dsgen.writer import Destination, Plan

FLAGS = {"namespace": "--controller-namespace"}
"""Flags of settings whose own names are used by other options."""


def _collect_settings() -> dict[str, list[dict[str, Any]]]:
    """Setting -> its rule for each tool that has it. The folder is -o."""
    schemas: dict[str, list[dict[str, Any]]] = {}
    for tool in gitops.TOOLS:
        for key, rule in gitops.load_rules(tool).items():
            if key != "output":
                schemas.setdefault(key, []).append(rule)
    return schemas


def _setting_options(command: Function) -> Function:
    """Add an option for each setting; the command gets the given ones as `settings`."""

    @functools.wraps(command)
    def call(**parameters: Any) -> int:
        given = {key: (parameters.pop(_name_parameter(key)), rules[0]) for key, rules in _collect_settings().items()}
        settings = {
            key: _check_setting(key, value, rule) for key, (value, rule) in given.items() if value not in (None, False)
        }
        return command(settings=settings, **parameters)

    return combine(*(_make_option(key, rules) for key, rules in _collect_settings().items()))(call)


def _make_option(key: str, rules: list[dict[str, Any]]) -> Decorator:
    text = " ".join(dict.fromkeys(rule["description"] for rule in rules))
    choices = [choice for rule in rules for choice in rule.get("enum", ())]
    if rules[0]["type"] == "boolean":
        return click.option(_name_flag(key), _name_parameter(key), is_flag=True, help=text)
    rest: dict[str, Any] = {"type": click.Choice(choices)} if choices else {"metavar": "TEXT"}
    return click.option(_name_flag(key), _name_parameter(key), help=text, **rest)


def _name_flag(key: str) -> str:
    return FLAGS.get(key) or "--" + re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", key)


def _name_parameter(key: str) -> str:
    """The parameter of a setting, with a prefix, because other options have the same names."""
    return f"setting_{key.lower()}"


def _check_setting(key: str, given: Any, rule: dict[str, Any]) -> Any:
    """The value of a setting. Raises UsageError if it does not match the pattern."""
    if "pattern" in rule and not re.search(rule["pattern"], given):
        raise UsageError(f"{_name_flag(key)} {given!a}: it must be {rule['x-pattern']}")
    return given


@click.command("gitops")
@input_options()
@output_option("The folder of these objects, if dsgen.yaml does not set it.")
@_setting_options
@delivery_options_without_runs
def command(inputs: Inputs, output: Path | None, settings: dict[str, Any], delivery: Delivery) -> int:
    """Write the objects of Argo CD or Flux that apply jobs from a Git repository.

    The jobs are those of the nearest dsgen.yaml. The options override its settings `argocd` and `flux`. With FILEs, the
    jobs are those of these files, as for `dsgen render`. The objects contain the name of each job and its folder in the
    repository, and are the same for all runs of a job.

    \b
    Examples:
      dsgen gitops
      dsgen gitops --check
      dsgen gitops cifar.yaml mnist.yaml --kind Application --repository https://git.example.com/jobs.git -o argocd
      dsgen gitops cifar.yaml --kind HelmRelease -o flux
    """
    loaded, report = load_jobs(inputs, delivery.form)
    of_repository = report.repository and report.repository.settings
    if of_repository:
        folders = [*_make_folders(output, settings, of_repository)]
    else:
        folders = [_make_folder(output, settings, _find_shared_settings(loaded))]
    jobs = [each.job for each in loaded]
    return deliver([wrap_plan(folder.place, folder.plan(jobs)) for folder in folders], delivery, report)


@dataclass(frozen=True)
class Folder:
    """The folder of one tool: its place, the complete settings, and the pattern of the jobs' folders."""

    tool: str
    place: Destination
    settings: dict[str, Any]
    pattern: str

    def plan(self, jobs: Sequence[Job]) -> Plan:
        """The content of the folder. Raises UsageError if the address of the repository is missing."""
        if not self.settings.get("repository") and self.tool == "argocd":
            raise UsageError("Argo CD needs the address of the repository: add --repository")
        pattern = gitops.Pattern(self.settings["path"] or self.pattern)
        folders = (pattern.fill_folder(job.release.namespace, job.release.name) for job in jobs)
        delivered = [gitops.make_delivered(job, folder) for job, folder in zip(jobs, folders, strict=True)]
        return gitops.plan(self.tool, self.settings, delivered, pattern)


def _find_shared_settings(jobs: Sequence[LoadedJob]) -> Settings | None:
    """The settings of the one repository to which all these jobs belong."""
    known = [job.member.settings for job in jobs if job.member]
    is_one = len(known) == len(jobs) and len({each.root for each in known}) == 1
    return known[0] if is_one else None


def _make_folder(output: Path | None, settings: dict[str, Any], known: Settings | None) -> Folder:
    """The folder according to the options, which override the settings of the repository."""
    if "kind" not in settings:
        raise UsageError("--kind is missing: Application, ApplicationSet, Kustomization or HelmRelease")
    if output is None:
        raise UsageError("-o is missing: the folder of these objects, as in -o gitops/flux")
    tool = _find_tool(settings["kind"])
    if strange := [key for key in settings if key not in gitops.load_rules(tool)]:
        raise UsageError(f"{', '.join(map(_name_flag, strange))}: {gitops.TOOLS[tool]} has no such setting")
    of_tool = (known.read_value(tool) if known else None) or {}
    complete = gitops.add_defaults(tool, {**of_tool, **settings, "output": output.as_posix()})
    key, folder = ("charts", "charts") if gitops.uses_charts(complete) else ("output", "rendered")
    return Folder(
        tool, Destination(output), complete, known.read_value(key) if known else f"{folder}/{{namespace}}/{{name}}"
    )


def _make_folders(output: Path | None, settings: dict[str, Any], known: Settings) -> Iterator[Folder]:
    """The folders according to dsgen.yaml, whose settings the options override."""
    if output is not None:
        raise UsageError("-o needs FILEs; for the jobs of dsgen.yaml, the folders are set there")
    tools = (
        [_find_tool(settings["kind"])]
        if "kind" in settings
        else [tool for tool in gitops.TOOLS if known.find_node(tool)]
    )
    if not tools:
        raise UsageError("dsgen.yaml has neither `argocd` nor `flux`: add one of them, or use --kind")
    for tool in tools:
        given = {key: value for key, value in settings.items() if key in gitops.load_rules(tool)}
        complete = gitops.add_defaults(tool, {**(known.read_value(tool) or {}), **given})
        pattern = known.read_value("charts" if gitops.uses_charts(complete) else "output")
        yield Folder(tool, Destination(known.root, complete["output"]), complete, pattern)


def _find_tool(kind: str) -> str:
    """The tool that has this kind of object."""
    return next(tool for tool in gitops.TOOLS if kind in gitops.load_rules(tool)["kind"]["enum"])
