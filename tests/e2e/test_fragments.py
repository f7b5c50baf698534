"""dsgen and the strict API server refuse the same unknown and mistyped fields of Kubernetes objects in values."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from kubernetes import client

from dsgen import schema
from dsgen.language.functions import read_json
from dsgen.problems import Diagnostic, KeyPath
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read
from dsgen.schema.validate import validate
from tests.e2e.fragments import HOMES, Home
from tools import kubernetes_fragments

pytestmark = pytest.mark.by_turns

UNKNOWN = "xyzzy"
WRONG: dict[str, list[Any]] = {
    "string": [1, {}, True],
    "boolean": ["true", 1],
    "integer": ["1", 1.5, True],
    "array": [{}, "a"],
    "object": ["a", [], 1],
    "string number": [True, "16GB", {}, "", "1K"],
    "integer string": [True, 1.5, {}],
}
FITTING = {"boolean": True, "integer": 1, "string number": "1", "integer string": 1}
TEXTS = ("a", "/a", "Memory")


class Change(NamedTuple):
    """One thing made wrong in a value, at a path below the key."""

    path: KeyPath
    what: str
    value: Any


@pytest.fixture(scope="module")
def status(_cluster: None) -> Callable[[dict[str, Any]], tuple[int, str]]:
    """What the API server says of an object in a strict dry run: 201, 400 when it cannot decode it, 422 and so on."""
    api = client.ApiClient()
    headers = {"Content-Type": "application/json", "Accept": "application/json", **api.default_headers}

    def ask(item: dict[str, Any]) -> tuple[int, str]:
        places = {"Pod": "namespaces/default/pods", "PersistentVolume": "persistentvolumes"}
        url = f"{api.configuration.host}/api/v1/{places[item['kind']]}?dryRun=All&fieldValidation=Strict"
        answer = api.rest_client.pool_manager.request("POST", url, body=json.dumps(item), headers=headers)
        return answer.status, json.loads(answer.data).get("message", "")

    return ask


def problems_below(key: str, value: Any) -> list[tuple[KeyPath, Diagnostic]]:
    """What dsgen says when the key has this value, each with the path below the key."""
    parts = key.split(".")
    for part in reversed(parts):
        value = {part: value}
    source = read(SourceText("v.yaml", json.dumps(value) + "\n"))
    assert source.diagnostics == []
    return [(problem.path[len(parts) :], problem) for problem in validate(source.root)]


def at(key: str) -> schema.Schema:
    """The schema of a key."""
    part = schema.find_part(key.split("."))
    assert part is not None
    return part


def complete(part: schema.Schema) -> Any:
    """A value with every field there is."""
    part = schema.resolve(part)
    if "allOf" in part:
        return complete(part["allOf"][0])
    kind = " ".join(schema.list_types(part))
    if kind == "object":
        fields = part.get("properties", {"a": part.get("additionalProperties")}).items()
        return {key: complete(below) for key, below in fields if below != kubernetes_fragments.FREE}
    if kind == "array":
        return [complete(part["items"])]
    if kind == "string":
        return next(text for text in (*part.get("enum", TEXTS), "1") if text and fits(part, text))
    return FITTING[kind]


def fits(part: schema.Schema, text: str) -> bool:
    """Whether the text is as the schema wants it."""
    return re.fullmatch(part.get("pattern", ".*"), text) is not None


def changes(part: schema.Schema, value: Any, seen: set[int], path: KeyPath = ()) -> Iterator[Change]:
    """Every type in turn made wrong once: values of other types, and a field that it does not have."""
    part = schema.resolve(part)
    for other in part.get("allOf", ()):
        yield from changes(other, value, seen, path)
    kind = " ".join(schema.list_types(part))
    if id(part) in seen or "allOf" in part:
        return
    seen.add(id(part))
    yield from (Change(path, f"is {wrong!r}", wrong) for wrong in WRONG[kind])
    if "maximum" in part:
        yield Change(path, "is too large", part["maximum"] + 1)
    if kind == "object" and "properties" in part:
        yield Change((*path, UNKNOWN), "is unknown", {})
    for key in value if kind == "object" else range(len(value)) if kind == "array" else ():
        below = schema.find_child(part, key)
        assert below is not None
        yield from changes(below, value[key], seen, (*path, key))


def changed(value: Any, path: KeyPath, new: Any) -> Any:
    """A copy of the value with another part at the path."""
    if not path:
        return new
    key, rest = path[0], path[1:]
    if isinstance(value, list):
        return [changed(one, rest, new) if number == key else one for number, one in enumerate(value)]
    return {**value, key: changed(value.get(key), rest, new)}


@pytest.mark.parametrize("home", HOMES, ids=[home[0] for home in HOMES])
def test_what_the_api_server_accepts_is_accepted(home: Home, status: Callable[..., tuple[int, str]]) -> None:
    key, in_kubernetes, samples = home
    for sample in samples:
        assert (201, "", []) == (*status(in_kubernetes(sample)), problems_below(key, sample))


@pytest.mark.parametrize("home", HOMES, ids=[home[0] for home in HOMES])
def test_unknown_and_mistyped_fields_are_refused_by_both(home: Home, status: Callable[..., tuple[int, str]]) -> None:
    key, in_kubernetes, _ = home
    whole = complete(at(key))
    assert status(in_kubernetes(whole))[0] != 400, status(in_kubernetes(whole))

    different = []
    for change in changes(at(key), whole, set()):
        value = changed(whole, change.path, change.value)
        if not change.path:
            continue  # the key itself, which is dsgen's
        theirs, message = status(in_kubernetes(value))
        ours = [problem for path, problem in problems_below(key, value) if path == change.path]
        if theirs != 400 or not ours:
            different.append((change, theirs, message, ours))
    assert [] == different


@pytest.mark.parametrize("home", HOMES, ids=[home[0] for home in HOMES])
def test_null_is_refused_where_it_removes_no_default(home: Home) -> None:
    key = home[0]
    whole = complete(at(key))
    places = {change.path for change in changes(at(key), whole, set()) if change.path and UNKNOWN not in change.path}

    for place in places - {(name,) for name in at(key).get("default", ())}:
        problems = problems_below(key, changed(whole, place, None))
        assert "DS106" in {problem.id for path, problem in problems if path == place}, place


def test_the_definitions_are_those_of_the_api_server() -> None:
    """In the version of which they are; an older one has some of the fields, a newer one has more."""
    committed = read_json(schema.KUBERNETES_FILE)
    version = kubernetes_fragments.kubectl("/version")["gitVersion"].removeprefix("v")
    theirs = kubernetes_fragments.table(
        kubernetes_fragments.kubectl("/openapi/v3/api/v1")["components"]["schemas"], version
    )
    older, newer = sorted((committed, theirs), key=minor)

    assert fields(older) <= fields(newer)
    if minor(older) == minor(newer):
        assert committed["definitions"] == theirs["definitions"]


def minor(table: dict[str, Any]) -> list[int]:
    """The version of Kubernetes, major and minor."""
    return [int(number) for number in re.findall("[0-9]+", table["version"])[:2]]


def fields(table: dict[str, Any]) -> set[tuple[str, str]]:
    """Every field of every type."""
    return {(name, key) for name, part in table["definitions"].items() for key in part.get("properties", ())}
