"""Parameters from config.json: equal to what models publish and to what transformers counts."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest

from dsgen.estimate.families import FAMILIES
from dsgen.estimate.inputs import collect_numbers
from dsgen.estimate.parameters import ConfigError, make_model

DATA = Path(__file__).parent.parent / "data"
PUBLISHED = json.loads((DATA / "published_models.json").read_text())["rows"]
COUNTED = json.loads((DATA / "model_parameters.json").read_text())["rows"]
LLAMA: dict[str, Any] = next(row["config"] for row in PUBLISHED if row["parameters"] == 8_030_261_248)
REMOTE = {"kimi_k2"}
"""A family that transformers does not have; here it is a copy of another one."""


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row["source"].split("/")[4])
def test_the_count_of_a_published_model_is_right_to_the_last_parameter(row: dict[str, Any]) -> None:
    model = make_model(row["config"])

    assert row["parameters"] == model.parameters
    assert row.get("active", model.active) == model.active


def test_many_families_are_published() -> None:
    assert len(PUBLISHED) >= 50
    assert len({row["config"]["model_type"] for row in PUBLISHED}) >= 25


@pytest.mark.parametrize("name", sorted({row["config"]["model_type"] for row in COUNTED}))
def test_the_count_equals_that_of_transformers(name: str) -> None:
    rows = [row for row in COUNTED if row["config"]["model_type"] == name]
    models = [make_model(row["config"]) for row in rows]

    assert [row["parameters"] for row in rows] == [model.parameters for model in models]
    assert all(model.largest_layer <= row["largest"] for row, model in zip(rows, models, strict=True))


def test_every_family_is_compared() -> None:
    assert set(FAMILIES) - REMOTE == {row["config"]["model_type"] for row in COUNTED}


def test_what_a_token_passes_leaves_out_other_experts() -> None:
    model = make_model(next(row["config"] for row in PUBLISHED if "Mixtral-8x7B" in row["source"]))

    assert 45_097_156_608 == model.expert_parameters
    assert model.parameters - model.active == model.expert_parameters * 6 // 8
    assert 2 * 14336 == model.intermediate


def test_a_tied_output_layer_is_multiplied() -> None:
    tied = make_model({**LLAMA, "tie_word_embeddings": True})

    assert 0 == tied.embedding
    assert 128256 * 4096 == make_model(LLAMA).embedding


def test_the_largest_layer_is_the_embedding() -> None:
    assert 128256 * 4096 == make_model(LLAMA).largest_layer


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"peft_type": "LORA", "r": 8}, "adapter"),
        ({**LLAMA, "quantization_config": {"quant_method": "gptq"}}, "quantized (gptq)"),
        ({"model_type": "qwen2_vl", "vision_config": {}}, "vision_config"),
        ({"model_type": "mamba2", "hidden_size": 64}, "model_type mamba2 are not known"),
        ({"hidden_size": 64}, "model_type is missing"),
        ({}, "model_type is missing"),
        ({**LLAMA, "hidden_size": None}, "hidden_size is missing"),
        ({**LLAMA, "num_hidden_layers": "32"}, "num_hidden_layers must be an integer from 1 to 100000000"),
        ({**LLAMA, "vocab_size": True}, "vocab_size must be an integer from 1 to 100000000"),
        ({**LLAMA, "intermediate_size": 0}, "intermediate_size must be an integer from 1 to 100000000"),
        ({**LLAMA, "model_type": "mixtral"}, "num_local_experts or num_experts is missing"),
        ({**LLAMA, "model_type": "deepseek_v3", "n_routed_experts": 8, "num_experts_per_tok": 2}, "kv_lora_rank"),
    ],
)
def test_what_is_not_counted_is_refused(config: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        make_model(config)

    assert text in str(refused.value)


@pytest.mark.parametrize("key", ["peft_type", "quantization_config"])
def test_a_refusal_says_what_to_write(key: str) -> None:
    with pytest.raises(ConfigError, match=r"estimate\.model\.(parameters|trainable)"):
        make_model({**LLAMA, key: {"quant_method": "awq"}})


def refusal(config: dict[str, Any]) -> str:
    """Why a configuration is refused; "" if it is not."""
    try:
        make_model(config)
    except ConfigError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("row", COUNTED[::7], ids=lambda row: row["config"]["model_type"])
def test_any_missing_number_has_a_default_or_is_named(row: dict[str, Any]) -> None:
    for key in row["config"]:
        text = refusal({other: value for other, value in row["config"].items() if other != key})
        assert not text or key in text


HOSTILE = ["many", "7", [], [7], {}, -1, 0, 1.5, True, None, 10**12, 10**300, math.inf, math.nan, 1e300]


@pytest.mark.parametrize(
    "row", {row["config"]["model_type"]: row for row in COUNTED}.values(), ids=lambda row: row["config"]["model_type"]
)
def test_any_number_is_read_or_refused(row: dict[str, Any]) -> None:
    """Every family, every number: nothing hangs, and no count is larger than a values file can have it."""
    for key, value in itertools.product(row["config"], HOSTILE):
        config = {**row["config"], key: value}
        if not refusal(config):
            numbers = collect_numbers(make_model(config))
            assert [] == [name for name, number in numbers.items() if not 1 <= number <= 10**15]
