"""What a run has measured, beside its estimate."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dsgen.cluster.format_text import format_network
from dsgen.cluster.runs import add_traffic, compare_with_estimate, find_most_memory
from dsgen.estimate import estimates, inputs, measured, setup
from dsgen.estimate.measured import MeasuredValue
from tests.estimate.jobs import MODEL, config, known, values

GIB = 2**30
MEASURES = {"run": "1", "secondsPerStep": 2.0, "memory": 40 * GIB, "workerMemory": 900 * GIB}


def described(**model: Any) -> dict[str, Any]:
    """The values of a job whose model is described."""
    data = values(config(2))
    known = {"parameters": 8_030_261_248, "sequence": 4096, "layers": 32, "hidden": 4096, "vocabulary": 128256}
    estimate = data["estimate"]
    return {**data, "estimate": {**estimate, "model": {**estimate["model"], **known, **model}}}


@pytest.mark.parametrize(
    ("number", "low", "high", "error", "words"),
    [
        (10.0, 8.0, 12.0, 0.0, "within"),
        (10.0, 12.0, 14.0, 0.2, "too high by 20 %"),
        (10.0, 4.0, 6.0, -0.4, "too low by 40 %"),
        (10.0, 4.0, None, 0.0, "within"),
        (10.0, None, None, None, ""),
    ],
)
def test_the_error_is_the_distance_to_the_range(
    number: float, low: float | None, high: float | None, error: float | None, words: str
) -> None:
    made = MeasuredValue("time of a step", "seconds", number, low, high)

    assert error == (made.error if made.error is None else pytest.approx(made.error))
    assert words == made.cells[-1]


def test_each_measured_number_stands_beside_its_estimate() -> None:
    inputs = replace(MODEL, product="H100", measured_step=2.0, measured_memory=40 * GIB, measured_worker=900 * GIB)
    data = values(config(2))
    estimate = estimates.estimate_job(data, inputs)
    made = {one.name: one for one in measured.compare(setup.make_setup(data, inputs), estimate, inputs)}

    assert estimate.step
    assert estimate.per_accelerator
    assert (2.0, estimate.step.low, estimate.step.high) == (lambda one: (one.measured, one.low, one.high))(
        made["time of a step"]
    )
    assert 8 * 4096 / 2.0 == made["tokens a second"].measured
    assert estimate.per_accelerator.high == made["memory of an accelerator"].high
    assert "too low by" in made["memory of a worker"].cells[-1]


def test_what_is_not_complete_has_no_upper_bound_and_what_was_not_measured_no_row() -> None:
    inputs = replace(MODEL, layers=None, measured_memory=40 * GIB)
    data = values(config(2))
    [one] = measured.compare(setup.make_setup(data, inputs), estimates.estimate_job(data, inputs), inputs)

    assert ("memory of an accelerator", None) == (one.name, one.high)
    assert one.cells[2].endswith(" or more")


def test_a_file_of_another_run_or_without_a_model_is_not_compared() -> None:
    assert 4 == len(compare_with_estimate(described(), MEASURES))
    assert [] == compare_with_estimate(described(), {**MEASURES, "run": "2"})
    assert [] == compare_with_estimate(described(parameters=None), MEASURES)
    assert [] == compare_with_estimate(described(), {})
    assert [] == compare_with_estimate(None, MEASURES)


def test_the_memory_of_a_worker_is_that_of_the_pod_that_uses_most() -> None:
    def pod(*memory: str) -> dict[str, Any]:
        return {"containers": [{"usage": {"cpu": "1", "memory": one}} for one in memory]}

    assert 3 * GIB == find_most_memory([pod("1Gi", "2Gi"), pod("2Gi"), pod()])
    assert find_most_memory([]) is None


CHECKED = {"median": 4310, "lowest": 4102}


def test_the_rate_of_the_network_is_shown_with_the_traffic_of_a_step() -> None:
    data = described()
    data["workers"] = {**data["workers"], "replicas": 4}
    made = known(add_traffic(data, "1", CHECKED))

    sent = known(estimates.estimate_job(data, inputs.read_section(data["estimate"])).traffic)
    assert [round(one) for one in sent.per_worker] == [made["bytesPerStep"][bound] for bound in ("low", "high")]
    assert made["bytesPerStep"]["low"] / (4102 * 2**20) == pytest.approx(made["secondsPerStep"]["low"], abs=0.001)
    assert "a worker sends " in format_network(made)


@pytest.mark.parametrize(
    ("data", "run"), [(None, "1"), (described(parameters=None), "1"), (described(), "2")], ids=["none", "model", "run"]
)
def test_without_the_model_of_the_run_only_the_rate_is_shown(data: dict[str, Any] | None, run: str) -> None:
    assert CHECKED == add_traffic(data, run, CHECKED)
    words = "4310 MiB/s is the median of the workers, 4102 the least of those that train"
    assert words == format_network(CHECKED)
    assert "" == format_network({})


def test_the_documentation_shows_what_is_printed() -> None:
    step = {"bytesPerStep": {"low": 41.3 * GIB, "high": 45.4 * GIB}, "secondsPerStep": {"low": 10.31, "high": 11.33}}
    page = (Path(__file__).parents[2] / "docs/running.md").read_text()
    assert f"Network:      {format_network({**CHECKED, **step})}\n" in page
