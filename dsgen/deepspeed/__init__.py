"""What is wrong with DeepSpeed's configuration, told before the ranks would find out, minutes after scheduling.

DeepSpeed ignores keys that it does not know, so a misspelt one trains something else than was meant. The version in the
image is not known here unless training.deepspeed.version says it: the table of keys is that of the newest version, and
what other versions took is a warning.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dsgen.problems.diagnostics import Diagnostic, Path, Position

if TYPE_CHECKING:
    from dsgen.deepspeed.keys import RelativeDiagnostic

CONFIG: Path = ("training", "deepspeed", "config")
ARGS: Path = ("training", "deepspeed", "args")
VERSION: Path = ("training", "deepspeed", "version")
PROCESSES: tuple[Path, ...] = (("workers", "replicas"), ("workers", "slots"))
"""What the batch sizes are held against."""
NAMED: tuple[Path, ...] = (("name",), ("run", "id"), ("launch", "method"), ("launch", "preflight", "spares"))
"""What the names of the workers come from."""
LOOKS_AT: dict[str, tuple[Path, ...]] = {
    **dict.fromkeys(("DS260", "DS261", "DS262", "DS263"), (VERSION,)),
    "DS265": (VERSION, CONFIG, ARGS, *PROCESSES),
    **dict.fromkeys(("DS266", "DS267", "DS268", "DS269"), (VERSION, CONFIG)),
    **dict.fromkeys(("DS280", "DS281", "DS282", "DS283", "DS284"), (VERSION, ARGS, *NAMED, *PROCESSES)),
}
"""What a problem of each kind depends on beyond its own key."""


def problems(
    values: Mapping[str, Any], release: Mapping[str, str], place: Callable[[Path, bool], Position | None]
) -> Iterator[Diagnostic]:
    """All problems of training.deepspeed; of its config none when configFile is used instead."""
    given = values["training"]["deepspeed"]
    if not (given["config"] or given["args"]):
        return
    findings = {
        ARGS: _of_args(values, release),
        CONFIG: [] if given["configFile"] or not given["config"] else _of_config(values),
    }
    for above, found in findings.items():
        for one in found:
            path = (*above, *one.path)
            yield Diagnostic(one.id, one.message, place(path, one.at_key), path, one.hint, one.severity)


def _of_config(values: Mapping[str, Any]) -> list[RelativeDiagnostic]:
    from dsgen.deepspeed import arguments, batch, combinations, keys, named, versions

    given, workers = values["training"]["deepspeed"], values["workers"]
    config = given["config"]
    of_each = [
        [
            *keys.findings(config, version),
            *named.findings(config, version),
            *combinations.on_cpus(config, workers, version),
        ]
        for version in versions.around(given["version"])
    ]
    found = [*_of_all(of_each), *combinations.findings(config)]
    if not arguments.is_filtered(given["args"]):
        found += batch.findings(config, workers["replicas"], workers["slots"], given["passConfig"])
    return found


def _of_all(found: Sequence[Sequence[RelativeDiagnostic]]) -> Iterator[RelativeDiagnostic]:
    """What is found with every version, and is an error with every one, if it is one."""
    kinds = [{(one.id, one.path): one.severity for one in each} for each in found]
    for one in found[0]:
        severities = {each.get((one.id, one.path)) for each in kinds}
        if None not in severities:
            yield dataclasses.replace(one, severity="warning" if "warning" in severities else "error")


def _of_args(values: Mapping[str, Any], release: Mapping[str, str]) -> list[RelativeDiagnostic]:
    given, method = values["training"]["deepspeed"], values["launch"]["method"]
    if not given["args"] or method not in ("pdsh", "deepspeed-no-ssh"):
        return []  # told already
    from dsgen.deepspeed import arguments, hostfile, versions

    job, spares = values["name"] or release["name"], values["launch"]["preflight"]["spares"]
    names = hostfile.hosts(values, job) if job else []
    version = versions.around(given["version"])[-1]
    hosts = arguments.Hosts(names, spares, int(values["workers"]["slots"]), method, version)
    return list(arguments.findings(given["args"], hosts))
