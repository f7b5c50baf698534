"""Sizes and speeds are read as people write them, and refused with the key if they cannot be read."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgen.estimate.inputs import KEYS, UNITS, Inputs, add_model, collect_numbers, read_section
from dsgen.estimate.parameters import make_model
from dsgen.estimate.quantities import UnitError, parse_bandwidth, parse_bytes
from tests.estimate.jobs import LLAMA_8B


@pytest.mark.parametrize(
    ("parse", "such", "numbers", "others"),
    [
        (
            *(parse_bytes, "80Gi"),
            {"80Gi": 80 * 2**30, "500G": 5e11, "1.5Ti": 1.5 * 2**40, "1024": 1024, 2048: 2048, 1e22: 1e22},
            ("", "80GiB", "-1Gi", "many", "1e", "Gi", "0x10", "80 Gi"),
        ),
        (
            *(parse_bandwidth, "400Gbit"),
            {"400Gbit": 4e11, "10Gbit/s": 1e10, "2.5Tbit": 2.5e12, "100bit": 100, 4e11: 4e11},
            ("400G", "50GB/s", "-1Gbit", "Gbit", "fast", "400gbit"),
        ),
    ],
)
def test_sizes_are_those_of_kubernetes_and_networks_are_measured_in_bits(
    parse: Callable[[str | float], float], such: str, numbers: dict[str | float, float], others: tuple[str, ...]
) -> None:
    assert numbers == {text: parse(text) for text in numbers}
    for text in others:
        with pytest.raises(UnitError, match=f"such as {such}"):
            parse(text)


@given(st.integers(0, 10**6), st.sampled_from(("", "k", "M", "G", "T")))
def test_units_are_powers_of_a_thousand(number: int, unit: str) -> None:
    power = 1000 ** " kMGT".index(unit or " ")

    assert number * power == parse_bandwidth(f"{number}{unit}bit")
    assert number * power == parse_bytes(f"{number}{unit}")


@given(st.integers(0, 10**6), st.sampled_from(("Ki", "Mi", "Gi", "Ti")))
def test_binary_units_are_powers_of_1024(number: int, unit: str) -> None:
    assert number * 1024 ** ("KMGT".index(unit[0]) + 1) == parse_bytes(f"{number}{unit}")


def test_a_section_becomes_inputs() -> None:
    section = {
        "model": {"parameters": 8030261248, "kvHeads": 8, "zeroInit": False, "recompute": "full"},
        "accelerator": {"product": "H100", "memory": "80Gi", "price": 2.5},
        "network": "400Gbit",
        "tokens": 1000000000,
        "checkpoints": {"bandwidth": "5G", "keep": 3, "volume": "checkpoints"},
    }

    assert read_section(section) == Inputs(
        parameters=8030261248,
        kv_heads=8,
        zero_init=False,
        recompute="full",
        product="H100",
        memory=80 * 2**30,
        price=2.5,
        network=4e11,
        tokens=1000000000,
        storage=5e9,
        keep=3,
        checkpoints="checkpoints",
    )


def test_the_numbers_of_a_model_can_be_written_and_read_again() -> None:
    model, section = make_model(LLAMA_8B), dict[str, Any]()
    for key, number in collect_numbers(model).items():
        section.setdefault("model", {})[key.split(".")[-1]] = number

    assert 8030261248 == section["model"]["parameters"]
    assert add_model(Inputs(experts=0, experts_per_token=0, expert_parameters=0), model) == replace(
        read_section(section), experts=0, experts_per_token=0, expert_parameters=0
    )


@pytest.mark.parametrize("name", sorted(UNITS))
def test_a_wrong_unit_is_refused_at_its_key(name: str) -> None:
    section: object = "much"
    for part in reversed(KEYS[name].split(".")[1:]):
        section = {part: section}
    assert isinstance(section, dict)

    with pytest.raises(UnitError, match=f"^{KEYS[name]}: 'much' is not"):
        read_section(section)
