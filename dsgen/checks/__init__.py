"""What the schema cannot say: one table of expressions, evaluated here and compiled into the chart.

A row of both worlds uses only what a chart has (`values`, `release`, the helpers of dsgen/templates), so that
`helm install` refuses the same values with the same words; warnings stand in its notes. What needs more than templates
have is a function. Each module of this package has the rows and functions of one subject.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import ModuleType
from typing import Any

from dsgen import deepspeed
from dsgen.checks import (
    code,
    containers,
    contexts,
    launch,
    names,
    network,
    pods,
    quantities,
    scheduling,
    security,
    sizes,
    storage,
    training,
)
from dsgen.checks.evaluation import findings
from dsgen.checks.gaps import Watch, mark
from dsgen.checks.row import Check, Function, Place
from dsgen.problems.diagnostics import Diagnostic, Path

__all__ = ["CHECKS", "FUNCTIONS", "IN_CHART", "Check", "Function", "run"]

SUBJECTS: dict[ModuleType, str] = {
    names: "Names of objects and pods, labels and annotations, the image.",
    training: "What is trained: program, arguments, environment, files.",
    launch: "How the training is started: what each method can do, and how far it reaches.",
    code: "The program from a Git repository.",
    pods: "What workers and launcher ask for, and what of the user's goes into their pods.",
    storage: "Volumes: their sources, where they are mounted, and what two mounts do to one another.",
    network: "Ports, interfaces, RDMA, ssh, the webhook and what is watched.",
    scheduling: "Queues, gangs and topology: what a scheduler refuses, or waits for without a word.",
    contexts: "Security contexts under the Pod Security Standards. Rules are named as the API server names them.",
    security: "What else the Pod Security Standards forbid: namespaces and ports of the host, volumes, annotations.",
}
"""The modules with rows, and what stands above each in the chart: with -OO a module has no docstring."""
CHECKS: tuple[Check, ...] = tuple(row for subject in SUBJECTS for row in subject.ROWS)
FUNCTIONS: tuple[Function, ...] = (
    *containers.FUNCTIONS,
    *quantities.FUNCTIONS,
    *storage.FUNCTIONS,
    *sizes.FUNCTIONS,
    *network.FUNCTIONS,
    Function(deepspeed.problems, deepspeed.LOOKS_AT, is_watched=False),
)
IN_CHART = {row.id for row in CHECKS if row.worlds == "both" and row.severity == "error"}
"""The ids of what a chart refuses with the same words."""


def run(
    values: dict[str, Any], release: Mapping[str, str], place: Place, unknown: Collection[Path] = ()
) -> list[Diagnostic]:
    """All problems of complete values (checked by the schema, filled), for a release's `name` and `namespace`.

    Where the name is not known yet, the rows about names are left out. unknown: where something wrong was taken out;
    nothing is told that depends on what will stand there.
    """
    watch = Watch()
    seen = mark(values, unknown, watch) if unknown else values
    found = [
        Diagnostic(row.id, text, place(path, row.at_key), path, row.hint, row.severity)
        for row, path, text in findings(CHECKS, seen, release, watch)
        if release["name"] or not row.needs_name
    ]
    sound = {**seen, "storage": {key: one for key, one in seen["storage"].items() if not _is_open(key, unknown)}}
    for function in FUNCTIONS:
        watch.start()
        for problem in function.find(sound, release, place):
            missed = watch.missed and function.is_watched
            looks_at = function.looks_at.get(problem.id, ())
            if not missed and not any(_depends(problem, looks_at, path) for path in unknown):
                found.append(problem)
    return [problem for problem in found if not any(_is_around(path, problem.path) for path in unknown)]


def _is_open(volume: str, unknown: Collection[Path]) -> bool:
    """Whether something in a volume is not known, so that it is left aside where volumes are compared."""
    return any(path[:2] == ("storage", volume) for path in unknown)


def _depends(problem: Diagnostic, looks_at: tuple[Path, ...], unknown: Path) -> bool:
    """Whether a function looked at what is not known: directly below the problem's key, or by what it looks at."""
    return problem.path == unknown[:-1] or any(
        _is_around(unknown, other) or _is_around(other, unknown) for other in looks_at
    )


def _is_around(path: Path, other: Path) -> bool:
    return other[: len(path)] == path
