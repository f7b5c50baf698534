"""dsgen finds the same violated keywords of the schema as jsonschema."""

import copy
import functools
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsgen import schema
from dsgen.compiler.python import find_unknown_keywords
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read
from dsgen.schema.violations import BELOW, VIOLATED, find_violations
from tests.fuzz import broken, verdicts
from tests.fuzz import schema as fuzz
from tests.generated_values import trees

ROOT = Path(__file__).parent.parent.parent
FILES = [path for folder in ("values-examples", "tests/cases") for path in sorted((ROOT / folder).rglob("*.yaml"))]
SPOILT = 50
EVERY = 3
"""jsonschema takes long to say what is wrong, so it says it of every third value; of all it says whether."""
GENERATED = 100
"""Values that tests/fuzz/schema.py makes; `make fuzz` tries thousands."""


def sidecar(**fields: Any) -> Any:
    return {"workers": {"sidecars": [{"name": "a", "image": "r/a", **fields}]}}


NAME, MAP = {"key": "a", "name": "a"}, {"name": "a"}
RARE: tuple[Any, ...] = (
    *(sidecar(env=[{"name": "A", "valueFrom": one}]) for one in ({}, {"secretKeyRef": NAME})),
    sidecar(env=[{"name": "A", "valueFrom": {"secretKeyRef": NAME, "configMapKeyRef": NAME}}]),
    *(sidecar(envFrom=[one]) for one in ({}, {"secretRef": MAP}, {"secretRef": MAP, "configMapRef": MAP})),
    *({"training": {"pythonCommand": one}} for one in ("", "python3")),
    {"storage": {"a": {"mountPath": "/a", "create": {"size": "1Gi", "accessModes": []}}}},
    *({"labels": {"A B": "x"}}, {"workers": {"replicas": 0}}, {"workers": {"replicas": 100001}}),
)
"""For keywords that stand in few places."""


def is_valid(whole: schema.Schema, value: Any) -> bool:
    return not any(True for _ in find_violations(whole, value))


def data(text: str) -> Any:
    return read(SourceText("values.yaml", text)).root.as_data()


@functools.cache
def corpus() -> list[tuple[Any, bool]]:
    """Values with what jsonschema says of them."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in FILES]
    texts += [case.text for case in broken.cases(SPOILT, 1)] + list(verdicts.cases(SPOILT, 1))
    samples = [*map(data, texts), *fuzz.cases(GENERATED, 1), *RARE]
    return [(one, fuzz.validator().is_valid(one)) for one in samples]


def differences(whole: schema.Schema) -> Iterator[Any]:
    return (one for one, expected in corpus() if is_valid(whole, one) != expected)


def test_the_same_is_violated_as_for_jsonschema() -> None:
    wrong = [value for value, is_right in corpus() if not is_right]
    keywords = {one.keyword for value in wrong for one in find_violations(schema.load(), value)}

    assert {*VIOLATED, "additionalProperties"} == keywords
    for value in wrong[::EVERY]:
        assert fuzz.by_jsonschema(value) == fuzz.by_dsgen(value)


def test_it_accepts_what_jsonschema_does() -> None:
    verdicts_of_jsonschema = [expected for _, expected in corpus()]

    assert [] == list(differences(schema.load()))
    assert min(verdicts_of_jsonschema.count(True), verdicts_of_jsonschema.count(False)) > 100


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees(), st.randoms(use_true_random=False))
def test_it_accepts_generated_values_as_jsonschema_does(tree: dict[str, Any], rng: random.Random) -> None:
    """`make fuzz` tries thousands."""
    for value in (tree, fuzz.spoilt(tree, rng)):
        assert fuzz.validator().is_valid(value) == is_valid(schema.load(), value)


def without(part: Any, keyword: str) -> Any:
    """A schema without a keyword; a key of the values with the same name stays."""
    if isinstance(part, list):
        return [without(one, keyword) for one in part]
    if not isinstance(part, dict):
        return part
    kept = {key: below for key, below in part.items() if key != keyword}
    for maps in ("properties", "definitions"):
        if maps in kept:
            kept[maps] = {name: without(below, keyword) for name, below in kept[maps].items()}
    for one in ("items", "additionalProperties", "propertyNames", "allOf", "oneOf"):
        if one in kept:
            kept[one] = without(kept[one], keyword)
    return kept


@pytest.mark.parametrize("keyword", sorted({*VIOLATED, *BELOW}))
def test_a_keyword_that_is_left_out_is_noticed(keyword: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus()  # by the whole schema; cached
    less = without(copy.deepcopy(schema.load()), keyword)
    monkeypatch.setattr(schema, "SCHEMA", less)  # definitions are found in it

    assert any(True for _ in differences(less))


VALUES: tuple[Any, ...] = (
    *(0, 1, 1.0, 1.5, -1, True, False, None, "", "a", "ab", "a\n", "é", "²", [], ["a"], [1], {}, {"a": 1}, {"b": "a"}),
    *(math.inf, math.nan, 10**400, 2**53 + 1, {"a": "a", "b": "a"}),
)
SCHEMAS: tuple[dict[str, Any] | bool, ...] = (
    *({"type": one} for one in ("object", "array", "string", "boolean", "null", "number", "integer")),
    *({"minimum": 1}, {"maximum": 1}, {"minLength": 1}, {"minItems": 1}, {"minProperties": 1}, {"maxProperties": 1}),
    *({"pattern": r"^\w$"}, {"pattern": "^a$"}, {"enum": ["a", ""]}, {"required": ["a"]}, {"required": []}, {}),
    *({"type": ["string", "integer"], "pattern": "a", "minimum": 1}, {"type": "integer", "minimum": 1}),
    *({"properties": {"a": {"type": "integer"}}}, {"properties": {"a": True}, "additionalProperties": False}),
    *({"additionalProperties": {"type": "string"}}, {"additionalProperties": False}, {"items": {"type": "string"}}),
    {"properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}},
    *({"propertyNames": {"pattern": "a"}}, {"allOf": [{"minimum": 1}, {"maximum": 1}]}),
    *(
        {"oneOf": [{"minimum": 1}, {"maximum": 1}, {"type": "string"}]},
        {"properties": {"a": {"$ref": "#/definitions/x"}}},
    ),
)


@pytest.mark.parametrize("part", SCHEMAS, ids=str)
def test_each_keyword_means_what_it_does_in_jsonschema(part: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {"additionalProperties": part, "definitions": {"x": {"$ref": "#/definitions/y"}, "y": {"type": "string"}}}
    oracle = type(fuzz.validator())(whole)
    monkeypatch.setattr(schema, "SCHEMA", whole)

    assert [oracle.is_valid({"v": one}) for one in VALUES] == [is_valid(whole, {"v": one}) for one in VALUES]


def test_a_pattern_means_the_whole_text() -> None:
    whole = {"properties": {"a": {"pattern": "^a$"}}}

    assert (True, False) == (is_valid(whole, {"a": "a"}), is_valid(whole, {"a": "a\n"}))
    assert jsonschema.Draft7Validator({"pattern": "^a$"}).is_valid("a\n")


def test_an_unknown_keyword_is_found() -> None:
    below = {"allOf": [{"items": {"uniqueItems": True}}, {"x-pattern": "a"}], "title": "a"}

    assert {"uniqueItems", "const"} == find_unknown_keywords({"properties": {"a": below, "b": False}, "const": 1})
    assert set() == find_unknown_keywords(schema.load())
