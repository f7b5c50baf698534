"""DeepSpeed's functions: reproduced to the byte, and equal to dsgen's formulas where both mean the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from dsgen.estimate import estimates, host
from dsgen.estimate.formulas import STEP, list_items_at
from dsgen.estimate.inputs import Inputs
from dsgen.estimate.setup import make_setup
from tests.estimate.jobs import config, values
from tools import estimators
from tools.estimators import Needs, zero2, zero3

DATA = Path(__file__).parent.parent / "data" / "deepspeed_estimates.json"
ROWS: list[list[int]] = json.loads(DATA.read_text())["rows"]
OFFLOADS: tuple[Any, ...] = ("none", "optimizer", "both")
STATES = ("weights", "optimizer and its weights", "gradients")


def computed(parameters: int, largest: int, slots: int, nodes: int) -> list[int]:
    """The numbers of a row after its inputs."""
    found: list[Needs] = [zero2(parameters, slots, nodes, offload) for offload in (False, True)]
    for offload in OFFLOADS:
        found += [zero3(parameters, largest, slots, nodes, offload, init) for init in (True, False)]
    return [number for one in found for number in (one.host, one.gpu)]


def test_all_inputs_give_what_deepspeed_gives() -> None:
    assert len(ROWS) >= 500
    assert 6 * 7 == len({(slots, nodes) for _, _, slots, nodes, *_ in ROWS})
    assert [row[4:] for row in ROWS] == [computed(row[0], row[1], row[2], row[3]) for row in ROWS]


def states(stage: int, row: list[int]) -> tuple[float, float]:
    """What dsgen computes for weights, optimizer and gradients while the optimizer works."""
    parameters, _, slots, nodes = row[:4]
    setup = make_setup(values(config(stage, None), nodes, slots), Inputs(parameters=parameters))
    items = [one for one in list_items_at(STEP, estimates.list_held_items(setup)) if one.name in STATES]
    return sum(one.low for one in items), sum(one.high for one in items)


@pytest.mark.parametrize("row", ROWS[::10], ids=str)
def test_stage_2_holds_what_deepspeed_says(row: list[int]) -> None:
    low, high = states(2, row)

    assert low <= zero2(row[0], row[2], row[3], False).gpu <= high


@pytest.mark.parametrize("row", ROWS[::10], ids=str)
def test_stage_3_holds_the_weights_in_addition(row: list[int]) -> None:
    parameters, largest, slots, nodes = row[:4]
    partition = parameters / (slots * nodes)
    gathered = 4 * largest
    low, _ = states(3, row)

    if partition <= 1e9:  # the gradients of one sub group are converted at a time
        assert low == pytest.approx(
            zero3(parameters, largest, slots, nodes, "none", True).gpu - gathered + 2 * partition, abs=2
        )
    assert "stage 3, GPU" in estimators.DIFFERENCES


def on_host(parameters: int, slots: int, nodes: int, stage: int, zero: dict[str, Any]) -> tuple[float, float]:
    """What dsgen computes for the offloaded states of a worker."""
    given = values(config(stage, None, zero=zero), nodes, slots)
    setup = make_setup(given, Inputs(parameters=parameters, zero_init=True))
    items = [one for one in host.list_items(setup, given, None) if "offloaded" in one.name]
    return sum(one.low for one in items), sum(one.high for one in items)


@pytest.mark.parametrize("row", ROWS[::10], ids=str)
def test_offloaded_states_are_those_of_deepspeed_with_zero_init(row: list[int]) -> None:
    parameters, largest, slots, nodes = row[:4]
    offload = {"offload_optimizer": {"device": "cpu", "pin_memory": False}}
    both = {**offload, "offload_param": {"device": "cpu", "pin_memory": False}}
    optimizer = zero3(parameters, largest, slots, nodes, "optimizer", True).host
    everything = zero3(parameters, largest, slots, nodes, "both", True).host

    low, high = on_host(parameters, slots, nodes, 3, offload)
    assert low == pytest.approx(optimizer / estimators.FACTOR, abs=2)
    assert low <= optimizer <= high
    low, high = on_host(parameters, slots, nodes, 3, both)
    assert low == pytest.approx(everything / estimators.FACTOR, abs=2)
    assert low <= everything <= high


@pytest.mark.parametrize("nodes", [1, 2, 16])
def test_the_host_of_stage_2_differs_over_several_nodes(nodes: int) -> None:
    parameters, slots = 7_000_000_000, 8
    theirs = zero2(parameters, slots, nodes, True).host
    documented = 1.5 * parameters * max(4 * slots, 16 / nodes)

    assert theirs == documented * nodes
    assert "stage 2, optimizer offloaded, host" in estimators.DIFFERENCES
