"""Checks DeepSpeed's configuration before the job is applied, rather than when the ranks start.

DeepSpeed ignores many unknown keys, so a misspelt one silently changes the training. The version in the image is known
only if training.deepspeed.version is set: otherwise the newest version applies, and keys of other versions are
warnings.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dsgen.deepspeed import options
from dsgen.generated import helpers
from dsgen.language.functions import load_launch_methods
from dsgen.problems import Diagnostic, KeyPath, Position
from dsgen.schema.validate import MOST_PROBLEMS

if TYPE_CHECKING:
    from dsgen.deepspeed.keys import RelativeDiagnostic

CONFIG: KeyPath = ("training", "deepspeed", "config")
ARGS: KeyPath = ("training", "deepspeed", "args")
VERSION: KeyPath = ("training", "deepspeed", "version")
PROCESSES: tuple[KeyPath, ...] = (("workers", "replicas"), ("workers", "slots"))
"""The keys on which the batch sizes depend."""
PROGRAM: tuple[KeyPath, ...] = (("training", "parallel"), *options.COMMANDS, options.FILES)
"""The keys that say how a program divides the model, and its batch sizes."""
NAMED: tuple[KeyPath, ...] = (
    ("name",),
    ("run", "id"),
    ("launch", "method"),
    ("launch", "preflight", "spares"),
    ("workers", "min"),
)
"""The keys on which the names of the workers depend."""
FILES = "/job/files"
"""Where training.files are mounted."""
LOOKS_AT: dict[str, tuple[KeyPath, ...]] = {
    **dict.fromkeys(("DS260", "DS261", "DS262", "DS263"), (VERSION,)),
    "DS265": (VERSION, CONFIG, ARGS, *PROCESSES, *PROGRAM),
    **dict.fromkeys(("DS266", "DS267", "DS268", "DS269"), (VERSION, CONFIG)),
    **dict.fromkeys(("DS280", "DS281", "DS282", "DS283", "DS284"), (VERSION, ARGS, *NAMED, *PROCESSES)),
}
"""The further keys on which a problem of each kind depends."""


def find_problems(
    values: Mapping[str, Any], release: Mapping[str, str], place: Callable[[KeyPath, bool], Position | None]
) -> Iterator[Diagnostic]:
    """All problems of training.deepspeed; config is not checked if configFile is set."""
    given = values["training"]["deepspeed"]
    if not (given["config"] or given["args"]):
        return
    relative = {
        ARGS: _check_args(values, release),
        CONFIG: [] if given["configFile"] or not given["config"] else _check_config(values),
    }
    for above, problems_below in relative.items():
        for one in problems_below:
            path = (*above, *one.path)
            yield Diagnostic(one.id, one.message, place(path, one.at_key), path, one.hint, one.severity)


def find_config(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The configuration of DeepSpeed: config, or configFile if it is one of training.files.

    Empty if there is none, if it is in the image, or if a file has no configuration without errors.
    """
    training = values["training"]
    given = training["deepspeed"]
    config: Mapping[str, Any] = given["config"]
    folder, _, name = given["configFile"].rpartition("/")
    if config or folder != FILES or name not in training["files"]:
        return config
    import json  # imported late: most jobs have no such file

    try:
        found = json.loads(training["files"][name])
        in_file = {**values, "training": {**training, "deepspeed": {**given, "config": found}}}
        is_valid = isinstance(found, dict) and not any(one.severity == "error" for one in _check_config(in_file))
    except (ValueError, RecursionError):
        return {}
    return found if is_valid else {}


def _check_config(values: Mapping[str, Any]) -> list[RelativeDiagnostic]:
    # Imported late: many jobs have no configuration of DeepSpeed.
    from dsgen.deepspeed import batch, combinations, keys, optimizers

    given, workers = values["training"]["deepspeed"], values["workers"]
    config = given["config"]
    is_filtered = any(re.match("--?(i|inc|e|exc)[a-z]*(=|$)", str(word)) for word in given["args"])
    ranks = batch.make_ranks(workers["replicas"], workers["slots"], options.find_parallel(values))
    passed, said = helpers.config_way(values) == "deepspeed", options.find_numbers(values, options.BATCH)
    of_each = [
        [
            *itertools.islice(keys.check_keys(config, version), MOST_PROBLEMS + 1),
            *optimizers.check_names(config, version),
            *combinations.check_cpus(config, workers, version),
            *(() if is_filtered else batch.check_sizes(config, ranks, passed, version, said)),
        ]
        for version in keys.list_nearest_versions(given["version"])
    ]
    found = [*_find_common(of_each), *batch.compare_sizes(config, said), *combinations.check_combinations(config)]
    if not given["resize"]["checkpoint"]:
        return found
    hint = batch.suggest_workers(config, workers["replicas"], workers["slots"])
    return [one._replace(hint=hint or one.hint) if one.id == "DS265" else one for one in found]


def _find_common(of_each: Sequence[Sequence[RelativeDiagnostic]]) -> Iterator[RelativeDiagnostic]:
    """The problems that every version has; a warning unless it is an error with every version."""
    kinds = [{(one.id, one.path): one.severity for one in each} for each in of_each]
    for one in of_each[0]:
        severities = {each.get((one.id, one.path)) for each in kinds}
        if None not in severities:
            yield one._replace(severity="warning" if "warning" in severities else "error")


def _check_args(values: Mapping[str, Any], release: Mapping[str, str]) -> list[RelativeDiagnostic]:
    given, method = values["training"]["deepspeed"], values["launch"]["method"]
    if not given["args"] or "deepspeed" not in load_launch_methods()[method].get("tools", ()):
        return []  # another check reports that
    # Imported late: few jobs have arguments.
    from dsgen.deepspeed import arguments, keys

    job = values["name"] or release["name"]
    names = arguments.list_hosts(values, job) if job else []
    version = keys.list_nearest_versions(given["version"])[-1]
    chosen_by = "launch.preflight.spares" if values["launch"]["preflight"]["spares"] else ""
    chosen_by = chosen_by or ("workers.min" if values["workers"]["min"] else "")
    hosts = arguments.Hosts(names, chosen_by, int(values["workers"]["slots"]), method, version)
    return list(arguments.check_arguments(given["args"], hosts))
