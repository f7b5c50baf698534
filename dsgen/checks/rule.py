"""The form of a rule, and how rules run over values of which some may be unknown."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from dsgen import schema
from dsgen.problems import Diagnostic, KeyPath, Position, Severity

Place = Callable[[KeyPath, bool], Position | None]
"""Path of a key, and whether its name (true) or its value (false) is meant, to its place in a file."""
Names = Mapping[str, str]
"""The `name` and `namespace` of a release; empty if they are not known yet."""

# -- values -----------------------------------------------------------------------------------------------------------


class UnknownValueError(Exception):
    """A rule has read a value that the user must correct first."""


class View(dict[str, Any]):
    """A map of the values. Its keys are also attributes, and an absent one is None.

    To read an unknown key raises UnknownValueError; iterating passes over it. `unknown` is True if all keys are.
    """

    def __init__(self, data: Mapping[str, Any], unknown: Literal[True] | None = None) -> None:
        super().__init__((key, _make_view(value)) for key, value in data.items())
        self._unknown: set[Any] = set()
        self._is_unknown = bool(unknown)

    def hide(self, key: Any) -> None:
        """Makes a key unknown."""
        self._unknown.add(key)

    def _read(self, key: object) -> None:
        if self._is_unknown or key in self._unknown:
            raise UnknownValueError

    def __getitem__(self, key: str) -> Any:
        return self.get(key)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        return self.get(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key."""
        self._read(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._read(key)
        return super().__contains__(key)

    def require_all(self) -> None:
        """Raises UnknownValueError if a key is unknown."""
        if self._is_unknown or self._unknown:
            raise UnknownValueError

    def __len__(self) -> int:
        self.require_all()
        return super().__len__()

    def __bool__(self) -> bool:
        return super().__len__() > 0 or len(self) > 0


class UnknownItems(list[Any]):
    """A list with unknown items, each of which may be any value."""

    def __contains__(self, item: object) -> bool:
        if not super().__contains__(item):
            raise UnknownValueError
        return True


def _make_view(value: Any) -> Any:
    if isinstance(value, dict):
        return View(value)
    return list(map(_make_view, value)) if isinstance(value, list) else value


class Values(View):
    """The complete values of a job, of which those at the paths `unknown` must be corrected first.

    names: of the release. `release` has the same; reading it raises UnknownValueError while the job has no name.
    """

    def __init__(self, data: Mapping[str, Any], names: Names, unknown: Collection[KeyPath] = ()) -> None:
        super().__init__(data)
        self._names, self._paths = names, frozenset(unknown)
        self._above = {path[:length] for path in unknown for length in range(len(path) + 1)}
        for path in sorted(unknown, key=len):
            _hide(self, path, ())

    @property
    def names(self) -> Names:
        """The names of the release, which may be empty."""
        return self._names

    @property
    def release(self) -> Names:
        """The names of the release, for names of objects."""
        if not self._names["name"]:
            raise UnknownValueError
        return self._names

    @functools.cached_property
    def objects(self) -> list[tuple[str, KeyPath, Any]]:
        """Each object of Kubernetes, and each list of them: the name of its type (`[]` for a list), path and itself."""
        return [*_find_objects(schema.load(), self, ())]

    def is_unknown(self, path: KeyPath) -> bool:
        """Whether the value at a path, or one above it, is unknown."""
        return any(path[:length] in self._paths for length in range(len(path) + 1))

    def require(self, *paths: KeyPath) -> None:
        """Raises UnknownValueError if something at one of these paths, above or below it is unknown."""
        if any(path in self._above or self.is_unknown(path) for path in paths):
            raise UnknownValueError


def _find_objects(part: schema.Schema, value: Any, path: KeyPath) -> Iterator[tuple[str, KeyPath, Any]]:
    if "$ref" in part:
        yield part["$ref"].removeprefix(schema.DEFINITION), path, value
        part = schema.resolve(part)
    for other in part.get("allOf", ()):
        yield from _find_objects(other, value, path)
    if isinstance(value, list) and "$ref" in part.get("items", ()):
        yield part["items"]["$ref"].removeprefix(schema.DEFINITION) + "[]", path, value
    for key, item in list_entries(value):
        below = part.get("items") if isinstance(key, int) else part.get("properties", {}).get(key)
        below = part.get("additionalProperties") if below is None else below
        if isinstance(below, dict):
            yield from _find_objects(below, item, (*path, key))


def _hide(part: Any, path: KeyPath, above: KeyPath) -> None:
    """Makes the value at a path below a part unknown, or the nearest one above that exists."""
    key, rest = path[0], path[1:]
    child = dict.get(part, key) if isinstance(part, dict) else part[key] if int(key) < len(part) else None
    if rest and isinstance(child, dict if isinstance(rest[0], str) else list):
        if isinstance(child, list) and not isinstance(child, UnknownItems):
            child = UnknownItems(child)
            dict.__setitem__(part, key, child) if isinstance(part, dict) else part.__setitem__(key, child)
        _hide(child, rest, (*above, key))
    elif isinstance(part, View):
        part.hide(key)
    elif child is None:
        types = schema.list_types(schema.find_part((*above, key)) or {}) or ["object"]
        part[key] = View({}, unknown=True) if types[0] == "object" else NEUTRAL[types[0]]


NEUTRAL = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}
"""Type of an unknown item of a list -> the value in its place, so that the items after it keep their indices."""


# -- rules ------------------------------------------------------------------------------------------------------------


class Problem(NamedTuple):
    """What a rule has found; without a message it is none. path, hint, severity: if they are not those of the rule."""

    message: str
    path: KeyPath = ()
    hint: str = ""
    severity: Severity | None = None


Problems = Iterator[Problem]
Suggest = Callable[[Values, KeyPath], str]
"""A hint for these values and the path of the problem; "" for the general hint of the rule."""


class Rule(NamedTuple):
    """One rule: a function that yields problems or returns a message, and what `error` and `warning` say about it."""

    find: Callable[..., Problems | str]
    id: str
    severity: Severity
    places: tuple[str, ...]
    hint: str
    suggest: Suggest | None
    at_key: bool


RULES: list[Rule] = []
"""All rules; each module of this package adds those of its subject."""
Function = TypeVar("Function", bound=Callable[..., Problems | str])


def _add_rule(
    severity: Severity,
    id_: str,
    *places: str,
    hint: str = "",
    suggest: Suggest | None = None,
    at_key: bool = False,
) -> Callable[[Function], Function]:
    """The decorator of a function that yields the problems of an id, or returns the message of one, which may be empty.

    places: the dotted path of the key that is wrong; `*` stands for each key of a map, or item of a list. With one
    place without `*`, the function gets the values. Otherwise it runs for each path, and gets the values, the path, and
    the value at the last `*`, or that at the path. at_key: the name of the key is wrong, not its value.
    """

    def add(function: Function) -> Function:
        RULES.append(Rule(function, id_, severity, places, hint, suggest, at_key))
        return function

    return add


error = functools.partial(_add_rule, "error")
warning = functools.partial(_add_rule, "warning")


def run_rules(values: Values, place: Place) -> Iterator[Diagnostic]:
    """The problems that do not depend on unknown values."""
    for rule in RULES:
        for path, arguments in _list_arguments(values, rule.places):
            with contextlib.suppress(UnknownValueError):
                found = rule.find(values, *arguments)
                for one in [Problem(found)] if isinstance(found, str) else found:
                    if one.message:
                        yield _make_diagnostic(rule, values, one, one.path or path, place)


def _make_diagnostic(rule: Rule, values: Values, problem: Problem, path: KeyPath, place: Place) -> Diagnostic:
    hint = problem.hint
    if rule.suggest:
        with contextlib.suppress(UnknownValueError):
            values.require(path[:1])
            hint = rule.suggest(values, path) or hint
    severity = problem.severity or rule.severity
    return Diagnostic(rule.id, problem.message, place(path, rule.at_key), path, hint or rule.hint, severity)


def _list_arguments(values: Values, places: Sequence[str]) -> Iterator[tuple[KeyPath, tuple[Any, ...]]]:
    """Each path at which a rule runs, and what its function gets besides the values."""
    for keys in _split_places(tuple(places)):
        if len(places) == 1 and "*" not in keys:
            yield keys, ()
            continue
        last = len(keys) - keys[::-1].index("*") if "*" in keys else len(keys)
        with contextlib.suppress(UnknownValueError):
            for path, item in _expand(values, keys[:last], ()):
                yield (*path, *keys[last:]), ((*path, *keys[last:]), item)


@functools.cache
def _split_places(places: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [tuple(place.split(".")) for place in places]


def _expand(part: Any, keys: Sequence[str], path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    """The paths that keys with `*` mean, and the value of each."""
    if not keys:
        yield path, part
    elif keys[0] == "*":
        for key, below in list_entries(part):
            yield from _expand(below, keys[1:], (*path, key))
    else:
        yield from _expand(part.get(keys[0]) if isinstance(part, dict) else None, keys[1:], (*path, keys[0]))


def list_entries(part: Any) -> list[tuple[Any, Any]]:
    """The keys and values of a map, sorted, or the indices and items of a list."""
    if isinstance(part, dict):
        return sorted(part.items())
    return list(enumerate(part)) if isinstance(part, list) else []


# -- what several modules use -----------------------------------------------------------------------------------------

ROLES = ("workers", "launcher")
CONTAINERS = tuple(f"{role}.{kind}.*" for role in ROLES for kind in ("initContainers", "sidecars"))
"""The user's containers."""
ANY_TEXT = "([^$]|[$])*"
"""In a pattern: any text, also of several lines."""


def of_roles(key: str) -> tuple[str, ...]:
    """The place of a key in the values of both roles."""
    return tuple(f"{role}.{key}" for role in ROLES)
