"""Optimizers and schedulers, which DeepSpeed looks up by name and creates with `params`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.deepspeed.combinations import ZERO, Config
from dsgen.deepspeed.keys import (
    AUTO,
    KNOWN,
    NEWEST,
    NO_VERSION,
    RelativeDiagnostic,
    Rule,
    Version,
    check_value,
    describe_versions,
    load_table,
)
from dsgen.language.text import format_value
from dsgen.schema.suggestions import did_you_mean, find_closest

NO_PARAMETER = "max_grad_norm"
TYPE = ("optimizer", "type")


def check_names(config: Mapping[str, Any], version: Version = NO_VERSION) -> Iterator[RelativeDiagnostic]:
    """Names and parameters that DeepSpeed refuses when the training starts."""
    known = Config(config)
    yield from _check_optimizer(known, version)
    yield from _check_scheduler(known, version)


def _report_unknown_name(path: tuple[str, str], name: str, known: list[str]) -> RelativeDiagnostic:
    """An error if it is a misspelling; another version of torch may have any other name."""
    close = find_closest(name, known)
    hint = did_you_mean(close) or f"possible values: {', '.join(known)}"
    message = f"{path[0]}.type: neither DeepSpeed nor torch has {format_value(name)}"
    return RelativeDiagnostic("DS262", path, message, hint, "error" if close else "warning")


# -- optimizers -------------------------------------------------------------------------------------------------------


def _check_optimizer(config: Config, version: Version) -> Iterator[RelativeDiagnostic]:
    if config.get("optimizer", "params", NO_PARAMETER) is not None:
        message = f"optimizer.params: DeepSpeed refuses {NO_PARAMETER}"
        yield RelativeDiagnostic(
            "DS260", ("optimizer", "params", NO_PARAMETER), message, "set gradient_clipping", at_key=True
        )
    name, tables = config.get(*TYPE), load_table(version.table)
    if not isinstance(name, str) or name == AUTO:
        return
    rule = tables["optimizers"].get(name.lower()) or tables["torchOptimizers"].get(name)
    if rule:
        yield from _check_zero(config, name, rule)
        yield from _check_parameters("optimizer", config, _choose_adam_rule(config, name, rule), version)
    elif others := [known for known in KNOWN if name.lower() in load_table(known)["optimizers"]]:
        having = describe_versions(others, version)
        message = f"optimizer.type: DeepSpeed has {name} {having}, not in {version.called or NEWEST}"
        yield RelativeDiagnostic("DS263", TYPE, message, "", "error" if version.called else "warning")
    else:
        yield _report_unknown_name(TYPE, name, [*tables["torchOptimizers"], *tables["optimizers"]])


def _check_zero(config: Config, name: str, rule: Rule) -> Iterator[RelativeDiagnostic]:
    """DeepSpeed refuses some with ZeRO or above a stage, and others without zero_allow_untested_optimizer."""
    highest = rule.get("stage", config.stage)
    if config.stage > highest:
        what = f"up to stage {highest} of ZeRO" if highest else "without ZeRO"
        message = f"optimizer.type: {name} can be used only {what}, but {ZERO}.stage is {config.stage}"
        yield RelativeDiagnostic("DS267", TYPE, message, f"use another optimizer, such as AdamW, or stage {highest}")
    elif config.stage > 0 and not rule["tested"] and not config.is_on("zero_allow_untested_optimizer"):
        message = f"optimizer.type: ZeRO accepts {name} only with zero_allow_untested_optimizer: true"
        yield RelativeDiagnostic("DS267", TYPE, message, "set it, or use a tested optimizer such as AdamW")


def _choose_adam_rule(config: Config, name: str, rule: Rule) -> Rule:
    """The parameters of torch's own class, if torch_adam selects it."""
    if name.lower() not in ("adam", "adamw") or not config.get("optimizer", "params", "torch_adam"):
        return rule
    torchs = load_table()["torchOptimizers"]["AdamW"]
    accepted = ("torch_adam", "adam_w_mode", "fp32_optimizer_states")
    return {**torchs, "keys": {**torchs["keys"], **{key: rule["keys"][key] for key in accepted if key in rule["keys"]}}}


# -- schedulers -------------------------------------------------------------------------------------------------------


def _check_scheduler(config: Config, version: Version) -> Iterator[RelativeDiagnostic]:
    name, own = config.get("scheduler", "type"), load_table(version.table)["schedulers"]
    if not isinstance(name, str) or name == AUTO:
        return
    if name not in own and name not in load_table()["torchSchedulers"]:
        yield _report_unknown_name(("scheduler", "type"), name, [*own, *load_table()["torchSchedulers"]])
        return
    needed, given = own.get(name, {}).get("needed", ()), config.get("scheduler", "params")
    missing = [key for key in needed if key not in given] if isinstance(given, Mapping) else needed
    if missing:
        yield RelativeDiagnostic(
            "DS269", ("scheduler", "params"), f"the scheduler {name} needs {' and '.join(missing)}"
        )
    elif given is None:
        yield RelativeDiagnostic(
            "DS269", ("scheduler", "params"), f"the scheduler {name} needs params", "use params: {} for the defaults"
        )
    if name in own:
        yield from _check_parameters("scheduler", config, own[name], version)


# -- parameters of both -----------------------------------------------------------------------------------------------


def _check_parameters(kind: str, config: Config, rule: Rule, version: Version) -> Iterator[RelativeDiagnostic]:
    """Unknown and wrong parameters. rule: has no `unknown` for a class of torch, which may have other parameters in
    another version.
    """
    given = config.get(kind, "params")
    for key, value in given.items() if isinstance(given, Mapping) else ():
        path = (kind, "params", key)
        if key in rule["keys"]:
            yield from check_value(path, value, rule["keys"][key], False, version)
        elif key != NO_PARAMETER:
            close = find_closest(key, list(rule["keys"]))
            hint = did_you_mean(close) or f"possible keys: {', '.join(rule['keys'])}"
            what = "ignored" if rule.get("unknown") == "ignored" else "refused"
            is_sure = what == "refused" and (close or (rule.get("unknown") == "rejected" and version.is_covered))
            message = f'"{key}" is not a parameter of the {kind} {config.get(kind, "type")}, and is {what}'
            yield RelativeDiagnostic("DS260", path, message, hint, "error" if is_sure else "warning", at_key=True)
