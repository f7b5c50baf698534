"""Every key of the values has an effect on the objects, the same in flat manifests and in the chart.

tests/cases/keys.yaml has the cases, and says how to read them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen import schema
from dsgen.checks.pods import CONTAINER_FIELDS, POD_FIELDS
from dsgen.language.functions import TemplateError, overlay
from tests.helm import MAJORS
from tests.parity import Objects, batch_objects, dump, flat_objects

MINIMAL = {
    "name": "cifar",
    "namespace": "training",
    "image": {"repository": "registry.example.com/team/cifar", "tag": "v3"},
    "training": {"python": "train.py"},
}
SHORT = {
    "worker-template": "Job/cifar-1-worker spec template",
    "launcher-template": "Job/cifar-1-launcher spec template",
    "worker-job": "Job/cifar-1-worker spec",
    "launcher-job": "Job/cifar-1-launcher spec",
    "worker": "Job/cifar-1-worker spec template spec",
    "launcher": "Job/cifar-1-launcher spec template spec",
    "board": "Deployment/cifar-tensorboard spec template spec",
    "config": "ConfigMap/cifar-1-config data",
}
ROLES = (("workers", "worker"), ("launcher", "launcher"))
# Keys that have tests of their own, and those that no object shows.
ELSEWHERE = "estimate"  # tests/estimate/test_section.py
UNSEEN = {
    "global": "for parent charts",
    "runtime.create": "tests/test_runtime.py",
    "runtime.name": "tests/test_runtime.py",
    "training.deepspeed.version": "for the checks",
    **{f"training.parallel.{kind}": "for the checks" for kind in ("tensor", "pipeline", "context", "expert")},
    "storage": "its volumes are below",
}


@dataclass(frozen=True)
class Case:
    """One way to set a key, and what stands where then."""

    key: str
    value: Any
    beside: dict[str, Any]
    places: dict[str, Any]

    @property
    def without(self) -> dict[str, Any]:
        return overlay(MINIMAL, self.beside)

    @property
    def text(self) -> str:
        tree = self.value
        for name in reversed(self.key.split(".")):
            tree = {name: tree}
        values = overlay(self.without, tree)
        if self.key.startswith("storage.data."):  # a volume that nothing mounts is refused
            values = overlay({"storage": {"data": {"mountPath": "/data"}}}, values)
        return dump(values)


def cases() -> Iterator[Case]:
    """Those of the file, for both roles where they are for both."""
    text = Path(__file__).with_name("cases").joinpath("keys.yaml").read_text()
    table = yaml.load(text, yaml.CSafeLoader)
    for key, entries in table.items():
        for entry in entries:
            places = {place: expected for place, expected in entry.items() if place not in ("value", "beside")}
            for role, pod in ROLES if "ROLE" in key else (("", ""),):
                named = {place.replace("POD", pod).replace("MAIN", pod): what for place, what in places.items()}
                yield Case(key.replace("ROLE", role), entry["value"], entry.get("beside", {}), named)


CASES = list(cases())


def name_case(case: Case) -> str:
    """The key and its value, and what else is set, such as `labels={"team":"a"}`; of long values the beginning."""
    value, beside = (json.dumps(part, separators=(",", ":"), default=str) for part in (case.value, case.beside))
    name = f"{case.key}={value[:60]}"
    return f"{name} beside {beside[:60]}" if case.beside else name


def at(objects: dict[str, Any], place: str) -> Any:
    """What stands at a place; None where nothing does."""
    first, *rest = place.split()
    part: Any = objects
    for step in [*SHORT.get(first, first).split(), *rest]:
        part = below(part, step)
    return part


def below(part: Any, step: str) -> Any:
    """One step: a key, the name or the mount path of a list's item, its index, or into a text."""
    if isinstance(part, str):
        part = first_words(part) if step == "line" else json.loads(part)
    if part is None or step == "line":
        return part
    if isinstance(part, dict):
        return part.get(step)
    if step.lstrip("-").isdigit():
        return next(iter(part[int(step) :]), None)
    named = [item for item in part if step in (item.get("name"), item.get("mountPath"))]
    assert len(named) <= 1, f"{step} is there twice"
    return next(iter(named), None)


def first_words(text: str) -> dict[str, str]:
    """The first line of a text for each first word."""
    return {line.split()[0]: line for line in reversed(text.splitlines()) if line.split()}


def parsed(objects: Objects) -> dict[str, Any]:
    """Kind/name -> object."""
    return {f"{key.split('/')[0]}/{key.split('/')[2]}": json.loads(text) for key, text in objects.items()}


@pytest.mark.parametrize("case", CASES, ids=name_case)
def test_effect(case: Case) -> None:
    """It is the key that does it: without it, the job is refused, or something else stands at one of the places."""
    after = parsed(flat_objects(case.text))
    try:
        before = parsed(flat_objects(dump(case.without)))
    except TemplateError as error:
        assert str(error).endswith("[DS202]")  # noqa: PT017  # without this key, there is no program
    else:
        assert case.places != {place: at(before, place) for place in case.places}
    assert case.places == {place: at(after, place) for place in case.places}


@pytest.mark.parametrize("major", MAJORS)
def test_chart_does_the_same(major: int, tmp_path: Path) -> None:
    """All cases in one run of Helm; all of their objects are compared, not only what they look at."""
    texts = [case.text for case in CASES]

    charts = batch_objects(major, tmp_path, texts)

    different = [text for text, chart in zip(texts, charts, strict=True) if flat_objects(text) != chart]
    assert [] == different


def test_fields_that_dsgen_writes_are_refused_beside_them() -> None:
    """What extraPodSpec and extraContainerSpec may not have: every field that is ever written."""
    pods, mains = set(), set()
    for case in CASES:
        if "extra" not in case.text:
            jobs = [thing for thing in parsed(flat_objects(case.text)).values() if thing["kind"] == "Job"]
            specs = [job["spec"]["template"]["spec"] for job in jobs]
            pods |= {field for spec in specs for field in spec}
            mains |= {field for spec in specs for field in spec["containers"][0]}

    assert set() == pods - set(POD_FIELDS)
    assert set() == mains - set(CONTAINER_FIELDS)


def test_every_key_has_a_case() -> None:
    keys = {".".join(path) for path, part in schema.walk_keys() if not schema.is_always_there(schema.resolve(part))}
    expected = {key for key in keys if not key.startswith(ELSEWHERE)} - UNSEEN.keys()

    assert expected == {case.key.replace("storage.data", "storage.*") for case in CASES}


def test_cases_look_at_places() -> None:
    assert [] == [case.key for case in CASES if not case.places]
