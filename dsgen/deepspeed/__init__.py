"""What is wrong with DeepSpeed's configuration, told before the ranks would find out, minutes after scheduling.

DeepSpeed ignores keys that it does not know, so a misspelt one trains something else than was meant. The version in the
image is not known here: the table of keys is that of one version, and what other versions took is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dsgen.diagnostics import Diagnostic, Position
from dsgen.nodes import Path, path_text
from dsgen.suggestions import closest
from dsgen.validate import Problem

CONFIG: Path = ("training", "deepspeed", "config")
PROCESSES: tuple[Path, ...] = (("workers", "replicas"), ("workers", "slots"))
"""What the batch sizes are held against."""


def problems(values: Mapping[str, Any], place: Callable[[Path, bool], Position | None]) -> Iterator[Problem]:
    """All problems of training.deepspeed.config; none when configFile is used instead."""
    given = values["training"]["deepspeed"]
    if not given["config"] or given["configFile"]:
        return
    from dsgen.deepspeed import batch, combinations, keys, named  # most jobs with a configuration file need none of it

    workers = values["workers"]
    findings = [
        *keys.findings(given["config"]),
        *named.findings(given["config"]),
        *combinations.findings(given["config"]),
        *batch.findings(given["config"], workers["replicas"], workers["slots"], given["passConfig"]),
    ]
    unknown = [str(found.path[-1]) for found in findings if found.id == "DS260"]
    for found in findings:
        if not found.path and any(closest(key, (batch.TOTAL, batch.MICRO)) for key in unknown):
            continue  # no batch size; it is most likely there, misspelt
        path = (*CONFIG, *found.path)
        at = place(path, found.at_key)
        yield path, Diagnostic(found.id, found.message, at, path_text(path), found.hint, found.severity)
