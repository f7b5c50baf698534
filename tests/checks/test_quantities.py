"""Quantities as numbers, those that rows can compare, and the estimated size of the run's ConfigMap."""

import json
from fractions import Fraction

import pytest
import yaml

from dsgen.checks import quantities
from dsgen.language import functions
from dsgen.language.functions import parse_duration, parse_quantity
from dsgen.render import render
from dsgen.schema.suggestions import suggest_memory
from dsgen.values import Release
from tests.base import job


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        ("1.5Gi", Fraction(3 * 1024**3, 2)),
        ("500m", Fraction(1, 2)),
        ("3u", Fraction(3, 10**6)),
        ("7n", Fraction(7, 10**9)),
        ("2e3", 2000),
        ("1E", 10**18),
        ("+.5", Fraction(1, 2)),
        ("1.", 1),
        (1.5, Fraction(3, 2)),
        (1e22, 10**22),
    ],
)
def test_a_quantity_is_a_number(quantity: str | float, expected: Fraction) -> None:
    assert expected == parse_quantity(quantity)


@pytest.mark.parametrize("number", ["1", "9" * 6, "9" * 10, "9" * 18, "9" * 19, "1.5", "0.5", "1.", ".5", "2.3"])
@pytest.mark.parametrize("unit", ["", "n", "m", *"kMGTPE", *(f"{one}i" for one in "KMGTPE"), "e3"])
def test_templates_compare_whole_bytes(number: str, unit: str) -> None:
    exact = min(int(parse_quantity(f"{number}{unit}")), 2**53)

    assert str(exact) == functions.whole_bytes(f"{number}{unit}")


@pytest.mark.parametrize("text", ["", "auto", "unlimited", "Gi"])
def test_a_text_without_a_number_is_no_bytes(text: str) -> None:
    assert "0" == functions.whole_bytes(text)


NUMBERS = ["0", "0.0", "1", "64", "0.5", "512.5", "999", "1023", "1024", "1025", "1047", "1049", "65536", "1048575"]
NUMBERS += ["1048576", "1048577", "104857", "10485760", "9" * 7, "1" * 12]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("unit", ["", "m", *"kMGTPE", *(f"{one}i" for one in "KMGTPE")])
def test_a_size_below_1mi_is_known_exactly(number: str, unit: str) -> None:
    size = parse_quantity(f"{number}{unit}")

    assert (0 < size < 2**20) == quantities.is_too_small("memory", f"{number}{unit}")
    if not unit:
        assert (0 < size < 2**20) == quantities.is_too_small("memory", float(number))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (64, "did you mean 64Gi? A number without a unit is in bytes"),
        ("1.5", "did you mean 1.5Gi? A number without a unit is in bytes"),
        ("65536", "did you mean 65536Mi? A number without a unit is in bytes"),
        ("500m", "did you mean 500Mi? The unit m is a thousandth of a byte"),
        ("512k", ""),
    ],
)
def test_the_unit_that_was_meant(size: str | int, expected: str) -> None:
    assert expected == suggest_memory(size)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3d", 259200),
        ("1h30m", 5400),
        ("90 min", 5400),
        ("2 hours", 7200),
        ("1w 2d", 777600),
        ("45s", 45),
        ("12:30:00", 45000),
        ("3-00:00:00", 259200),
        ("1-12:00", 129600),
        ("", 0),
        ("3", 0),
        ("3y", 0),
        ("h", 0),
        ("3d!", 0),
        ("12:30:00:00", 0),
        ("9" * 5000 + "d", 0),
    ],
)
def test_a_time_with_units_is_a_number_of_seconds(text: str, expected: int) -> None:
    assert expected == parse_duration(text)


LONG = f'name="{"n" * 48}"'


@pytest.mark.parametrize(
    "sets",
    [
        (),
        ('training.setup="a <b> & \\"c\\"\\n\\tédsgen"', 'launch.method="torchrun"'),
        (LONG, f'namespace="{"m" * 63}"', "workers.replicas=250", 'ssh.user="trainer"'),
        ('training={"python":"a","args":["\\"","\\\\"],"deepspeed":{"config":{"train_batch_size":1}}}',),
    ],
)
def test_the_estimated_size_of_the_configmap_is_a_little_above_what_kubectl_writes(sets: tuple[str, ...]) -> None:
    data = job(None, *sets).data
    release = Release(data["name"], data["namespace"] or "training")
    texts = [document.text for document in render(data, release)]
    [config] = [text for text in texts if f"  name: {release.name}-1-config\n" in text and "immutable: true\n" in text]
    written = json.dumps(yaml.load(config, yaml.CSafeLoader), ensure_ascii=False, separators=(",", ":"))
    real = len(written.encode()) + 5 * sum(map(written.count, "<>&"))

    assert (
        0
        <= quantities.estimate_json_bytes(quantities.collect_texts(data, release.name).values()) - real
        < quantities.OTHER_BYTES
    )
