"""The keys of DeepSpeed's configuration in each known version, and the values that each of them takes."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from dsgen import schema
from dsgen.language.functions import read_json
from dsgen.language.text import format_value
from dsgen.problems import KeyPath, Severity, path_text
from dsgen.reading.nodes import name_type
from dsgen.schema.suggestions import did_you_mean, find_closest, list_possible, suggest_among

KNOWN = ("0.14.5", "0.15.4", "0.16.9", "0.17.0", "0.17.6", "0.18.3", "0.18.9", "0.19.0", "0.19.4", "0.19.8")
"""tools/deepspeed_keys.py makes the tables of each version from its package."""
NEWEST = KNOWN[-1]


class Version(NamedTuple):
    """A version for which a configuration is checked.

    table: the known version whose tables apply; called: what the user wrote, "" for nothing. is_covered: false for a
    version newer or older than all known ones, which may have keys that none of them has.
    """

    table: str = NEWEST
    called: str = ""
    is_covered: bool = True


def parse_version(version: str) -> tuple[int, ...]:
    """The key for comparing versions."""
    return tuple(map(int, version.split(".")))


def list_nearest_versions(given: str) -> list[Version]:
    """The known versions nearest to a given one, the oldest first.

    For a known version that is the version itself; for a line such as 0.18, all known versions of it; for another
    version, its neighbours. What all of them refuse, the given version refuses.
    """
    if not given:
        return [Version()]
    exact = [known for known in KNOWN if known == given or known.startswith(f"{given}.")]
    if exact:
        return [Version(known, given) for known in exact]
    below = [known for known in KNOWN if parse_version(known) < parse_version(given)]
    near = [*below[-1:], *KNOWN[len(below) :][:1]]
    return [Version(known, given, is_covered=len(near) > 1) for known in near]


Rule = Mapping[str, Any]
"""The values that a key takes; tools/deepspeed_keys.py describes the form."""

AUTO = "auto"
NO_VERSION = Version()
LAST = "DeepSpeed accepts it up to 0.19.4 and refuses it from 0.19.8 on"
FIRST = "DeepSpeed uses it in 0.14.5 and ignores it from 0.16.9 on"
REMOVED: dict[KeyPath, tuple[str, str]] = {
    ("aio", "thread_count"): (FIRST, "use intra_op_parallelism"),
    ("amp",): (LAST, "use fp16, bf16 or torch_autocast"),
    ("compression_training",): (LAST, ""),
    ("curriculum_learning",): (LAST, "use data_efficiency.data_sampling.curriculum_learning"),
    ("eigenvalue",): (LAST, ""),
    ("elasticity",): (LAST, "set the batch sizes directly"),
    ("graph_harvesting",): (LAST, ""),
    ("nebula",): (LAST, ""),
    ("progressive_layer_drop",): (LAST, ""),
    ("quantize_training",): (LAST, ""),
    ("seq_parallel_comm_data_type",): (FIRST, "use seq_parallel_communication_data_type"),
    ("sparse_attention",): (LAST, ""),
    ("sparse_gradients",): (LAST, "an nn.Embedding with sparse=True works without it"),
    ("zero_optimization", "mics_hierarchical_params_gather"): (LAST, ""),
    ("zero_optimization", "mics_shard_size"): (LAST, ""),
    ("zero_optimization", "zeropp_loco_param"): (LAST, ""),
}
"""Keys of older versions that the table does not have: which versions have them, and what to use instead. From the
sources of 0.14.5, 0.16.9, 0.17.6, 0.19.4 and 0.19.8."""

MATCHES: dict[str, Callable[[Any], bool]] = {
    "boolean": lambda value: isinstance(value, bool) or value in (0, 1),
    "integer": lambda value: type(value) is int or (isinstance(value, float) and value.is_integer()),
    "number": lambda value: type(value) in (int, float),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
SPELLINGS = {
    "boolean": "(?i)true|false|yes|no|on|off|y|n|t|f|0|1",
    "integer": "[-+]?[0-9]+([.]0+)?",
    "number": "[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?",
}
"""Strings that pydantic converts to a value of the type."""
LIMITS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "minimum": ("at least", lambda value, limit: value >= limit),
    "exclusiveMinimum": ("more than", lambda value, limit: value > limit),
    "maximum": ("at most", lambda value, limit: value <= limit),
    "exclusiveMaximum": ("less than", lambda value, limit: value < limit),
}


class RelativeDiagnostic(NamedTuple):
    """A diagnostic that has no position yet.

    path: below training.deepspeed.config or .args. at_key: the name of the key is wrong, not its value.
    """

    id: str
    path: KeyPath
    message: str
    hint: str = ""
    severity: Severity = "error"
    at_key: bool = False


@functools.cache
def load_table(version: str = NEWEST) -> Rule:
    """keys.json, with the differences of an older version; shared, so do not change it."""
    newest: Mapping[str, Any] = read_json("deepspeed/keys.json")
    if version == NEWEST:
        return newest
    older = read_json("deepspeed/older.json")[version]
    keys = newest["keys"]
    for path, rule in older["keys"].items():
        keys = _set_rule(keys, path.split("."), rule)
    named = {}
    for part in ("optimizers", "schedulers"):
        both = {**newest[part], **older[part]}
        named[part] = {name: rule for name, rule in both.items() if rule is not None}
    return {**newest, **named, "keys": keys}


def _set_rule(keys: Mapping[str, Any], path: list[str], rule: Rule | None) -> Mapping[str, Any]:
    """A copy of `keys` with this rule at a path; None removes the key."""
    first, *rest = path
    if rest:
        return {**keys, first: {**keys[first], "keys": _set_rule(keys[first]["keys"], rest, rule)}}
    return {**keys, first: rule} if rule is not None else {key: one for key, one in keys.items() if key != first}


def find_rule(path: KeyPath, rule: Rule) -> Rule | None:
    """The rule at a path; None for an unknown key."""
    for key in path:
        rule = rule.get("keys", {}).get(key)
        if rule is None:
            return None
    return rule


def check_keys(config: Mapping[str, Any], version: Version = NO_VERSION) -> Iterator[RelativeDiagnostic]:
    """Unknown and removed keys, and values of a wrong type, that are not possible or out of range.

    Without a version, keys that only older versions have are warnings.
    """
    yield from _check_map((), config, load_table(version.table), version)


def _check_map(path: KeyPath, given: Mapping[str, Any], rule: Rule, version: Version) -> Iterator[RelativeDiagnostic]:
    for key, value in given.items():
        here = (*path, key)
        if key in rule["keys"]:
            yield from check_value(here, value, rule["keys"][key], rule.get("unknown") == "rejected", version)
        elif version.called and (others := [one for one in KNOWN if find_rule(here, load_table(one)) is not None]):
            yield _report_other_versions(here, others, version, rule)
        elif here in REMOVED and not version.called:
            since, instead = REMOVED[here]
            yield RelativeDiagnostic("DS263", here, f"{path_text(here)}: {since}", instead, "warning", at_key=True)
        elif rule.get("unknown") != "used":
            yield _report_unknown(here, rule, version)


def _report_other_versions(path: KeyPath, others: list[str], version: Version, rule: Rule) -> RelativeDiagnostic:
    """A key that this version of DeepSpeed does not have yet, or no longer has."""
    refused = rule.get("unknown") == "rejected" or (path in REMOVED and REMOVED[path][0] == LAST)
    what = "refuses" if refused else "ignores"
    hint = REMOVED[path][1] if path in REMOVED else ""
    message = (
        f"{path_text(path)}: DeepSpeed accepts it {describe_versions(others, version)}; {version.called} {what} it"
    )
    return RelativeDiagnostic("DS263", path, message, hint, "error", at_key=True)


def describe_versions(others: list[str], version: Version) -> str:
    """Which versions have what this one does not have."""
    is_gone = parse_version(version.table) > parse_version(others[-1])
    return f"up to {others[-1]}" if is_gone else f"from {others[0]} on"


def _report_unknown(path: KeyPath, rule: Rule, version: Version) -> RelativeDiagnostic:
    where, key = path_text(path[:-1]) or "DeepSpeed's configuration", str(path[-1])
    what, severity = {
        None: ("and would be silently ignored", "error"),
        "ignored": ("and is ignored", "warning"),
        "rejected": ("and is refused", "error"),
    }[rule.get("unknown")]
    message = f'"{key}" is not a key of {where}, {what}'
    question = did_you_mean(*_guess_keys(key, path, rule))
    is_error = severity == "error" and (version.is_covered or question)
    hint = question or list_possible(list(rule["keys"]), "keys")
    return RelativeDiagnostic("DS260", path, message, hint, "error" if is_error else "warning", at_key=True)


def _guess_keys(key: str, path: KeyPath, rule: Rule) -> list[str]:
    """What an unknown key may mean: a similar key, or keys of the same name elsewhere."""
    if close := find_closest(key, sorted(rule["keys"])):
        return [close]
    return [path_text(other) for other in _list_known() if other[-1] == key and other != path][:3]


@functools.cache
def _list_known() -> list[KeyPath]:
    return [*_list_paths((), load_table())]


def _list_paths(path: KeyPath, rule: Rule) -> Iterator[KeyPath]:
    for key, below in rule.get("keys", {}).items():
        yield (*path, key)
        yield from _list_paths((*path, key), below)


def check_value(path: KeyPath, value: Any, rule: Rule, lenient: bool, version: Version) -> Iterator[RelativeDiagnostic]:
    """The problems of a value; lenient: DeepSpeed converts strings."""
    if value == AUTO:
        return  # DeepSpeed or the program replaces it, as Hugging Face's Trainer does
    name, types = path_text(path), rule.get("types", ())
    if types and not any(_has_type(value, wanted, lenient) for wanted in types):
        words = " or ".join(schema.TYPE_WORDS[wanted] for wanted in types)
        yield RelativeDiagnostic(
            "DS261", path, f"{name} must be {words}, not {_describe_value(value)}", _suggest_repair(value, types)
        )
        return
    if "newName" in rule:
        new = rule["newName"]
        yield RelativeDiagnostic("DS263", path, f"{name} is an old name of {new}", f"use {new}", "warning", at_key=True)
    if isinstance(value, dict) and "keys" in rule:
        yield from _check_map(path, value, rule, version)
    yield from _check_possible(path, value, rule)


def _has_type(value: Any, wanted: str, lenient: bool) -> bool:
    spelling = SPELLINGS.get(wanted) if lenient and isinstance(value, str) else None
    return MATCHES[wanted](value) or bool(spelling and re.fullmatch(spelling, value.strip()))


def _describe_value(value: Any) -> str:
    if isinstance(value, dict | list):
        return name_type(value)
    return format_value(value) if isinstance(value, float) else f"{name_type(value)} ({format_value(value)})"


def _suggest_repair(value: Any, types: list[str]) -> str:
    plain = [name for name in types if name in SPELLINGS]
    if isinstance(value, str) and any(re.fullmatch(SPELLINGS[name], value) for name in plain):
        if plain == ["boolean"]:
            return "write true or false, without quotes"
        return f"write it without quotes: {value}" if math.isfinite(float(value)) else "it is too large for a number"
    return ""


def _check_possible(path: KeyPath, value: Any, rule: Rule) -> Iterator[RelativeDiagnostic]:
    name = path_text(path)
    if "enum" in rule and not _is_one_of(value, rule):
        possible_words = [str(word) for word in rule["enum"]]
        hint = suggest_among(value, possible_words) if isinstance(value, str) else list_possible(possible_words)
        yield RelativeDiagnostic("DS262", path, f"{name} cannot be {format_value(value)}", hint)
    for limit, (words, is_within) in LIMITS.items():
        if limit in rule and not is_within(float(value), rule[limit]):
            yield RelativeDiagnostic(
                "DS262", path, f"{name} must be {words} {rule[limit]:g}, not {format_value(value)}"
            )


def _is_one_of(value: Any, rule: Rule) -> bool:
    if rule.get("case") == "any":
        return value.lower() in (word.lower() for word in rule["enum"])
    return str(value) in map(str, rule["enum"]) or value in rule["enum"]
