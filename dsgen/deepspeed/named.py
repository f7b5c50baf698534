"""Optimizers and schedulers, which DeepSpeed finds by their name and calls with `params`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.deepspeed.combinations import Config
from dsgen.deepspeed.keys import AUTO, Finding, table
from dsgen.validate import closest, shown

OLD_OPTIMIZERS = ("onebitadam", "zerooneadam", "onebitlamb")
TESTED_WITH_ZERO = ("Adam", "AdamW", "Adagrad")
"""Of torch's optimizers; DeepSpeed has its own of the same names, in any case."""
NO_PARAMETER = "max_grad_norm"


def findings(config: Mapping[str, Any]) -> Iterator[Finding]:
    """Names and parameters that DeepSpeed refuses when the training starts."""
    known = Config(config)
    yield from _optimizer(known)
    yield from _optimizer_params(known)
    yield from _scheduler(known)


def _optimizer(config: Config) -> Iterator[Finding]:
    name, path = config.get("optimizer", "type"), ("optimizer", "type")
    if not isinstance(name, str) or name == AUTO or name.lower() in table()["optimizers"]:
        return
    if name.lower() in OLD_OPTIMIZERS:
        message = f"optimizer.type: DeepSpeed has {name} up to 0.19.4, not in 0.19.8"
        yield Finding("DS263", path, message, "", "warning")
    elif name not in table()["torchOptimizers"]:
        yield _unknown_name(path, name, [*table()["torchOptimizers"], *table()["optimizers"]])
    elif config.stage > 0 and name not in TESTED_WITH_ZERO and not config.is_on("zero_allow_untested_optimizer"):
        message = f"optimizer.type: ZeRO takes {name} only with zero_allow_untested_optimizer: true"
        yield Finding("DS267", path, message, "set it, or use one of DeepSpeed's own optimizers, such as AdamW")


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


def _scheduler(config: Config) -> Iterator[Finding]:
    name, given = config.get("scheduler", "type"), config.get("scheduler", "params")
    own = table()["schedulers"]
    if not isinstance(name, str) or name == AUTO or name in table()["torchSchedulers"]:
        return
    if name not in own:
        yield _unknown_name(("scheduler", "type"), name, [*own, *table()["torchSchedulers"]])
        return
    params = given if isinstance(given, Mapping) else {}
    for key in params:
        if key not in own[name]["possible"]:
            close = closest(key, own[name]["possible"])
            hint = f"did you mean {close}?" if close else f"possible: {', '.join(own[name]['possible'])}"
            message = f'"{key}" is not a parameter of the scheduler {name}, and is refused'
            yield Finding("DS260", ("scheduler", "params", key), message, hint, at_key=True)
    missing = [key for key in own[name]["needed"] if key not in params]
    if missing:
        message = f"the scheduler {name} needs {' and '.join(missing)}"
        yield Finding("DS269", ("scheduler", "params"), message)
