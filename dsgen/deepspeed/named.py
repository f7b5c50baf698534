"""Optimizers and schedulers, which DeepSpeed finds by their name and calls with `params`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.deepspeed.combinations import Config
from dsgen.deepspeed.keys import AUTO, Finding, table
from dsgen.suggestions import closest
from dsgen.validate import shown

OLD_OPTIMIZERS = ("onebitadam", "zerooneadam", "onebitlamb")
WITH_ZERO = ("Adam", "AdamW", "Adagrad")
"""Torch's optimizers that ZeRO takes (`ZERO_SUPPORTED_OPTIMIZERS` of deepspeed/runtime/zero/utils.py)."""
NOT_WITH_ZERO = ("lamb",)
"""DeepSpeed's own that it does not take."""
NO_PARAMETER = "max_grad_norm"


def findings(config: Mapping[str, Any], version: str = "") -> Iterator[Finding]:
    """Names and parameters that DeepSpeed refuses when the training starts; version: as for the keys."""
    known = Config(config)
    yield from _optimizer(known, version)
    yield from _optimizer_params(known)
    yield from _scheduler(known, version)


def _optimizer(config: Config, version: str) -> Iterator[Finding]:
    name, path = config.get("optimizer", "type"), ("optimizer", "type")
    if not isinstance(name, str) or name == AUTO:
        return
    own, torchs = name.lower() in table(version)["optimizers"], table(version)["torchOptimizers"]
    if not own and name.lower() in OLD_OPTIMIZERS:
        message = f"optimizer.type: DeepSpeed has {name} up to 0.19.4, not in 0.19.8"
        yield Finding("DS263", path, message, "", "error" if version else "warning")
    elif not own and name not in torchs:
        yield _unknown_name(path, name, [*torchs, *table(version)["optimizers"]])
    elif config.stage > 0 and not _is_with_zero(name, own) and not config.is_on("zero_allow_untested_optimizer"):
        message = f"optimizer.type: ZeRO takes {name} only with zero_allow_untested_optimizer: true"
        yield Finding("DS267", path, message, "set it, or use an optimizer that ZeRO is tested with, such as AdamW")


def _is_with_zero(name: str, own: bool) -> bool:
    return name.lower() not in NOT_WITH_ZERO if own else name in WITH_ZERO


def _unknown_name(path: tuple[str, str], name: str, known: list[str]) -> Finding:
    """An error where it is a misspelling; another name may be one of another version of torch."""
    close = closest(name, known)
    hint = f"did you mean {close}?" if close else f"possible: {', '.join(known)}"
    message = f"{path[0]}.type: neither DeepSpeed nor torch has {shown(name)}"
    return Finding("DS262", path, message, hint, "error" if close else "warning")


def _optimizer_params(config: Config) -> Iterator[Finding]:
    if config.get("optimizer", "params", NO_PARAMETER) is not None:
        message = f"optimizer.params: DeepSpeed refuses {NO_PARAMETER}"
        yield Finding("DS260", ("optimizer", "params", NO_PARAMETER), message, "set gradient_clipping", at_key=True)


def _scheduler(config: Config, version: str) -> Iterator[Finding]:
    name, own = config.get("scheduler", "type"), table(version)["schedulers"]
    if not isinstance(name, str) or name == AUTO:
        return
    if name not in own and name not in table()["torchSchedulers"]:
        yield _unknown_name(("scheduler", "type"), name, [*own, *table()["torchSchedulers"]])
        return
    needed, given = own.get(name, {}).get("needed", ()), config.get("scheduler", "params")
    missing = [key for key in needed if key not in given] if isinstance(given, Mapping) else needed
    if missing:
        yield Finding("DS269", ("scheduler", "params"), f"the scheduler {name} needs {' and '.join(missing)}")
    elif given is None:
        yield Finding("DS269", ("scheduler", "params"), f"the scheduler {name} needs params", "{} gives its defaults")
    if name in own and isinstance(given, Mapping):
        yield from _scheduler_params(name, given, own[name]["possible"])


def _scheduler_params(name: str, given: Mapping[str, Any], possible: list[str]) -> Iterator[Finding]:
    for key in given:
        if key not in possible:
            close = closest(key, possible)
            hint = f"did you mean {close}?" if close else f"possible: {', '.join(possible)}"
            message = f'"{key}" is not a parameter of the scheduler {name}, and is refused'
            yield Finding("DS260", ("scheduler", "params", key), message, hint, at_key=True)
