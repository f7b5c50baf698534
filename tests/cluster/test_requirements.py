"""The labels that pods require of their nodes."""

from typing import Any

import pytest

from dsgen.cluster.models import Requirement
from dsgen.cluster.requirements import REQUIRED, find_missing, read_requirements, select_nodes


def node(name: str, **given: str) -> dict[str, Any]:
    there = {key.replace("__", "/"): value for key, value in given.items()}
    return {"metadata": {"name": name, "labels": there}, "spec": {}, "status": {}}


NODES = [node("a", pool="gpu", zone="eu-1", cloud__pool="x"), node("b", pool="cpu", zone="eu-2", size="16")]


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        (("pool", "In", ("gpu", "tpu")), "a"),
        (("pool", "In", ("tpu",)), ""),
        (("pool", "NotIn", ("gpu",)), "b"),
        (("size", "NotIn", ("16",)), "a"),
        (("size", "Exists", ()), "b"),
        (("size", "DoesNotExist", ()), "a"),
        (("size", "Gt", ("8",)), "b"),
        (("size", "Lt", ("8",)), ""),
        (("pool", "Gt", ("8",)), ""),
        (("metadata.name", "NotIn", ("a",)), "b"),
    ],
)
def test_the_nodes_that_meet_a_requirement(requirement: tuple[str, str, tuple[str, ...]], expected: str) -> None:
    found = select_nodes([Requirement(*requirement)], NODES)

    assert expected == "".join(one["metadata"]["name"] for one in found)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"pool": "gpu"}, None),
        ({"pool": "tpu"}, ("pool=tpu", "pool is cpu or gpu")),
        ({"pools": "gpu"}, ("pools=gpu", "pool is cpu or gpu")),
        ({"example.com/pool": "gpu"}, ("example.com/pool=gpu", "cloud/pool is x; pool is cpu or gpu")),
        ({"accelerator": "h100"}, ("accelerator=h100", "none has a label accelerator")),
        ({"pool": "gpu", "zone": "eu-2"}, ("pool=gpu and zone=eu-2", "")),
        ({"pool": "gpu", "zone": "us"}, ("zone=us", "zone is eu-1 or eu-2")),
    ],
)
def test_what_no_node_has_and_what_they_have(selector: dict[str, str], expected: tuple[str, str] | None) -> None:
    assert expected == find_missing(read_requirements({"nodeSelector": selector}), NODES)


def test_nothing_is_said_of_nodes_that_are_hidden() -> None:
    assert find_missing(read_requirements({"nodeSelector": {"a": "b"}}), []) is None


def test_many_values_are_counted() -> None:
    nodes = [node(str(number), pool=f"p{number}") for number in range(8)]

    missing = find_missing(read_requirements({"nodeSelector": {"pool": "x"}}), nodes)

    assert missing
    assert missing.there == "pool is p0 or p1 or p2 or p3 or p4 or one of 3 others"


def test_an_affinity_with_one_term_is_a_requirement() -> None:
    term = {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["tpu", "npu"]}]}
    fields = {"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}]}

    def required(*terms: dict[str, Any]) -> tuple[Requirement, ...]:
        return read_requirements({"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}})

    assert (Requirement("pool", "In", ("tpu", "npu")),) == required(term)
    assert (Requirement("metadata.name", "NotIn", ("a",)),) == required(fields)
    assert () == required(term, fields)
    missing = find_missing(required(term), NODES)
    assert missing
    assert missing.wanted == "pool=tpu|npu"
