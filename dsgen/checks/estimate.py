"""What a job needs, by the numbers of the section `estimate`, beside what it has: memory, volumes, time and network.

Nothing is said where a number is unknown. dsgen.estimate is imported late, for a model whose parameters are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dsgen.checks.rule import Place, Problem, Problems, UnknownValueError, Values, warning
from dsgen.generated import helpers
from dsgen.language.text import quote
from dsgen.problems import Diagnostic, KeyPath, Severity, path_text

if TYPE_CHECKING:
    from dsgen.estimate.changes import Remedy
    from dsgen.estimate.estimates import Estimate
    from dsgen.estimate.forecast import Forecast, IsValid
    from dsgen.estimate.formulas import Item

PARAMETERS: KeyPath = ("estimate", "model", "parameters")
REPLICAS = ("workers", "replicas")
LIMIT: KeyPath = ("workers", "resources", "limits", "memory")
REQUEST: KeyPath = ("workers", "resources", "requests", "memory")
NODE: KeyPath = ("estimate", "worker", "memory")
NETWORK: KeyPath = ("estimate", "network")
GRACE: KeyPath = ("lifecycle", "terminationGracePeriodSeconds")
READ: tuple[KeyPath, ...] = (
    ("estimate",),
    ("workers",),
    ("training",),
    ("launch", "command"),
    ("storage",),
    ("lifecycle",),
)
"""The keys on which an estimate depends."""
LITTLE = 1 / 3
"""Of the memory of an accelerator: what less is used for is not the reason for several workers."""
MOST_PARTS = 3
GIB = 2**30
Found = tuple[str, KeyPath, str, str, Severity]
"""The id of a problem, its path, what the message says of the path, the hint, and the severity."""
NOTHING_HELPS = (
    "no smaller micro batch, recomputation, stage of ZeRO, offloading or number of workers that dsgen has tried is"
    " enough: use accelerators with more memory"
)
LESS_TRAFFIC = (
    "use a faster network, fewer workers with more accelerators, or more micro batches of a step"
    " (gradient_accumulation_steps)"
)


def find_problems(view: Values, values: Mapping[str, Any], place: Place, is_valid: IsValid) -> Iterator[Diagnostic]:
    """What does not fit. is_valid: whether changed values have no error that these values do not have. The changes that
    it proposes pass all other rules.
    """
    try:
        view.require(*READ)
    except UnknownValueError:
        return
    if view.estimate.model.parameters is None:
        return
    from dsgen.estimate import forecast, inputs  # imported late: most jobs have no estimate

    needs = forecast.make_forecast(values, inputs.read_section(values["estimate"]), is_valid)
    for find in (_check_accelerator, _check_worker, _check_claim, _check_grace, _check_network, _find_unused):
        for id_, path, message, hint, severity in find(needs):
            yield Diagnostic(id_, f"{path_text(path)}: {message}", place(path, False), path, hint, severity)


# -- the memory of an accelerator -------------------------------------------------------------------------------------


def _check_accelerator(needs: Forecast) -> Iterator[Found]:
    from dsgen.estimate.quantities import format_size

    held, capacity, remedy = needs.estimate.per_accelerator, needs.estimate.capacity, needs.remedy
    if held is None or capacity is None or not needs.may_not_fit:
        return
    path = _find_first_key(remedy, PARAMETERS)
    hint = f"{_format_settings(remedy)}; {_describe_need(remedy.estimate)}" if remedy else NOTHING_HELPS
    if held.low > capacity:
        is_split = needs.estimate.is_split
        words = "most likely needs" if is_split else "needs"
        parts = _describe_largest(held.least, lambda one: one.low)
        message = f"an accelerator {words} {format_size(held.low)} or more, but has {format_size(capacity)}{parts}"
        yield "DS401", path, message, hint, "warning" if is_split else "error"
    else:
        parts = _describe_largest(held.items, lambda one: one.high)
        message = f"an accelerator may need {format_size(held.high)}, but has {format_size(capacity)}{parts}"
        yield "DS402", path, message, hint, "warning"


def _find_first_key(remedy: Remedy | None, otherwise: KeyPath) -> KeyPath:
    return next(iter(remedy.edits)) if remedy else otherwise


def _format_settings(remedy: Remedy) -> str:
    """`set KEY: VALUE, KEY: VALUE`"""
    from dsgen.estimate.changes import as_word

    words = ", ".join(f"{path_text(path)}: {as_word(value)}" for path, value in remedy.settings.items())
    of_program = any(path[:2] == PARAMETERS[:2] for path in remedy.edits)
    return f"set {words}{'; estimate.model describes the program, which must do the same' if of_program else ''}"


def _describe_need(estimate: Estimate) -> str:
    from dsgen.estimate.quantities import format_range, format_size

    held = estimate.per_accelerator
    assert held is not None
    if not estimate.is_complete:
        return f"an accelerator then needs {format_size(held.low)} or more"
    return f"an accelerator then needs {format_range(format_size(held.low), format_size(held.high))}"


def _describe_largest(items: Iterable[Item], bytes_of: Callable[[Item], float]) -> str:
    from dsgen.estimate.quantities import format_size

    parts = sorted((item for item in items if bytes_of(item) > 0), key=bytes_of, reverse=True)[:MOST_PARTS]
    return f" ({', '.join(f'{part.name} {format_size(bytes_of(part))}' for part in parts)})" if parts else ""


# -- the memory of a worker -------------------------------------------------------------------------------------------


def _check_worker(needs: Forecast) -> Iterator[Found]:
    from dsgen.estimate import changes
    from dsgen.estimate.quantities import format_size

    held, given = needs.estimate.per_worker, needs.limits
    if held is None:
        return
    what = f"a worker needs {format_size(held.low)} or more{_describe_largest(held.least, lambda one: one.low)}"
    enough = _format_gibibytes(held.low)
    if given.limit is not None and held.low > given.limit:
        message = f"{what}, but its limit is {format_size(given.limit)}"
        hint = (
            f"set {path_text(LIMIT)}: {_format_gibibytes(held.high)}, the most that it may need; the least is {enough}"
        )
        yield "DS403", LIMIT, message, hint, "error"
    elif given.node is not None and held.low > given.node:
        node = given.node
        remedy = needs.find_first(changes.MORE, lambda one: one.per_worker is not None and one.per_worker.low <= node)
        message = f"{what}, but a node has {format_size(node)}"
        hint = _format_settings(remedy) if remedy else "use nodes with more memory, or offload less"
        yield "DS403", NODE, message, hint, "error"
    elif given.request is not None and held.low > given.request:
        message = f"{what}, but requests {format_size(given.request)}"
        hint = f"set {path_text(REQUEST)}: {enough} or more; it may need {format_size(held.high)}"
        yield "DS404", REQUEST, message, hint, "warning"


def _format_gibibytes(number: float) -> str:
    return f"{-int(-number // GIB)}Gi"


# -- checkpoints ------------------------------------------------------------------------------------------------------


def _check_claim(needs: Forecast) -> Iterator[Found]:
    from dsgen.estimate.quantities import format_size

    saved, claim, keep = needs.estimate.checkpoint, needs.limits.claim, needs.inputs.keep
    if saved is None or saved.volume is None or claim is None or claim >= saved.volume:
        return
    path = ("storage", str(needs.inputs.checkpoints), "create", "size")
    kept = f"{keep} checkpoint{'s' if keep != 1 else ''} of {format_size(saved.high)} and the one that is being written"
    message = f"{kept} need {format_size(saved.volume)}, but the volume has {format_size(claim)}"
    hint = f"set {path_text(path)}: {_format_gibibytes(saved.volume)} or more, or keep fewer checkpoints"
    yield "DS405", path, message, hint, "warning"


def _check_grace(needs: Forecast) -> Iterator[Found]:
    from dsgen.estimate.quantities import format_seconds

    saved, given = needs.estimate.checkpoint, needs.limits
    if saved is None or saved.seconds is None or saved.seconds[1] <= given.to_save:
        return
    most = saved.seconds[1]
    message = (
        f"a checkpoint takes {format_seconds(most)} to save, but a training that is evicted gets"
        f" {format_seconds(given.to_save)}"
    )
    enough = -int(-most // 10) * 10 + round(given.grace - given.to_save)
    hint = f"set {path_text(GRACE)}: {enough}, if the program saves a checkpoint when it gets SIGTERM"
    yield "DS406", GRACE, message, hint, "warning"


# -- time -------------------------------------------------------------------------------------------------------------


def _check_network(needs: Forecast) -> Iterator[Found]:
    from dsgen.estimate import changes
    from dsgen.estimate.quantities import format_range, format_seconds

    step = needs.estimate.step
    if step is None or step.bound != "network" or needs.estimate.fits is False:
        return

    def is_enough(one: Estimate) -> bool:
        return changes.fits(one) and one.step is not None and one.step.bound != "network"

    remedy = needs.find_first(changes.FASTER, is_enough)
    path = _find_first_key(remedy, NETWORK)
    times = {item.name: format_range(format_seconds(item.low), format_seconds(item.high)) for item in step.items}
    network, compute = times["network"], times["compute"]
    message = f"the network needs {network} of a step, and computing only {compute}"
    yield "DS407", path, message, _format_settings(remedy) if remedy else LESS_TRAFFIC, "warning"


def _find_unused(needs: Forecast) -> Iterator[Found]:
    from dsgen.estimate import changes
    from dsgen.estimate.quantities import format_size

    estimate, workers = needs.estimate, needs.values["workers"]
    held, capacity = estimate.per_accelerator, estimate.capacity
    if held is None or capacity is None or not estimate.is_complete or held.high > LITTLE * capacity:
        return
    remedy = needs.find_first(changes.FEWER, changes.fits)
    if remedy is None:
        return
    now, then = int(workers["replicas"]), int(remedy.edits[REPLICAS])
    saved = (now - then) * int(helpers.accelerators(workers))
    words = "one worker is enough" if then == 1 else f"{then} workers are enough"
    message = (
        f"an accelerator needs at most {format_size(held.high)} of {format_size(capacity)}, and"
        f" {words} for the memory: that saves {saved} accelerators"
    )
    hint = f"{_format_settings(remedy)} if the training may take longer, or use the memory for a larger micro batch"
    yield "DS408", REPLICAS, message, hint, "warning"


@warning(
    "DS409",
    "estimate.checkpoints.volume",
    hint="name the volume of storage on which the training saves its checkpoints",
)
def warn_of_unknown_volume(values: Values) -> Problems:
    volume = values.estimate.checkpoints.volume
    if volume and volume not in values.storage:
        yield Problem(f"estimate.checkpoints.volume: storage has no volume {quote(volume)}")
