"""Spoilt sources: the cases, cut, repeated, reordered, with other types, huge values and hostile names."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from dsgen import values
from dsgen.importers import ImportOptions, ImportRefusedError, SourceText, check, import_jobs, make_report
from dsgen.importers.draft import as_key_path
from tests.importers.imports import unaccounted

CASES = Path(__file__).parent / "cases"
SECRET = "Zq7xK9mP2vL4"
HOSTILE = (
    *("$(touch /tmp/x)", "`id`", "; rm -rf /", "${x@P}", "$((1/0))", "${!x}", "\u202egpj", "{{ x }}", "<% y %>"),
    *("a: b", "- c", "'", '"', "\\", "\n", "\t", "<<EOF", "${", "$((", "&a *a", "!!python/object:os.system", "-", "--"),
    *("9" * 400, "x" * 5000, "[" * 200, "({" * 100, "\x1b[31m", "é", "\u2028", "%s", "..", "/", "1e400", "-1", "0"),
    *("null", "~", "true", "0x10"),
)
PLANTED = (
    f"export HF_TOKEN={SECRET}",
    f'export WANDB_API_KEY="{SECRET}"',
    f"AWS_SECRET_ACCESS_KEY={SECRET} true",
    f"wandb login {SECRET}",
    f"huggingface-cli login --token {SECRET}",
    f"echo password={SECRET} PASSWORD={SECRET}",
    f"curl -H 'Authorization: Bearer {SECRET}' https://user:{SECRET}@example.com/x",
)


def sources() -> list[SourceText]:
    """The sources of all cases."""
    paths = [path for path in sorted(CASES.glob("*/*")) if path.name not in ("expected.yaml", "report.txt")]
    return [SourceText(path.name, path.read_text(encoding="utf-8")) for path in paths]


def mutants(count: int, seed: int) -> Iterator[SourceText]:
    """So many spoilt sources; the same for the same seed."""
    chance, originals = random.Random(seed), sources()
    for number in range(count):
        source = originals[number % len(originals)]
        text = source.text
        for _ in range(chance.randint(1, 3)):
            text = chance.choice(WAYS)(text, chance)
        # Last, as a spoilt name is not that of a secret.
        yield SourceText(source.name, _planted(text, chance) if chance.random() < 0.4 else text)


def _cut(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _without(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    start = chance.randrange(len(lines))
    del lines[start : start + chance.randint(1, 4)]
    return "\n".join(lines)


def _repeated(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    start = chance.randrange(len(lines))
    part = lines[start : start + chance.randint(1, 5)]
    at = chance.randrange(len(lines) + 1)
    return "\n".join([*lines[:at], *part, *lines[at:]])


def _reordered(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _other_word(text: str, chance: random.Random) -> str:
    """Another word, of another type, huge or hostile, in place of one."""
    words = text.split(" ")
    words[chance.randrange(len(words))] = chance.choice(HOSTILE)
    return " ".join(words)


def _inserted(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(HOSTILE) + text[at:]


def _indented(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    index = chance.randrange(len(lines))
    lines[index] = " " * chance.randint(1, 4) + lines[index] if chance.random() < 0.5 else lines[index][2:]
    return "\n".join(lines)


def _planted(text: str, chance: random.Random) -> str:
    """A secret, where people write them: in a script, a variable of a container, a flag."""
    lines = text.split("\n")
    if text.startswith("#!"):
        at = chance.randrange(min(len(lines), 8), len(lines) + 1) if len(lines) > 8 else len(lines)
        return "\n".join([*lines[:at], chance.choice(PLANTED), *lines[at:]])
    index = chance.randrange(len(lines))
    item = f"{{name: AWS_SECRET_ACCESS_KEY, value: {SECRET}}}"
    for number in [*range(index, len(lines)), *range(index)]:
        if "env: [" in lines[number]:
            lines[number] = lines[number].replace("env: [", f"env: [{item}, ", 1)
            break
        if lines[number].strip() == "env:":
            blanks = len(lines[number]) - len(lines[number].lstrip())
            lines.insert(number + 1, f"{' ' * (blanks + 2)}- {item}")
            break
    return "\n".join(lines)


VALUES: tuple[object, ...] = (
    *(None, True, False, 0, 1, -1, 3, 10**30, 1.5, "", "text", "8", "a b", "$(A)", "x" * 3000, [], {}, ["a"], [None]),
    *({"a": 1}, [{}], [{"name": "x"}], [[["a"]]], {"name": None}, {"valueFrom": {"fieldRef": {"fieldPath": "x"}}}),
)


def _other_types(text: str, chance: random.Random) -> str:
    """Values of other types, missing and repeated fields in a file of YAML; other texts stay as they are."""
    try:
        data = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, ValueError, RecursionError):
        return text
    for _ in range(chance.randint(1, 6)):
        places = [place for one in data for place in _places(one)]
        if not places:
            return text
        node, key = chance.choice(places)
        way = chance.random()
        if way < 0.25:
            del node[key]
        elif way < 0.4 and isinstance(node, list):
            node.insert(chance.randrange(len(node) + 1), copy.deepcopy(node[key]))
        else:
            node[key] = copy.deepcopy(chance.choice(VALUES))
    return yaml.safe_dump_all(data, sort_keys=False)


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in items:
        if key not in ("apiVersion", "kind"):
            yield node, key
        yield from _places(child)


WAYS: tuple[Callable[[str, random.Random], str], ...] = (
    *(
        _cut,
        _without,
        _repeated,
        _reordered,
        _other_word,
        _other_word,
        _inserted,
        _indented,
        _other_types,
        _other_types,
        _other_types,
    ),
)


def verdict(source: SourceText) -> tuple[str, list[str]]:
    """What became of a source, and what is wrong about it."""
    try:
        jobs = import_jobs([source], ImportOptions())
    except ImportRefusedError as error:
        return "refused", [] if SECRET not in str(error) else [f"a secret in the reason: {error}"]
    is_carried = any(job.carried for job in jobs)  # then the values have all of the script
    lost = [] if is_carried else unaccounted(source.text, jobs, source.name)
    wrong = [f"not accounted for: {one}" for one in lost]
    for job in jobs:
        if SECRET in job.text or SECRET in json.dumps(make_report([job])):
            wrong.append("a secret was copied")
        if any(SECRET in f"{one.source}{one.result}" for one in check(job)):
            wrong.append("a secret in the comparison")
        holes = [as_key_path(hole.key) for hole in job.holes]
        loaded = values.load([values.SourceText("values.yaml", job.text)])
        for one in loaded.problems():
            is_hole = any(one.path[: len(path)] == path[: len(one.path)] for path in holes)
            if one.severity == "error" and not is_hole:
                wrong.append(f"the values are refused: {one.id} {one.message}")
    return "converted", wrong
