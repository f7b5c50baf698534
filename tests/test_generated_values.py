"""The generator of values uses every key, and its values are valid."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from dsgen import schema
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read
from tests.generated_values import errors, loaded, repaired, sound_texts, trees, valid_texts
from tests.parity import dump, flat_objects

MANY = 300
RARE = {
    *(("ssh", "secret", "name"), ("storage", "*", "ephemeral"), ("storage", "*", "hostPath")),
    *(("storage", "*", "create", key) for key in ("accessModes", "persistentVolume")),
}
"""Only good beside values of other keys that few generated files have; tests/test_keys.py shows what they do."""


def keys(tree: Any, rule: schema.Schema | None = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The keys of the schema that values have, `*` for a key that the user named."""
    rule = schema.load() if rule is None else rule
    for key, value in tree.items():
        place = (*path, key if key in rule.get("properties", {}) else "*")
        yield place
        below = schema.find_child(rule, key)
        if isinstance(value, dict) and below is not None:
            yield from keys(value, below, place)


@pytest.mark.parametrize("generate", [valid_texts, pytest.param(sound_texts, marks=pytest.mark.slow)])
def test_every_key_is_generated(generate: Callable[[int], Iterator[str]]) -> None:
    missing = {path for path, _ in schema.walk_keys()} - RARE
    for text in generate(MANY):
        missing -= {*keys(read(SourceText("v.yaml", text)).root.as_data())}
        if not missing:
            break

    assert set() == missing


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees())
def test_what_is_repaired_is_rendered(tree: dict[str, Any]) -> None:
    good = repaired(tree)

    assert good is None or (errors(loaded(good)) == [] and flat_objects(dump(good) + "\n"))
