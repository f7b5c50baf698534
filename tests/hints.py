"""Applies hints literally, without other knowledge: one rule for each form of a hint."""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import yaml

from dsgen import values
from dsgen.problems import Diagnostic, KeyPath
from dsgen.reading.nodes import SourceText

Data = dict[str, Any]
KEY = r"[\w.-]*\w"


ADVICE = {"DS383", "DS385", "DS399"}
"""Warnings about sizes and lifetimes, which the words of other tools do not have."""


def problems(data: Mapping[str, Any]) -> list[Diagnostic]:
    """What `dsgen validate` says of these values, apart from advice."""
    found = values.load([SourceText("v.yaml", yaml.safe_dump(data, sort_keys=False))]).problems()
    return [one for one in found if one.id not in ADVICE]


def runs(data: Data, meant: Mapping[str, Any], most: int) -> int:
    """How many times hints were applied, at most so often, until there was nothing left to do. Changes the data."""
    for number in range(most):
        waiting = problems(data)
        ordered = [one for one in waiting if not _in_list(one)] + [one for one in reversed(waiting) if _in_list(one)]
        if not sum(apply(data, problem, meant) for problem in ordered):
            return number
    return most


def _in_list(problem: Diagnostic) -> bool:
    """Items of lists are changed from the last one on, so that the others keep their numbers."""
    return any(isinstance(key, int) for key in problem.path)


def apply(data: Data, problem: Diagnostic, meant: Mapping[str, Any]) -> bool:
    """Whether a rule fits the hint of a problem, and has changed the data. meant: decides where a hint has a choice."""
    for pattern, rule in RULES:
        if match := re.search(pattern, problem.hint, re.DOTALL):
            rule(data, problem, match, meant)
            return True
    return False


def get(data: Any, path: KeyPath) -> Any:
    for key in path:
        if isinstance(data, dict) and key not in data:
            return None
        data = data[key]
    return data


def put(data: Data, path: KeyPath, value: Any) -> None:
    for key in path[:-1]:
        data = data.setdefault(key, {}) if isinstance(data, dict) else data[key]
    data[path[-1]] = value


def take(data: Data, path: KeyPath) -> Any:
    """Remove a value, and the maps and lists that are empty then."""
    above = get(data, path[:-1])
    value = above.pop(path[-1])
    if not above and len(path) > 1:
        take(data, path[:-1])
    return value


def _option(data: Data, path: KeyPath) -> tuple[str, str]:
    """Take an option and its value out of a list of arguments."""
    name, sign, value = str(take(data, path)).partition("=")
    arguments = get(data, path[:-1]) or []
    if not sign and arguments[path[-1] :] and not arguments[path[-1]].startswith("-"):
        value = take(data, path)
    return name.lstrip("-"), value


def _absolute(problem: Diagnostic, word: str) -> KeyPath:
    """The key of a hint: beside the wrong one, unless it has dots or the hint says otherwise."""
    parts = tuple(word.split("."))
    return parts if len(parts) > 1 or "at the top of the file" in problem.hint else (*problem.path[:-1], *parts)


def _rename(data: Data, problem: Diagnostic, match: re.Match[str], meant: Mapping[str, Any]) -> None:
    """`did you mean KEY or KEY?`, `did you mean VALUE?`"""
    words = match[1].split(" or ")
    if problem.id == "DS101":
        paths = [_absolute(problem, word) for word in words]
        put(data, next((path for path in paths if get(meant, path) is not None), paths[0]), take(data, problem.path))
    elif problem.id == "DS109":
        put(data, (*problem.path[:-1], words[0]), take(data, problem.path))
    else:
        put(data, problem.path, yaml.safe_load(words[0]))


def _replace(data: Data, problem: Diagnostic, match: re.Match[str], _: Any) -> None:
    """The value as the hint writes it."""
    put(data, problem.path, yaml.safe_load(match[1]))


def _use(data: Data, problem: Diagnostic, match: re.Match[str], _: Any) -> None:
    """`use KEY: A for X and Y, B for Z`, `use KEY: NAME divided by ...`, `use KEY: VALUE`, `use KEY`"""
    path, says = tuple(match[1].split(".")), match[2] or ""
    if isinstance(problem.path[-1], int):
        old: Any = yaml.safe_load(_option(data, problem.path)[1])
    else:
        old = take(data, problem.path)
    choices = re.findall(r"(\w+) for ([\w ]+)", says)
    if choices:
        wanted = str(old).lower()
        put(data, path, next(yaml.safe_load(one) for one, words in choices if wanted in words.lower().split()))
    elif says and re.fullmatch(r"\w+", says):
        put(data, path, yaml.safe_load(says))
    elif "divided by the number of workers" in says:
        put(data, path, old // get(data, ("workers", "replicas")))
    elif get(data, path) is None and "or nothing" not in problem.hint:
        put(data, path, yaml.safe_load(str(old)))


def _command_line(data: Data, problem: Diagnostic, _: Any, __: Any) -> None:
    words = shlex.split(get(data, problem.path))
    at = next((index for index, word in enumerate(words) if word.endswith(".py")), 0)
    put(data, problem.path, words[at])
    put(data, (problem.path[0], "args"), words[at + 1 :])


def _volumes(data: Data, problem: Diagnostic, _: Any, __: Any) -> None:
    put(data, problem.path, {one.pop("name"): one for one in take(data, problem.path)})


def _variables(data: Data, problem: Diagnostic, _: Any, __: Any) -> None:
    pairs = [one.split("=", 1) if isinstance(one, str) else one.values() for one in take(data, problem.path)]
    put(data, problem.path, dict(pairs))


def _launcher_option(data: Data, problem: Diagnostic, match: re.Match[str], _: Any) -> None:
    """Of the keys of the hint that with the words of the option, as in masterPort and --master_port."""
    name, value = _option(data, problem.path)
    keys = {"".join(key.split(".")[-1:]).lower(): key for key in re.findall(KEY, match[0]) if "." in key}
    put(data, tuple(keys[name.replace("_", "").replace("-", "")].split(".")), yaml.safe_load(value))


def _below_value_from(data: Data, problem: Diagnostic, _: Any, __: Any) -> None:
    put(data, problem.path[:-1], {"valueFrom": get(data, problem.path[:-1])})


def _secret(data: Data, problem: Diagnostic, match: re.Match[str], _: Any) -> None:
    put(data, problem.path, yaml.safe_load(match[1]))


def _move(data: Data, problem: Diagnostic, match: re.Match[str], _: Any) -> None:
    put(data, tuple(match[1].split(".")), take(data, problem.path))


def _set(data: Data, _found: Diagnostic, match: re.Match[str], _: Any) -> None:
    """`set KEY: VALUE, KEY: VALUE`"""
    for key, value in re.findall(rf"({KEY}): (\w+)", match[0]):
        put(data, tuple(key.split(".")), yaml.safe_load(value))


def _set_list(data: Data, _found: Diagnostic, match: re.Match[str], _: Any) -> None:
    """`set KEY: [...], and remove KEY and KEY`"""
    for key in re.findall(KEY, match[3] or ""):
        if "." in key and get(data, tuple(key.split("."))) is not None:
            take(data, tuple(key.split(".")))
    put(data, tuple(match[1].split(".")), yaml.safe_load(match[2]))


def _one_item(data: Data, problem: Diagnostic, match: re.Match[str], _: Any) -> None:
    """`write it as one item: "98,2,0"`"""
    items, at, text = get(data, problem.path[:-1]), problem.path[-1], yaml.safe_load(match[1])
    items[at : at + len(text.split(","))] = [text]


def _instead(data: Data, problem: Diagnostic, match: re.Match[str], _: Any) -> None:
    """`write A in place of B`"""
    put(data, problem.path, get(data, problem.path).replace(match[2], match[1]))


def _own_launcher(data: Data, problem: Diagnostic, _: Any, __: Any) -> None:
    put(data, ("launch", "command"), take(data, problem.path))
    put(data, ("launch", "method"), "worker-command")


Rule = Callable[[Data, Diagnostic, re.Match[str], Mapping[str, Any]], None]
RULES: list[tuple[str, Rule]] = [
    (r"did you mean (.+?)(?:, at the top of the file)?\?", _rename),
    (r"write it as one item: (.+)", _one_item),
    (r"write it as (?:a map|a list|one text)[^:]*: (.+)", _replace),
    (r"write it below valueFrom: \w+", _below_value_from),
    (r"write only its name: (.+)", _replace),
    (r"write it without quotes: (.+)", _replace),
    (r"write it in seconds: (\d+)$", _replace),
    (r"^remove it, and write the anchor at its first use", lambda data, problem, *_: take(data, problem.path)),
    (r"put it in quotes: (.+)", _replace),
    (r'for an empty text, write \w+: ("")', _replace),
    (r"write each volume as a name with a map", _volumes),
    (r"write each variable as a line of a map", _variables),
    (rf"or set ({KEY}): \S+$", _move),
    (r"put it into a Secret, and set training.env.NAME: (.+)", _secret),
    (r"to run your own launcher, set launch.method", _own_launcher),
    (r"set only the name, and put the arguments into training.args", _command_line),
    (r"use workers.replicas, workers.slots and launch.masterPort", _launcher_option),
    (r"remove it and its value", lambda data, problem, *_: _option(data, problem.path) and None),
    (rf"^use ({KEY})(?:: (.+)|[,;] .+)?$", _use),
    (rf"^set ({KEY}): (\[.*\])(, and remove .+)?$", _set_list),
    (r"^write (\S+) in place of (\S+)$", _instead),
    (rf"^set {KEY}: \w+(?:, {KEY}: \w+)*", _set),
    (r"use the full commit id", lambda data, problem, *_: put(data, problem.path, "0" * 40)),
]
