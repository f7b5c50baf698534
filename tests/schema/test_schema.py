"""The schema, its defaults and its published forms; the real Helm reads that of the chart."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dsgen import schema
from dsgen.checks import names
from dsgen.cluster import reasons
from dsgen.language import functions
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read
from dsgen.schema import export
from dsgen.schema.default_values import fill
from dsgen.schema.validate import validate
from tests.helm import MAJORS, helm, run_helm

ROOT = Path(__file__).parent.parent.parent
NULLABLE = {
    ("workers", "accelerator", "count"),
    ("lifecycle", "ttlSecondsAfterFinished"),
    ("lifecycle", "suspend"),
    ("storage", "*", "create", "storageClass"),
}
SOURCES = ("create", "nfs", "hostPath", "emptyDir", "ephemeral", "csi", "configMap", "secret", "projected")
CHOICES = {("storage", "*", source) for source in SOURCES}


def parts(node: Any) -> Iterator[dict[str, Any]]:
    """Every object inside the schema."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from parts(value)
    elif isinstance(node, list):
        for value in node:
            yield from parts(value)


def test_it_is_a_draft_7_schema_that_its_defaults_obey() -> None:
    for variant in (schema.load(), export.make_chart_schema(), export.make_editor_schema()):
        jsonschema.Draft7Validator.check_schema(variant)
        assert [] == list(jsonschema.Draft7Validator(variant).iter_errors(schema.make_defaults()))


def test_every_key_has_type_description_and_default() -> None:
    for path, part in schema.walk_keys():
        assert part["type"], path
        assert re.fullmatch(r"[A-Z][^\n]*[.]|auto: .*[.]|cluster: .*[.]", part["description"]), path
        has_default = "default" in part or schema.is_always_there(part)
        assert has_default != (path in NULLABLE | CHOICES or is_unknown(path, part)), path


def is_unknown(path: tuple[str, ...], part: schema.Schema) -> bool:
    """Whether a key is one of an estimate that may be unknown."""
    return path[0] == "estimate" and schema.is_nullable(part)


def test_only_these_keys_may_be_null() -> None:
    """And those of an estimate, of which any may be unknown; texts are empty then."""
    nullable = {path for path, part in schema.walk_keys() if schema.is_nullable(part)}

    assert {path for path in nullable if path[0] != "estimate"} == NULLABLE
    assert [] == [
        path
        for path, part in schema.walk_keys()
        if path[0] == "estimate" and not schema.is_record(part) and path not in nullable and part["default"] != ""
    ]


def test_unknown_keys_are_refused_in_every_record() -> None:
    open_records = [part for part in parts(schema.load()) if "properties" in part and "$schema" not in part]

    assert open_records
    assert all(part["additionalProperties"] is False for part in open_records if isinstance(part["properties"], dict))


def test_every_pattern_is_anchored_plain_and_explained() -> None:
    patterns = [part for part in parts(schema.load()) if isinstance(part.get("pattern"), str)]

    assert patterns
    for part in patterns:
        assert re.fullmatch(r"\^.*\$", part["pattern"])
        assert not re.search(r"\(\?|\\(?!n|x85)|[^\x20-\x7e]", part["pattern"]), "not in both RE2 and Python"
        assert part["x-pattern"]


def test_durations_are_whole_seconds() -> None:
    for path, part in schema.walk_keys():
        assert not re.search("(?i)timeout|delay|deadline|period|interval|ttl", path[-1]) or (
            path[-1].endswith(("Seconds", "SecondsAfterFinished")) and "integer" in schema.list_types(part)
        )


def test_no_key_and_no_choice_is_a_word_that_helm_reads_as_a_boolean() -> None:
    words = {key for path, _ in schema.walk_keys() for key in path}
    words |= {word for part in parts(schema.load()) for word in part.get("enum", ()) if isinstance(word, str)}

    assert set() == {word.lower() for word in words} & {"y", "n", "yes", "no", "on", "off", "true", "false"}


def test_defaults_are_new_each_time() -> None:
    schema.make_defaults()["workers"]["tolerations"].append("x")

    assert [] == schema.make_defaults()["workers"]["tolerations"]


def test_fill_gives_what_helm_cannot() -> None:
    given = {"storage": {"data": {"create": {"size": "1Gi"}}, "scratch": {"emptyDir": {}}}, "workers": {"replicas": 2}}

    filled = fill(given)

    assert {"size": "1Gi", "accessModes": ["ReadWriteMany"], "protect": True, "persistentVolume": {}} == (
        filled["storage"]["data"]["create"]
    )
    assert {
        "mountPath": "",
        "subPath": "",
        "readOnly": False,
        "mountIn": "auto",
        "existingClaim": "",
        "emptyDir": {},
    } == filled["storage"]["scratch"]
    assert {"create": {"size": "1Gi"}} == given["storage"]["data"], "the argument was changed"


@pytest.mark.parametrize("path", [("worker",), ("workers", "slots", "x"), ("workers", 0)])
def test_a_path_that_leads_nowhere_has_none(path: tuple[str | int, ...]) -> None:
    assert schema.find_part(path) is None


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chart that does nothing but take values."""
    folder = tmp_path_factory.mktemp("chart")
    (folder / "templates").mkdir()
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: values\nversion: 0.1.0\n")
    (folder / "values.yaml").write_text(json.dumps(schema.make_defaults()))
    (folder / "values.schema.json").write_text(export.as_json(export.make_chart_schema()))
    (folder / "templates" / "values.yaml").write_text("values: {{ .Values | toJson }}\n")
    return folder


REFUSED = [
    {"workers": None},
    {"workers": {"slots": None}},
    {"training": {"deepspeed": {"config": {"a": [{"b": None}]}}}},
    {"storage": {"data": {"nfs": {"server": "a", "path": "/", "readOnly": None}}}},
    {"workers": {"affinity": {"nodeAffinity": None}}},
    {"workers": {"initContainers": [{"name": "a", "image": "b", "env": [{"name": "A", "value": None}]}]}},
    {"storage": {"data": {"secret": {"secretName": None}}}},
    {"worker": {}},
    {"workers": {"slots": "1"}},
    {"workers": {"slots": 0}},
    {"name": "Cifar"},
    {"name": "cifar\n"},
    {"run": {"id": "\u0661"}},
    {"image": {"pullPolicy": "always"}},
    {"workers": {"tolerations": [{"operater": "Exists"}]}},
    {"workers": {"resources": {"limits": {"memory": "16GB"}}}},
    {"training": {"env": {"A-B": "x"}}},
    {"training": {"env": {"A": 1}}},
    {"training": {"envFrom": [{"prefix": "x"}]}},
]
WITHOUT_EFFECT = [
    {"storage": {"data": {"create": None}}},
    {"labels": {"team": None}},
    {"workers": {"resources": {"requests": None}}},
    {"workers": {"resources": {"requests": {"amd.com/gpu": None}}}},
    {"launcher": {"resources": {"limits": {"cpu": None}}}},
    {"workers": {"podAnnotations": {"a": None}}},
    {"storage": {"data": {"emptyDir": None}}},
]
"""Nulls in the only file, which remove nothing but defaults: the chart does not see that they stand in no overlay."""
ACCEPTED = [
    {},
    {"run": {"id": 2}, "workers": {"slots": 4.0}},
    {"lifecycle": {"suspend": None}, "workers": {"accelerator": {"count": None}}},
    {"storage": {"data": {"create": {"storageClass": None}}}},
    {"workers": {"resources": {"requests": {"cpu": None}}}, "launcher": {"resources": {"requests": {"memory": None}}}},
    {"workers": {"podAnnotations": {"karpenter.sh/do-not-disrupt": None}}},
    {"workers": {"affinity": {"podAntiAffinity": {}}, "extraPodSpec": {"hostIPC": True}}},
    {"global": {"anything": None}},
    {"training": {"env": {"A": "x", "B": {"valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}}}},
]


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize(
    ("values", "is_wrong", "is_refused"),
    [
        *((values, True, True) for values in REFUSED),
        *((values, True, False) for values in WITHOUT_EFFECT),
        *((values, False, False) for values in ACCEPTED),
    ],
    ids=json.dumps,
)
def test_helm_refuses_what_dsgen_refuses(
    values: dict[str, Any], is_wrong: bool, is_refused: bool, major: int, chart: Path, tmp_path: Path
) -> None:
    file = tmp_path / "v.yaml"
    file.write_text(json.dumps(values))

    found = [one.id for one in validate(read(SourceText("v.yaml", json.dumps(values) + "\n")).root)]
    result = run_helm(helm(major), "template", chart, "-f", file)

    assert (is_wrong, is_refused) == (bool(found), result.returncode != 0), result.stderr
    assert is_wrong == is_refused or ["DS106"] == found


def test_every_key_with_an_image_is_checked_for_its_version_and_named_as_a_cause() -> None:
    """Whether the image has a fixed version (DS250); the image of the job has a rule of its own."""
    image = functions.read_json(schema.SCHEMA_FILE)["definitions"]["optionalImage"]["pattern"]
    keys = {".".join(path) for path, part in schema.walk_keys() if part.get("pattern") == image}

    assert keys == {*names.OTHER_IMAGES}
    assert keys - {"monitoring.tensorboard.image"} == set(reasons.IMAGE) - {"image.repository", "image.tag"}


def test_a_mistake_in_a_file_of_the_schema_is_reported_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "values.json").write_text('{\n  "type": object\n}\n')
    monkeypatch.setattr(functions, "PACKAGE", str(tmp_path))

    with pytest.raises(ValueError, match=r"^dsgen/values[.]json:2:11: Expecting value$"):
        functions.read_json("values.json")
