"""DeepSpeed's configuration: every mistake has its id and severity, and valid configurations are accepted."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen import values
from dsgen.deepspeed import batch, combinations, keys, optimizers
from dsgen.problems import Diagnostic, path_text
from dsgen.reading.nodes import SourceText
from dsgen.reading.set_values import Override
from dsgen.values import Release
from tests.e2e.training import training_values

MICRO, TOTAL, STEPS = "train_micro_batch_size_per_gpu", "train_batch_size", "gradient_accumulation_steps"
ONE = {MICRO: 1}


ENOUGH = {"requests": {"cpu": 64, "memory": "1000Gi"}}


def problems(
    config: Any, replicas: int = 1, slots: int = 1, workers: dict[str, Any] | None = None, **deepspeed: Any
) -> list[Diagnostic]:
    """What is said about a configuration in a job that is right otherwise."""
    given = {
        "name": "cifar",
        "namespace": "training",
        "image": {"repository": "r/cifar", "tag": "v3"},
        "workers": {"replicas": replicas, "slots": slots, "resources": ENOUGH, **(workers or {})},
        "training": {"python": "train.py", "deepspeed": {"config": config, **deepspeed}},
    }
    loaded = values.load([SourceText("v.yaml", json.dumps(given, indent=1) + "\n")])
    assert loaded.values, loaded.diagnostics
    found = values.check(loaded, Release("cifar", "training"))
    return [one for one in found if one.id != "DS387"]  # folders on no volume


CASES = yaml.load((Path(__file__).parents[1] / "cases" / "deepspeed.yaml").read_text(), yaml.CSafeLoader)
CASES["warnings"] += [("DS263", key[0], {**ONE, key[0]: {}}) for key in keys.REMOVED if len(key) == 1]
OLD_NAME = {**ONE, "fp16": {"enabled": True}, "bfloat16": {"enabled": True}}


def told(config: Any, *given: Any, **more: Any) -> list[tuple[str, str, str]]:
    """Id, severity and key of the problems."""
    start = "training.deepspeed.config"
    return [
        (one.id, one.severity, path_text(one.path).removeprefix(start).lstrip("."))
        for one in problems(config, *given, **more)
    ]


@pytest.mark.parametrize(
    ("severity", "id_", "path", "config"),
    [*(("error", *row) for row in CASES["errors"]), *(("warning", *row) for row in CASES["warnings"])],
)
def test_what_deepspeed_refuses_or_overlooks_is_an_error_if_no_version_takes_it(
    severity: str, id_: str, path: str, config: dict[str, Any]
) -> None:
    assert [(id_, severity, path)] == told(config)


@pytest.mark.parametrize("config", CASES["fine"])
def test_what_deepspeed_takes_is_let_through(config: dict[str, Any]) -> None:
    assert [] == problems(config)


def test_both_precisions_are_found_by_the_old_name_too() -> None:
    assert {"DS263", "DS266"} == {one.id for one in problems(OLD_NAME)}


def test_every_combination_has_a_case() -> None:
    cases = [config for _, _, config in [*CASES["errors"], *CASES["warnings"]]] + [OLD_NAME]
    found = {re.sub("[0-9]", "", one.message) for config in cases for one in combinations.check_combinations(config)}

    assert 16 == len(found)


# total, micro, steps, replicas, slots
FITTING = [
    *[(32, 4, 2, 2, 2), (32, 4, None, 2, 2), (32, None, 2, 2, 2), (32, None, None, 4, 8), (None, 4, 2, 3, 1)],
    *[(None, 4, None, 7, 1), (1, 1, 1, 1, 1)],
]
UNFIT = [
    *[(7, 2, 2, 1, 1), (32, 4, 2, 4, 4), (30, 4, None, 2, 2), (8, 4, None, 2, 2), (30, None, 2, 2, 2)],
    *[(7, None, None, 2, 1), (1, None, None, 2, 1)],
]
Sizes = tuple[int | None, int | None, int | None, int, int]


def sizes(given: Sizes) -> dict[str, Any]:
    return {key: size for key, size in zip((TOTAL, MICRO, STEPS), given[:3], strict=True) if size is not None}


def name_sizes(given: Sizes) -> str:
    """Those that are set, such as `total=32,micro=4,workers=2,slots=2`."""
    names = ("total", "micro", "steps", "workers", "slots")
    return ",".join(f"{name}={size}" for name, size in zip(names, given, strict=True) if size is not None)


@pytest.mark.parametrize("given", [*FITTING, *UNFIT], ids=name_sizes)
def test_batch_sizes_fit_or_do_not(given: Sizes) -> None:
    expected = [("DS265", "error", TOTAL)] if given in UNFIT else []

    assert expected == told(sizes(given), *given[3:])


def test_the_message_has_the_arithmetic() -> None:
    [problem] = problems(sizes((32, 4, 2, 4, 4)), 4, 4)
    factors = "4 (train_micro_batch_size_per_gpu) x 2 (gradient_accumulation_steps)"

    assert f"{TOTAL} must be {factors} x 16 (workers.replicas 4 x workers.slots 4) = 128, not 32" == problem.message
    shared = "if several processes share one copy of the model, set training.parallel"
    assert f"set {TOTAL}: 128, or remove it: DeepSpeed computes it; {shared}" == problem.hint


def test_the_hint_for_a_job_of_several_sizes_is_the_nearest_numbers_of_workers() -> None:
    [problem] = problems(sizes((96, 4, None, 1, 1)), 5, 2, resize={"checkpoint": "/checkpoints"})

    assert "the batch can be divided among 3, 4, 6, 12 workers" == problem.hint


def test_the_hint_of_two_sizes_is_the_nearest_multiple() -> None:
    [problem] = problems(sizes((30, 4, None, 2, 2)), 2, 2)

    assert problem.message.endswith("= 16, not 30")
    assert problem.hint.startswith(f"set {TOTAL}: 16, or set only ")


@pytest.mark.parametrize(
    "split",
    [
        {"pipeline": {"stages": 2}},
        {"tensor_parallel": {"autotp_size": 2}},
        {"tensor_parallel": {"tp": {"tp_size": 2}}},
    ],
)
def test_several_processes_may_share_a_copy_of_the_model(split: dict[str, Any]) -> None:
    half, third = sizes((16, 4, 2, 2, 2)), sizes((24, 4, 2, 2, 2))

    assert [] == problems({**half, **split}, 2, 2)
    assert ["DS265"] == [one.id for one in problems({**third, **split}, 2, 2)]


# Ranks 16, sequence_parallel_size 4: without an mpu, DeepSpeed counts 4 copies from 0.17.0 on, and 16 before.
SHARED = [
    ("", {}, (16, 4, 1), None),
    ("", {}, (64, 4, 1), "error"),
    ("", {}, (8, 4, 1), "warning"),
    ("", {}, (12, 4, 1), "error"),
    ("", {}, (16, 4, None), None),
    ("", {}, (8, 4, None), "warning"),
    ("", {}, (18, 4, None), "error"),
    ("", {}, (4, None, None), None),
    ("", {}, (2, None, None), "warning"),
    ("0.17.0", {}, (64, 4, 1), "error"),
    ("0.16.9", {}, (64, 4, 1), None),
    ("0.16.9", {}, (16, 4, 1), "warning"),
    ("0.14.5", {}, (64, 4, 1), None),
    ("0.14.5", {"data_parallel_size": 4}, (64, 4, 1), None),
    ("0.15.4", {"data_parallel_size": 4}, (16, 4, 1), None),
    ("0.15.4", {"data_parallel_size": 4}, (64, 4, 1), "error"),
    ("0.19.8", {"data_parallel_size": 4}, (16, 4, 1), None),
    ("0.16.95", {}, (16, 4, 1), None),
    ("0.16.95", {}, (64, 4, 1), None),
]


@pytest.mark.parametrize(("version", "more", "given", "severity"), SHARED)
def test_sequence_parallel_ranks_share_a_batch(
    version: str, more: dict[str, Any], given: tuple[int, int | None, int | None], severity: str | None
) -> None:
    config = {**sizes((*given, 2, 8)), "sequence_parallel_size": 4, **more}

    found = [one for one in problems(config, 2, 8, version=version) if one.id == "DS265"]

    assert ([severity] if severity else []) == [one.severity for one in found]
    if given == (64, 4, 1) and severity:
        assert "set train_batch_size: 16, or remove it: DeepSpeed computes it" == found[0].hint


MEGATRON = {TOTAL: 8, MICRO: 2, STEPS: 2}  # of two copies of the model
SIZES = ["--tensor-model-parallel-size", "4", "--pipeline-model-parallel-size=2"]


@pytest.mark.parametrize(
    "training",
    [
        {"args": SIZES},
        {"parallel": {"tensor": 4, "pipeline": 2}},
        {"parallel": {"tensor": 2, "pipeline": 2, "context": 2, "expert": 4}},
        {"exec": ["bash", "-c", f"exec python pretrain.py {' '.join(SIZES)}"], "python": ""},
        {"files": {"neox.yml": '"pipe-parallel-size": 2,\n"model-parallel-size": 4\n'}},
    ],
    ids=str,
)
def test_ranks_that_share_a_copy_of_the_model_get_one_batch(training: dict[str, Any]) -> None:
    """It is refused without the sizes, and with sizes that do not fit."""
    assert [] == of_batch(MEGATRON, **training)
    assert [("error", TOTAL)] == of_batch({**MEGATRON, TOTAL: 64}, **training)
    assert [("error", TOTAL)] == of_batch(MEGATRON)
    assert [("error", "config")] == of_batch(MEGATRON, parallel={"tensor": 3})


@pytest.mark.parametrize(
    ("config", "args", "expected"),
    [
        ({MICRO: 4}, ["--per_device_train_batch_size", "4"], []),
        ({MICRO: 4}, ["--per_device_train_batch_size", "8"], [("warning", MICRO)]),
        ({MICRO: 2}, ["--micro-batch-size=4", "--micro-batch-size=2"], []),
        ({MICRO: 2, STEPS: 2}, ["--gradient_accumulation_steps", "3"], [("warning", STEPS)]),
        ({TOTAL: 64, MICRO: "auto"}, ["--per_device_train_batch_size", "4"], []),
        ({TOTAL: 60, MICRO: "auto"}, ["--per_device_train_batch_size", "4"], [("warning", TOTAL)]),
        ({TOTAL: "auto"}, ["--global-batch-size", "$N"], []),
    ],
)
def test_the_program_says_the_same_batch(config: dict[str, Any], args: list[str], expected: list[Any]) -> None:
    assert expected == of_batch(config, args=args)


def of_batch(config: dict[str, Any], **training: Any) -> list[tuple[str, Any]]:
    """The severity and the key of each problem of the batch, with 16 processes."""
    job = {"python": "train.py", "deepspeed": {"config": config}, **training}
    given = {"name": "a", "namespace": "b", "image": {"repository": "c", "tag": "d"}, "training": job}
    loaded = values.load([SourceText("v.yaml", json.dumps({**given, "workers": {"replicas": 2, "slots": 8}}))])
    found = values.check(loaded, Release("a", "b"))
    return [(one.severity, one.path[-1]) for one in found if one.id == "DS265"]


def test_the_sequence_parallel_size_divides_the_ranks() -> None:
    [problem] = problems({TOTAL: 16, MICRO: 4, "sequence_parallel_size": 3}, 2, 8)

    expected = "sequence_parallel_size must divide the 16 processes (workers.replicas 2 x workers.slots 8), not 3"
    assert (expected, "sequence_parallel_size") == (problem.message, problem.path[-1])


def test_a_program_may_add_batch_sizes_to_a_configuration_that_it_reads_itself() -> None:
    assert [] == problems({"steps_per_print": 10}, passConfig=False)


def test_a_configuration_that_is_not_used_is_not_looked_at() -> None:
    assert ["DS221"] == [one.id for one in problems({"a": 1}, configFile="/etc/ds.json")]


def test_nothing_is_said_about_batch_sizes_while_the_number_of_workers_is_wrong() -> None:
    text = "name: a\nnamespace: b\nimage: {repository: c, tag: d}\nworkers: {replicas: two}\ntraining:\n"
    text += "  python: e\n  deepspeed: {config: {train_batch_size: 8, train_micro_batch_size_per_gpu: 3}}\n"
    reported = values.load([SourceText("v.yaml", text)]).diagnostics

    assert ["DS102"] == [one.id for one in reported]


def test_an_unknown_key_is_shown_at_its_name() -> None:
    [problem] = problems({**ONE, "zero_optimisation": {"stage": 2}})

    assert ("v.yaml", 23, 5) == (
        problem.position and (problem.position.file, problem.position.line, problem.position.column)
    )
    assert "did you mean zero_optimization?" == problem.hint


@pytest.mark.parametrize("value", ["x", -1, 0.5, True, [], {}, ["a"], {"a": "auto"}, "auto", 1e308])
def test_no_value_can_stop_the_checks(value: Any) -> None:
    for path in everything((), keys.load_table()):
        config: Any = value
        for key in reversed(path):
            config = {key: config}
        parts = (keys.check_keys(config), optimizers.check_names(config), combinations.check_combinations(config))
        reported = [one for part in parts for one in part]
        reported += batch.check_sizes(config, batch.make_ranks(2, 2), passed=True)

        assert all(one.message.isprintable() for one in reported)


def everything(path: tuple[str, ...], rule: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The paths of all keys."""
    below = [(*path, key) for key in rule.get("keys", {})]
    return below + [one for each in below for one in everything(each, rule["keys"][each[-1]])]


def test_the_table_has_what_deepspeed_has() -> None:
    table = keys.load_table()

    assert table["source"].startswith("deepspeed 0.")
    assert {"stage", "offload_optimizer"} <= table["keys"]["zero_optimization"]["keys"].keys()
    assert set() == {path[0] for path in keys.REMOVED if len(path) == 1} & table["keys"].keys()
    assert len(everything((), table)) > 250


def test_the_training_of_the_end_to_end_tests_has_no_error() -> None:
    text = json.dumps({"name": "digits", "namespace": "training", **training_values("r/deepspeed:1")}) + "\n"
    loaded = values.load([SourceText("v.yaml", text)], [Override("--set", "run.id=2")])

    assert {"DS222", "DS366", "DS368", "DS383", "DS414"} == {
        one.id for one in values.check(loaded, Release("digits", "training"))
    }


def test_a_count_may_have_a_point() -> None:
    """Helm reads all numbers alike, so 2.0 is a whole one."""
    whole, point = (problems(ONE, replicas=replicas, args=["--include", "cifar-1-worker-2"]) for replicas in (2, 2.0))

    assert [one.message for one in whole] == [one.message for one in point] != []
