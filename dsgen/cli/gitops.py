"""`dsgen gitops`: write the objects of Argo CD and Flux that apply jobs."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dsgen import gitops
from dsgen.cli._delivery import OutputFolder, deliver
from dsgen.cli._loading import RequestedJob, load_jobs
from dsgen.cli._options import (
    Decorator,
    Delivery,
    Inputs,
    combine,
    delivery_options_without_runs,
    folder_option,
    gather,
    input_options,
)
from dsgen.errors import UsageError
from dsgen.repository.settings import Settings
from dsgen.values import Job
from dsgen.writer import Destination, Plan

FLAGS = {"namespace": "--controller-namespace"}
"""Flags of settings whose own names are used by other options."""
PREFIX = "setting_"
"""Of the parameters of settings, because other options have the same names."""


def _collect_rules() -> dict[str, list[dict[str, Any]]]:
    """Setting -> its rule for each tool that has it. The folder is -d."""
    rules: dict[str, list[dict[str, Any]]] = {}
    for tool in gitops.TOOLS:
        for key, rule in gitops.load_rules(tool).items():
            if key != "output":
                rules.setdefault(key, []).append(rule)
    return rules


def _make_option(key: str, rules: list[dict[str, Any]]) -> Decorator:
    choices = [choice for rule in rules for choice in rule.get("enum", ())]
    form: dict[str, Any] = {"type": click.Choice(choices)} if choices else {"metavar": "TEXT"}
    if rules[0]["type"] == "boolean":
        form = {"is_flag": True}

    def check(_: click.Context, option: click.Parameter, given: Any) -> Any:
        if given is not None and "pattern" in rules[0] and not re.search(rules[0]["pattern"], given):
            raise UsageError(f"{option.opts[0]} {given!a}: it must be {rules[0]['x-pattern']}")
        return given

    text = " ".join(dict.fromkeys(rule["description"] for rule in rules))
    return click.option(_name_flag(key), f"{PREFIX}{key}", help=text, callback=check, **form)


def _name_flag(key: str) -> str:
    return FLAGS.get(key) or "--" + re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", key)


_setting_options = gather(
    "settings",
    lambda **given: {key.removeprefix(PREFIX): value for key, value in given.items() if value not in (None, False)},
    [f"{PREFIX}{key}" for key in _collect_rules()],
    combine(*(_make_option(key, rules) for key, rules in _collect_rules().items())),
)
"""An option for each setting; the command gets the given ones as `settings`."""


@click.command("gitops")
@input_options()
@folder_option("The folder of these objects, if dsgen.yaml does not set it.")
@_setting_options
@delivery_options_without_runs
def command(inputs: Inputs, directory: Path | None, settings: dict[str, Any], delivery: Delivery) -> int:
    """Write the objects of Argo CD or Flux that apply jobs from a Git repository.

    The jobs are those of the nearest dsgen.yaml. The options override its settings `argocd` and `flux`. With FILEs, the
    jobs are those of these files, as for `dsgen render`. The objects contain the name of each job and its folder in the
    repository, and are the same for all runs of a job.

    \b
    Examples:
      dsgen gitops
      dsgen gitops --check
      dsgen gitops cifar.yaml mnist.yaml --kind Application --repository https://git.example.com/jobs.git -d argocd
      dsgen gitops cifar.yaml --kind HelmRelease -d flux
    """
    loaded, report = load_jobs(inputs, delivery.form)
    of_repository = report.repository and report.repository.settings
    if of_repository:
        folders = [*_make_folders(directory, settings, of_repository)]
    else:
        folders = [_make_folder(directory, settings, _find_shared_settings(loaded))]
    jobs = [each.job for each in loaded]
    return deliver([OutputFolder(one.place, functools.partial(one.plan, jobs)) for one in folders], delivery, report)


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
        pattern = self.settings["path"] or self.pattern
        delivered = [*(gitops.make_delivered(job, pattern) for job in jobs), *gitops.list_shared(jobs, pattern)]
        return gitops.plan(self.tool, self.settings, delivered, pattern)


def _find_shared_settings(jobs: Sequence[RequestedJob]) -> Settings | None:
    """The settings of the one repository to which all these jobs belong."""
    known = [job.member.settings for job in jobs if job.member]
    is_one = len(known) == len(jobs) and len({each.root for each in known}) == 1
    return known[0] if is_one else None


def _make_folder(directory: Path | None, settings: dict[str, Any], known: Settings | None) -> Folder:
    """The folder according to the options, which override the settings of the repository."""
    if "kind" not in settings:
        raise UsageError("--kind is missing: Application, ApplicationSet, Kustomization or HelmRelease")
    if directory is None:
        raise UsageError("-d is missing: the folder of these objects, as in -d gitops/flux")
    tool = _find_tool(settings["kind"])
    if strange := [key for key in settings if key not in gitops.load_rules(tool)]:
        raise UsageError(f"{', '.join(map(_name_flag, strange))}: {gitops.TOOLS[tool]} has no such setting")
    of_tool = (known.read_value(tool) if known else None) or {}
    complete = gitops.add_defaults(tool, {**of_tool, **settings, "output": directory.as_posix()})
    key, folder = ("charts", "charts") if gitops.uses_charts(complete) else ("output", "rendered")
    return Folder(
        tool, Destination(directory), complete, known.read_value(key) if known else f"{folder}/{{namespace}}/{{name}}"
    )


def _make_folders(directory: Path | None, settings: dict[str, Any], known: Settings) -> Iterator[Folder]:
    """The folders according to dsgen.yaml, whose settings the options override."""
    if directory is not None:
        raise UsageError("-d needs FILEs; for the jobs of dsgen.yaml, the folders are set there")
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
    return next(tool for tool in gitops.TOOLS if kind in gitops.load_rules(tool)["kind"]["enum"])
