"""An estimate in words: tables with bounds and verdicts, and every symbol of a formula explained."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from dsgen.estimate import estimates, forecast, report, setup
from dsgen.estimate.inputs import Inputs, read_section
from dsgen.estimate.report import Table
from dsgen.values import make_job
from tests.estimate.jobs import MODEL, config, values

INPUTS = replace(
    MODEL, product="A100-80GB", network=4e11, tokens=10**10, price=2.0, storage=5e9, keep=2, loader_memory=2**30
)
OFFLOAD = {"offload_optimizer": {"device": "cpu"}}
NVME = {"offload_optimizer": {"device": "nvme"}, "offload_param": {"device": "nvme"}}
BOTH = {**OFFLOAD, "offload_param": {"device": "cpu"}}
PLUS = {"zero_hpz_partition_size": 8, "zero_quantized_weights": True, "zero_quantized_gradients": True}
CONFIGS: list[dict[str, Any]] = [
    *(config(stage, 2, gradient_accumulation_steps=2) for stage in (0, 1, 2, 3)),
    *(config(stage, 1, zero=OFFLOAD) for stage in (1, 2, 3)),
    *(config(3, 1, zero=zero, gradient_accumulation_steps=2) for zero in (BOTH, NVME, PLUS, {"mics_shard_size": 8})),
    config(3, 1, zero={"offload_optimizer": {"device": "cpu", "ratio": 0.5}}),
    config(1, 1, tensor_parallel={"autotp_size": 4}),
    config(2, 1, sequence_parallel_size=4),
    config(1, 1, data_types={"grad_accum_dtype": "fp32"}),
    config(2, 1, expert_parallel={"enabled": True, "autoep_size": 4}),
    config(2, 1, activation_checkpointing={"partition_activations": True}),
    config(2, 1, activation_checkpointing={"cpu_checkpointing": True}),
    config(3, 1, optimizer={"type": "Lion"}),
]
MODELS = (
    INPUTS,
    replace(INPUTS, trainable=41_943_040),
    replace(INPUTS, experts=8, experts_per_token=2, expert_parameters=5 * 10**9, nvme=6e9, zero_init=True),
    replace(INPUTS, recompute="none", attention="standard", kernels="fused", loss="tiled"),
)


def tables(given: dict[str, Any], inputs: Inputs = INPUTS, replicas: int = 2, **workers: Any) -> list[Table]:
    job = values(given, replicas, **workers)
    estimate = estimates.estimate_job(job, inputs)
    return report.make_tables(setup.make_setup(job, inputs), estimate, forecast.read_limits(job, inputs))


def all_tables() -> Iterator[Table]:
    for given, model in itertools.product(CONFIGS, MODELS):
        yield from tables(given, model)


def test_every_symbol_of_a_formula_is_explained() -> None:
    seen, unexplained = set(), set()
    for table in all_tables():
        for row in table.rows:
            for name in report.list_item_symbols(row.item) if row.item else ():
                seen.add(name)
                if name not in table.legend:
                    unexplained.add((table.title.split(",")[0], row.name, name))

    assert set() == unexplained
    assert len(seen) > 40


def test_a_formula_with_numbers_has_no_symbols() -> None:
    for table in all_tables():
        for row in table.rows:
            assert row.item is None or not any(letter in row.item.numbers.split() for letter in table.legend)


def test_the_tables_of_a_job() -> None:
    titles = [table.title.split(",")[0] for table in tables(config(3, 2, gradient_accumulation_steps=2))]

    assert titles == [
        "Memory of an accelerator",
        "Main memory of a worker",
        "Bytes that a rank sends in a step",
        "Time of a step",
        "The whole training",
        "A checkpoint",
    ]


def test_a_job_without_numbers_has_no_table() -> None:
    assert [] == tables(config(3, 2), Inputs())


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (INPUTS, "fits in 80 GiB"),
        (replace(INPUTS, memory=24 * 2**30), "may not fit in 24 GiB"),
        (replace(INPUTS, memory=4 * 2**30), "does not fit in 4 GiB"),
        (replace(INPUTS, sequence=None), "it is not known whether it fits in 80 GiB"),
        (replace(INPUTS, product=None), ""),
    ],
)
def test_the_verdict(inputs: Inputs, words: str) -> None:
    assert words == report.describe_fit(estimates.estimate_job(values(config(3, 1)), inputs))


def test_of_a_split_model_nothing_is_said_for_sure() -> None:
    given = values(config(1, 1, tensor_parallel={"autotp_size": 4}))
    estimate = estimates.estimate_job(given, replace(INPUTS, memory=4 * 2**30))

    assert estimate.fits is None
    assert "most likely does not fit in 4 GiB" == report.describe_fit(estimate)


def test_what_the_values_give_stands_beside_what_is_needed() -> None:
    job = make_job(
        {
            "name": "job",
            "namespace": "training",
            "image": {"repository": "registry.example.com/team/job"},
            "workers": {"slots": 8, "resources": {"requests": {"memory": "100Gi"}, "limits": {"memory": "300Gi"}}},
            "training": {"python": "train.py", "deepspeed": {"config": config(3, 1, zero=BOTH)}},
            "storage": {"out": {"mountPath": "/out", "create": {"size": "100Gi"}}},
            "estimate": {"checkpoints": {"volume": "out", "keep": 2}, "worker": {"memory": "2Ti"}},
        }
    ).data
    inputs = read_section(job["estimate"])
    found = forecast.read_limits(job, inputs)

    assert (100 * 2**30, 300 * 2**30, 2 * 2**40) == (found.request, found.limit, found.node)
    assert (300 * 2**30, 100 * 2**30, 60, 40) == (found.memory, found.claim, found.grace, found.to_save)
    known = replace(INPUTS, checkpoints="out", worker_memory=found.node)
    parts = report.make_tables(setup.make_setup(job, known), estimates.estimate_job(job, known), found)
    words = {row.name: row.words for part in parts for row in part.rows if row.item is None}
    assert "storage.out.create.size 100 GiB: too small" == words["volume for 2 and the one being written"]
    assert "lifecycle.terminationGracePeriodSeconds gives a training 40 s: enough" == words["time to save it"]
    text = "\n".join(report.format_tables(parts))
    assert "limit 300 GiB: may be too small; node 2 TiB: enough; request 100 GiB: too small" in text


def test_the_request_is_that_of_the_pod() -> None:
    assert 2 * 2**30 == forecast.read_limits(values(config()), Inputs()).request
    with_limit = values(config(), resources={"limits": {"memory": "9Gi"}})
    assert 9 * 2**30 == forecast.read_limits(with_limit, Inputs()).request
    removed = values(config(), resources={"requests": {"memory": None}})
    assert forecast.read_limits(removed, Inputs()).request is None


def test_markdown_has_the_same_rows() -> None:
    parts = tables(config(2, 2))
    lines = [line for line in report.format_markdown_tables(parts, explain=True) if line.startswith("| ")]

    assert len(lines) == sum(len(part.rows) + 1 for part in parts)
    assert {line.count("|") for line in lines} == {7}


def test_an_explained_item_has_formula_numbers_and_source() -> None:
    text = "\n".join(report.format_tables(tables(config(2, 1)), explain=True))

    assert "w * P\n" in text
    assert "= 2 * 8030261248\n" in text
    assert "source: ZeRO, arXiv 1910.02054, section 3.1\n" in text
    assert "    P: parameters of a rank's copy of the model" in text


def test_no_text_is_html_or_a_link_in_markdown() -> None:
    row = report.format_markdown_row(["<img src=x>", "[a](b)", "`a|<b`", "a|b", "![x](y)"])

    assert r"| \<img src=x\> | \[a](b) | `a\|<b` | a\|b | !\[x](y) |" == row
