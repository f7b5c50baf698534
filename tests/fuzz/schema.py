"""Generated values, also unusual ones: dsgen and jsonschema refuse the same ones, for the same keywords."""

import functools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import jsonschema

from dsgen import schema
from dsgen.schema.violations import find_violations
from tests.fuzz.shrink import build, leaves, smallest
from tests.fuzz.verdicts import ODD
from tests.generated_values import Generator
from tests.parity import dump

BATCH = 100
DEFAULT = 3000
SEEDS_APART = 10_000
EACH = 10
"""Values that are made of one generated tree."""


def cases(count: int, seed: int) -> Iterator[Any]:
    """As many values; the same seed gives the same ones. Of EACH in turn, all but the first have an odd leaf."""
    for number in range(count):
        tree = Generator(seed * SEEDS_APART + number // EACH).tree()
        yield spoilt(tree, random.Random(f"{seed} {number}")) if number % EACH else tree


def spoilt(tree: Any, rng: random.Random) -> Any:
    """A tree with one of its leaves replaced by what most keys cannot have."""
    parts = leaves(tree)
    place = rng.randrange(len(parts))
    return build([*parts[:place], (parts[place][0], rng.choice(ODD)), *parts[place + 1 :]])


@functools.cache
def validator() -> jsonschema.Draft7Validator:
    """jsonschema's validator of the schema; patterns are about whole texts, missing keys are one error."""

    def pattern(_: Any, limit: str, text: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
        if isinstance(text, str) and not re.fullmatch(limit, text, re.ASCII):
            yield jsonschema.ValidationError("does not match")

    def required(_: Any, limit: list[str], value: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
        if isinstance(value, dict) and not value.keys() >= {*limit}:
            yield jsonschema.ValidationError("keys are missing")

    changed = {"pattern": pattern, "required": required}
    return jsonschema.validators.extend(jsonschema.Draft7Validator, changed)(schema.load())


def by_jsonschema(value: Any) -> list[str]:
    """Each violated keyword with path, value and limit, and whether a key is meant."""
    return sorted(
        repr((error.validator, error.validator_value, error.instance, tuple(error.absolute_path), is_name))
        for error in validator().iter_errors(value)
        for is_name in ["propertyNames" in error.absolute_schema_path]
    )


def by_dsgen(value: Any) -> list[str]:
    """The same, as dsgen finds it."""
    keywords = find_violations(schema.load(), value)
    return sorted(repr((one.keyword, one.limit, one.value, one.path, one.is_name)) for one in keywords)


def verdict(value: Any) -> str:
    """`valid` or `refused` by both, or what must never be: `DIFFERENT`."""
    theirs = by_jsonschema(value)
    if theirs != by_dsgen(value):
        return "DIFFERENT"
    return "refused" if theirs else "valid"


def compare(trees: Sequence[Any]) -> tuple[Counter[str], list[str]]:
    """How often each verdict was given, and a minimal value for each difference."""
    verdicts = list(map(verdict, trees))
    different = [tree for tree, one in zip(trees, verdicts, strict=True) if one == "DIFFERENT"]
    return Counter(verdicts), [dump(build(smallest(leaves(tree), build, _which))) for tree in different]


def _which(trees: list[Any]) -> list[bool]:
    return [verdict(tree) == "DIFFERENT" for tree in trees]
