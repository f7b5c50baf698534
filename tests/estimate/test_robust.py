"""Whatever a values file may contain, an estimate is computed, or what is missing is named."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsgen.deepspeed.keys import load_table
from dsgen.estimate import changes, estimates
from dsgen.estimate.inputs import Inputs
from dsgen.reading.nodes import SourceText
from dsgen.values import load
from tests.estimate import jobs
from tests.estimate.jobs import MODEL

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
FILES = [*sorted((ROOT / "values-examples").glob("*.yaml")), *sorted((ROOT / "tests/cases/valid").glob("*.yaml"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("inputs", [Inputs(), MODEL], ids=["nothing", "model"])
def test_every_example_has_an_estimate(path: Path, inputs: Inputs) -> None:
    job = load([SourceText(str(path), path.read_text())])
    estimate = estimates.estimate_job(job.data, inputs)

    assert estimate.missing
    assert json.dumps(estimates.as_data(estimate), allow_nan=False)


def of_rule(rule: Any) -> st.SearchStrategy[Any]:
    """Values of a key of DeepSpeed's configuration: of its types, and auto."""
    if "keys" in rule:
        below = {key: of_rule(one) for key, one in rule["keys"].items()}
        return st.fixed_dictionaries({}, optional=below)
    choices: dict[str, st.SearchStrategy[Any]] = {
        "boolean": st.booleans(),
        "integer": st.integers(0, 10**10),
        "number": st.integers(-10, 10**10) | st.floats(0, 1e12),
        "string": st.sampled_from(rule.get("enum") or ("auto", "cpu", "nvme", "fp32", "AdamW", "Lion", "")),
        "array": st.just([]),
        "object": st.just({}),
    }
    if all(isinstance(one, int) for one in rule.get("enum") or [""]):
        return st.sampled_from(rule["enum"])
    return st.one_of(st.just("auto"), *(choices[name] for name in rule.get("types", ())), st.booleans())


PARTS = ("zero_optimization", "bf16", "fp16", "data_types", "activation_checkpointing")
PARTS += ("tensor_parallel", "expert_parallel")
SINGLE = ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "sequence_parallel_size")
CONFIGS = st.fixed_dictionaries(
    {}, optional={key: of_rule(load_table()["keys"][key]) for key in (*PARTS, *SINGLE, "communication_data_type")}
)


@settings(max_examples=400)
@given(CONFIGS, st.integers(1, 4), st.integers(1, 8), st.sampled_from((Inputs(), MODEL)))
def test_any_configuration_of_deepspeed_has_an_estimate(
    config: dict[str, Any], replicas: int, slots: int, inputs: Inputs
) -> None:
    values = jobs.values(config, replicas, slots)
    estimate = estimates.estimate_job(values, inputs)

    assert json.dumps(estimates.as_data(estimate), allow_nan=False)
    held = estimate.per_accelerator
    assert held is None or 0 <= held.low <= held.high


@settings(max_examples=60)
@given(CONFIGS, st.integers(1, 4))
def test_any_configuration_can_be_searched(config: dict[str, Any], slots: int) -> None:
    found = changes.find_cheapest(jobs.values(config, 1, slots), MODEL)

    assert found is None or changes.fits(found.estimate)
