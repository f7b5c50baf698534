"""What jsonschema says of values, where it would differ from Helm or between two runs."""

from typing import Any

import pytest

from dsgen import schema
from dsgen.schema.messages import WORDING
from dsgen.schema.validate import find_violations


def found(whole: dict[str, Any], value: Any) -> list[tuple[Any, list[str | int]]]:
    return [(one.validator, [*one.absolute_path]) for one in find_violations(whole, value)]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [("^a$", "a", True), ("^a$", "a\n", False), (r"^\w$", "é", False), ("a", "ab", False)],
)
def test_a_pattern_means_the_whole_text_in_ascii(pattern: str, text: str, expected: bool) -> None:
    assert expected is (found({"pattern": pattern}, text) == [])


def test_missing_keys_are_one_violation() -> None:
    assert [("required", [])] == found({"required": ["a", "b", "c"]}, {"b": 1})
    assert [] == found({"required": ["a"]}, {"a": None}) == found({"required": ["a"]}, "a")


def test_other_keys_are_visited_in_the_order_of_the_file() -> None:
    names = [f"key{number}" for number in range(50)]
    values = dict.fromkeys(names, 1)

    assert [("type", [name]) for name in names] == found({"additionalProperties": {"type": "string"}}, values)
    assert [("additionalProperties", [])] == found({"additionalProperties": False}, values)
    assert [] == found({"additionalProperties": False, "properties": {"a": True}}, {"a": 1})


ANNOTATIONS = frozenset({"$schema", "title", "description", "default", "examples"})
"""Keywords that refuse nothing; so do those that begin with `x-`."""
STRUCTURE = frozenset({"$ref", "definitions", "properties", "propertyNames", "items", "allOf"})
"""Keywords whose parts refuse values."""


def find_unknown_keywords(part: Any) -> set[str]:
    """The keywords in a schema that have no message and are neither about its parts nor annotations."""
    if not isinstance(part, dict):
        return set()
    parts = [part[one] for one in ("items", "additionalProperties", "propertyNames") if one in part]
    parts += [one for several in ("allOf", "oneOf") for one in part.get(several, ())]
    parts += [one for several in ("properties", "definitions") for one in part.get(several, {}).values()]
    here = {one for one in part if one not in {*WORDING, *STRUCTURE, *ANNOTATIONS} and not one.startswith("x-")}
    return here.union(*map(find_unknown_keywords, parts))


def test_an_unknown_keyword_is_found() -> None:
    below = {"allOf": [{"items": {"uniqueItems": True}}, {"x-pattern": "a"}], "title": "a"}

    assert {"uniqueItems", "const"} == find_unknown_keywords({"properties": {"a": below, "b": False}, "const": 1})
    assert set() == find_unknown_keywords(schema.load())
