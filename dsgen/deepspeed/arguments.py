"""training.deepspeed.args: options of the `deepspeed` command in addition to those that dsgen passes.

Which options break a run follows from deepspeed/launcher/runner.py and multinode_runner.py, and was tried. argparse
accepts any unique prefix of an option, so prefixes are checked, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dsgen.deepspeed.keys import RelativeDiagnostic, Version, parse_version
from dsgen.language.text import format_value, scalar
from dsgen.problems import Severity
from dsgen.schema.suggestions import did_you_mean, find_closest
from dsgen.scripts.shared.hostfile import count_active_slots

OUR_NO_SSH = "deepspeed-no-ssh"


class Option(NamedTuple):
    """One option of `deepspeed`. since, until: the first and the last version that have it.

    choices: its values, empty for any. why: the reason why it conflicts with dsgen; instead: what to use.
    """

    names: tuple[str, ...]
    has_value: bool = True
    choices: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    why: str = ""
    instead: str = ""


def _make_own_option(
    names: str, instead: str, has_value: bool = True, why: str = "dsgen passes it", until: str = ""
) -> Option:
    return Option(tuple(names.split()), has_value, until=until, why=why, instead=instead)


LEVELS = ("debug", "info", "warning", "error", "critical")


WORLD = "it would start a different number of processes than the launcher waits for"
OPTIONS = (
    _make_own_option("--hostfile -H", "remove it: dsgen writes the hostfile of this run"),
    _make_own_option("--master_addr", "remove it: the address is that of worker 0"),
    _make_own_option("--master_port", "use launch.masterPort"),
    _make_own_option("--node_rank", "remove it: dsgen sets the rank of each worker"),
    _make_own_option("--ssh_port", "use ssh.port"),
    _make_own_option("--launcher", "use launch.method", why="launch.method selects the launcher"),
    _make_own_option("--no_ssh", "use launch.method: deepspeed-no-ssh", False, "launch.method selects the launcher"),
    _make_own_option("--force_multi", "remove it", False),
    _make_own_option("--no_python", "remove it", False),
    _make_own_option("--no_local_rank", "use training.deepspeed.localRank", False),
    _make_own_option("--module", "use training.module", False, "dsgen starts the program itself"),
    _make_own_option("--num_nodes", "use workers.replicas, or --include", why=WORLD),
    _make_own_option("--num_gpus --num_accelerators", "use workers.slots, or --include", why=WORLD),
    _make_own_option(
        ("--autotuning"),
        "use training.deepspeed.autotuning",
        why="dsgen passes it, with the other options that it needs",
    ),
    _make_own_option("--bind_cores_to_rank", "use training.deepspeed.bindCores", False, "pdsh does not pass it on"),
    _make_own_option("--bind_core_list", "use training.deepspeed.bindCores", why="pdsh does not pass it on"),
    _make_own_option("--save_pid", "remove it", False, "a restart would fail, because the file exists already"),
    Option(
        ("--venv_script",),
        since="0.17.6",
        why="dsgen could no longer end the processes",
        instead="use training.pythonCommand, the interpreter of the environment",
    ),
    _make_own_option("--elastic_training", "remove it", False, WORLD, "0.19.4"),
    _make_own_option("--min_elastic_nodes", "remove it", why=WORLD, until="0.19.4"),
    _make_own_option("--max_elastic_nodes", "remove it", why=WORLD, until="0.19.4"),
    _make_own_option(
        ("--enable_each_rank_log"),
        "use training.rankLogs, which copies the output of each rank into a file",
        why="the launcher needs the output of the ranks",
    ),
    Option(("--include", "-i")),
    Option(("--exclude", "-e")),
    Option(("--launcher_args",)),
    Option(("--no_ssh_check",), has_value=False),
    Option(("--log_level",), choices=LEVELS, since="0.17.6"),
    Option(("--quiet", "-q"), has_value=False, since="0.17.6"),
)
BY_NAME = {name: option for option in OPTIONS for name in option.names}
QUIET = ("--quiet", "-q", "--log_level")


@dataclass(frozen=True)
class Given:
    """One option of the user: its index in the list, its full name, its value ("" without one)."""

    index: int
    name: str
    option: Option
    value: str

    def report(self, id_: str, message: str, hint: str = "", severity: Severity = "error") -> RelativeDiagnostic:
        return RelativeDiagnostic(id_, (self.index,), f"{self.name}{message}", hint, severity)


class Hosts(NamedTuple):
    """The workers for which the options are checked.

    names: of the workers, empty while the job has no name; chosen_by: the key with which the launcher chooses among
    them, or ""; method: launch.method; version: of DeepSpeed, the newest possible one.
    """

    names: Sequence[str]
    chosen_by: str
    slots: int
    method: str
    version: Version


def list_hosts(values: Mapping[str, Any], job: str) -> list[str]:
    """The names in the hostfile of a job with this name: a line for each worker pod, the spares last."""
    run = f"{job}-{scalar(values['run']['id'])}"
    pods = int(values["workers"]["replicas"] + values["launch"]["preflight"]["spares"])
    return [f"{run}-worker-{number}.{run}" for number in range(pods)]


def check_arguments(arguments: Sequence[str], hosts: Hosts) -> Iterator[RelativeDiagnostic]:
    """The problems of the arguments, with paths relative to training.deepspeed.args."""
    given: list[Given] = []
    words = iter(enumerate(arguments))
    for index, word in words:
        option = _parse_option(index, word)
        if isinstance(option, RelativeDiagnostic):
            yield option
            continue
        if option.option.has_value and "=" not in word:
            _, value = next(words, (0, None))
            # What argparse takes for an option where it expects a value.
            is_option = value and re.match("-[^ ]+$", value) and not re.fullmatch("-[0-9.]+", value)
            if value is None or is_option:
                hint = f"write {option.name}={value}" if value else ""
                yield RelativeDiagnostic("DS281", (index,), f"{option.name} needs a value", hint)
                continue
            option = Given(index, option.name, option.option, value)
        elif not option.option.has_value and "=" in word and not option.option.why:
            yield RelativeDiagnostic("DS281", (index,), f"{option.name} takes no value", f"write only {option.name}")
            continue
        given.append(option)
    for one in given:
        yield from _check_option(one, hosts)
    yield from _check_hosts({one.option.names[0]: one for one in given if not one.option.why}, hosts)


def _parse_option(index: int, word: str) -> Given | RelativeDiagnostic:
    name, _, value = word.partition("=")
    if not name.startswith("-"):
        hint = "write an option and its value as two items of the list, or as one item with = between them"
        return RelativeDiagnostic("DS281", (index,), f"deepspeed would take {format_value(word)} as the program", hint)
    long = [other for other in BY_NAME if name.startswith("--") and other.startswith(name)]
    names = [name] if name in BY_NAME else long
    if len({BY_NAME[other].names for other in names}) == 1:
        return Given(index, names[0], BY_NAME[names[0]], value)
    hint = did_you_mean(find_closest(name, list(BY_NAME))) or "put arguments of your program into training.args"
    option, blank, rest = word.partition(" ")
    if blank and option in BY_NAME:
        hint = f"write the option and its value as two items: [{option}, {rest.strip()}]"
    if names:
        hint = f"write the full name: {', '.join(names)}"
    return RelativeDiagnostic("DS281", (index,), f"deepspeed does not know {format_value(name)}", hint)


def _check_option(given: Given, hosts: Hosts) -> Iterator[RelativeDiagnostic]:
    option, version = given.option, hosts.version
    if option.why:
        yield given.report("DS280", f": {option.why}", option.instead)
    elif option.since and parse_version(version.table) < parse_version(option.since):
        yield given.report("DS283", f" exists from DeepSpeed {option.since} on, not in {version.called}")
    elif option.choices and given.value not in option.choices:
        hint = f"possible values: {', '.join(option.choices)}"
        yield given.report("DS281", f" cannot be {format_value(given.value)}", hint)
    elif hosts.method == OUR_NO_SSH and option.names[0] in ("--include", "--exclude", "--launcher_args"):
        message = f" has no effect with launch.method {hosts.method}: every worker starts its own processes"
        yield given.report("DS280", message, "use launch.method: pdsh")
    elif given.name in QUIET and given.value not in ("debug", "info"):
        yield given.report("DS284", " also hides warnings of DeepSpeed's launcher", severity="warning")


# -- include, exclude and the arguments of pdsh, for the workers of the job ------------------------------------------


def _check_hosts(given: Mapping[str, Given], hosts: Hosts) -> Iterator[RelativeDiagnostic]:
    include, exclude = given.get("--include"), given.get("--exclude")
    if include and exclude:
        message = "--include and --exclude are mutually exclusive"
        yield RelativeDiagnostic("DS282", (exclude.index,), message, "keep one of them")
    for one in filter(None, (include, exclude)):
        if hosts.chosen_by:
            message = f" and {hosts.chosen_by} are mutually exclusive: both decide which workers train"
            yield one.report("DS282", message, "keep one of them")
        else:
            yield from _check_filter(one, hosts)
    if "--launcher_args" in given:
        yield from _check_pdsh(given["--launcher_args"], len(hosts.names))


def _check_filter(given: Given, hosts: Hosts) -> Iterator[RelativeDiagnostic]:
    problems = 0
    for part in given.value.split("@"):
        name, colon, slots = part.partition(":")
        if hosts.names and name not in hosts.names:
            problems += 1
            hint = did_you_mean(find_closest(name, hosts.names[:100]))
            hint = hint or f"the workers are named {hosts.names[0]} and so on"
            yield given.report("DS282", f": no worker is named {format_value(name)}", hint)
        for slot in slots.split(",") if colon else ():
            if not re.fullmatch("[0-9]+", slot) or int(slot) >= hosts.slots:
                problems += 1
                hint = f"use slots from 0 to {hosts.slots - 1}, as in worker:0,1"
                yield given.report("DS282", f": there is no slot {format_value(slot)}", hint)
    chosen = [f"{given.option.names[0]}={given.value}"]
    if not problems and hosts.names and not count_active_slots([*hosts.names], hosts.slots, chosen):
        yield given.report("DS282", " leaves no slot to train on", "list fewer workers or slots")


def _check_pdsh(given: Given, workers: int) -> Iterator[RelativeDiagnostic]:
    words = given.value.split()
    for index, word in enumerate(words):
        fanout = re.fullmatch("-f([0-9]*)", word)
        number = fanout[1] or "".join(words[index + 1 : index + 2]) if fanout else ""
        if number.isdecimal() and int(number) < workers:
            message = f": with -f {number} pdsh would never start the other {workers - int(number)} workers"
            yield given.report("DS280", message, "remove -f")
        elif re.match("-[wxRlgaA]", word):
            yield given.report("DS280", f": {word[:2]} changes to which hosts pdsh connects, or how", "remove it")
