"""The Python functions that templates may call, and `files`, the scripts for the pods, like `.Files` in a chart.

Functions for text are in dsgen/language/text.py. Generated code imports this module, so it is cheap to import.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dsgen.errors import DsgenError

if TYPE_CHECKING:
    from pathlib import Path

FOLDER, SUFFIXES = "scripts", (".conf", ".json", ".py", ".sh")
"""Where `files` are, and how their names end."""
DIGEST_LENGTH = 10
"""Hexadecimal characters of a digest: enough to tell releases apart, and short enough for the name of an object."""
UNITS: dict[str, tuple[int, int]] = {unit: (1000**power, 1) for power, unit in enumerate(" kMGTPE") if power}
UNITS |= {f"{unit}i": (1024**power, 1) for power, unit in enumerate(" KMGTPE") if power}
UNITS |= {unit: (1, 1000**power) for power, unit in enumerate(" mun") if power}
"""Unit of a quantity of Kubernetes -> factor and divisor."""
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
"""Of the units in which other tools write times."""


class TemplateError(DsgenError):
    """A template refuses its values; the message is for the user."""


def overlay(*maps: Mapping[str, Any]) -> dict[str, Any]:
    """The maps merged: later maps take precedence, lists and scalars are replaced; no argument is changed."""
    merged: dict[str, Any] = {}
    for layer in maps:
        for key, value in layer.items():
            both = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = overlay(merged[key], value) if both else value
    return merged


def get(tree: Mapping[str, Any], *path: Any) -> Any:
    """`get(tree, key, ..., default)`: the value at the end of the keys, or the default if one of them is absent."""
    *keys, default = path
    value: Any = tree
    for key in keys:
        if key not in value:
            return default
        value = value[key]
    return value


def refuse(id_: str, message: str) -> None:
    """Raises TemplateError with the message of an invariant, and the id of its rule; nothing without a message."""
    if message:
        raise TemplateError(f"{message} [{id_}]")


def items(tree: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Keys and values, sorted by code point, as in Go's `range`."""
    return sorted(tree.items())


REFERENCE = re.compile(r"[$][$]|[$][(](?:([^)]*)[)]|[^)]*$)")
"""What the kubelet replaces in an environment variable: `$$` by `$`, and `$(NAME)` if NAME stands before it. What is
not closed is a match without a name: each `$(` in it would be followed to the end again.
"""


def variables(env: Mapping[str, Any]) -> list[str]:
    """The names of environment variables, sorted; one with `$(NAME)` of a later one follows after all that need not
    wait, as if the list were passed through until it is empty. Those that wait for themselves are left out.
    """
    needs = {name: {*REFERENCE.findall(value)} & env.keys() for name, value in env.items() if isinstance(value, str)}
    if not any(needs.values()):
        return sorted(env)
    import graphlib  # imported late: few values have a reference

    sorter, passes = graphlib.TopologicalSorter({name: needs.get(name, ()) for name in env}), dict[str, int]()
    with contextlib.suppress(graphlib.CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        for name in ready:
            passes[name] = max((passes[one] + (one > name) for one in needs.get(name, ())), default=0)
        sorter.done(*ready)
    return sorted(passes, key=lambda name: (passes[name], name))


def matching(text: str, pattern: str) -> bool:
    """Whether the whole text matches `^...$`; patterns use the ASCII subset that Python and RE2 share."""
    return _compile(pattern).fullmatch(text) is not None


_compile = functools.cache(re.compile)  # faster than the cache of `re`


def parse_quantity(quantity: str | float) -> Fraction:
    """A quantity of Kubernetes, such as `1500m` and `2Gi`, as a number. Raises ValueError for a text without one."""
    text = str(quantity)
    unit = text.lstrip("+-0123456789.")
    if unit not in UNITS:
        return Fraction(text)
    return Fraction(text.removesuffix(unit)) * Fraction(*UNITS[unit])


def parse_duration(text: str) -> int:
    """A time such as 3d, 1h30m, 90 min, 12:30:00 or 3-00:00:00 (Slurm) in seconds; 0 for any other text."""
    slurm = re.fullmatch(r"(?:(\d{1,4})-)?(\d{1,4}):(\d\d)(?::(\d\d))?", text.strip())
    if slurm:
        days, hours, minutes, rest = (int(part or 0) for part in slurm.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + rest
    part = r"(\d{1,9}) *(s|m|h|d|w|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?)"
    if not re.fullmatch(f"({part} *)+", text.strip().lower()):
        return 0
    return sum(int(number) * SECONDS[unit[0]] for number, unit in re.findall(part, text.lower()))


def whole_bytes(quantity: str) -> str:
    """A quantity such as 1.5Gi in whole bytes, rounded down, at most 2^53; 0 for a text without a number."""
    try:
        return str(min(int(parse_quantity(quantity)), 2**53))
    except ValueError:
        return "0"


def join(texts: Iterable[str], separator: str) -> str:
    return separator.join(texts)


def join_blocks(blocks: Iterable[Any]) -> str:
    """The blocks that are not empty, below each other."""
    return "\n".join(block for block in blocks if block)


def count_to(end: int) -> range:
    """The integers from 0 to `end` - 1."""
    return range(int(end))


@functools.cache
def load_launch_methods() -> dict[str, dict[str, Any]]:
    """The rows of scripts/shared/methods.json, by the values of launch.method; shared, do not change them."""
    return read_json("scripts/shared/methods.json")


def list_launch_methods(field: str) -> list[str]:
    """The launch methods in whose row a field is set; a constant in compiled templates."""
    return [name for name, row in load_launch_methods().items() if row.get(field)]


def is_none(value: Any) -> bool:
    return value is None


def is_string(value: Any) -> bool:
    return isinstance(value, str)


def is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


# -- files -------------------------------------------------------------------------------------------------------------


class Files:
    """The texts below `root/scripts`, by their path below `root`."""

    def __init__(self, root: Path | str) -> None:
        self._root = root

    @functools.cached_property
    def texts(self) -> Mapping[str, str]:
        """Path -> text, sorted; read at the first use."""
        texts, walk = {}, os.walk(os.path.join(self._root, FOLDER))
        for path in sorted(os.path.join(folder, name) for folder, _, names in walk for name in names):
            if path.endswith(SUFFIXES):
                with open(path, "rb", buffering=0) as file:
                    texts[os.path.relpath(path, self._root).replace(os.sep, "/")] = file.read().decode()
        return texts

    @functools.cache  # noqa: B019 - the same object each time: `indent` finds it without comparing the text
    def get(self, path: str) -> str:
        """The text without its final newline, which the line of the template has."""
        return self.texts[path].removesuffix("\n")

    def glob(self, pattern: str) -> dict[str, None]:
        """The paths that match, as the keys of a map; for a loop over its items."""
        return dict.fromkeys(find_matching(self.texts, pattern))

    def digest(self, pattern: str) -> str:
        """The digest of the files that match; a constant in compiled templates."""
        return compute_digest(self.texts, pattern)


def find_matching(texts: Mapping[str, str], pattern: str) -> list[str]:
    """The paths that match, sorted. As in a chart, `*` matches any text without a slash, and `**` any text."""
    parts = {"*": "[^/]*", "**": ".*"}
    expression = "".join(parts.get(part) or re.escape(part) for part in re.split(r"(\*+)", pattern))
    return sorted(path for path in texts if re.fullmatch(expression, path))


def compute_digest(texts: Mapping[str, str], pattern: str) -> str:
    """A short digest of the names and the content of the files that match."""
    import hashlib  # imported late: only the compiler needs it

    content = "".join(f"{path}\0{texts[path]}\0" for path in find_matching(texts, pattern))
    return hashlib.sha256(content.encode()).hexdigest()[:DIGEST_LENGTH]  # as in scripts/shared/settings.py


def read_json(path: str) -> dict[str, Any]:
    """A JSON file of dsgen, by its path in the package. Raises ValueError with the place of a mistake."""
    with open(os.path.join(PACKAGE, path), encoding="utf-8") as file:
        try:
            loaded: dict[str, Any] = json.load(file)
        except json.JSONDecodeError as error:
            raise ValueError(f"dsgen/{path}:{error.lineno}:{error.colno}: {error.msg}") from None
    return loaded


PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHIPPED = Files(PACKAGE)
"""The files of this package."""
