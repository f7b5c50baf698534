"""Versions of DeepSpeed: which keys, values and options each of them has."""

import json
from pathlib import Path
from typing import Any

import pytest

from dsgen.deepspeed import keys
from dsgen.deepspeed.keys import KNOWN, NEWEST, list_nearest_versions, parse_version
from tests.deepspeed.test_deepspeed import MICRO, ONE, TOTAL, problems, told


def config(key: str, **values: Any) -> dict[str, Any]:
    return {**ONE, key: values}


GONE: list[tuple[str, str, dict[str, Any]]] = [
    ("0.19.8", "sparse_gradients", {**ONE, "sparse_gradients": True}),
    ("0.19.8", "amp", {**ONE, "amp": {"enabled": True}}),
    ("0.19.8", "zero_optimization.mics_shard_size", config("zero_optimization", stage=3, mics_shard_size=2)),
    ("0.19.8", "optimizer.type", config("optimizer", type="OneBitAdam")),
    ("0.16.9", "torch_autocast", {**ONE, "torch_autocast": {"enabled": True}}),
    ("0.17.6", "gradient_allreduce_op", {**ONE, "gradient_allreduce_op": "mean"}),
    ("0.14.5", "compile", {**ONE, "compile": {"deepcompile": True}}),
    ("0.14.5", "zero_optimization.zenflow", config("zero_optimization", stage=2, zenflow={})),
    ("0.19.0", "zero_optimization.compute_grad_norm", config("zero_optimization", stage=2, compute_grad_norm=True)),
    ("0.16.9", "optimizer.type", config("optimizer", type="muon")),
    ("0.15.1", "torch_autocast", {**ONE, "torch_autocast": {"enabled": True}}),
    ("0.12.6", "compile", {**ONE, "compile": {"deepcompile": True}}),
    ("0.20.0", "amp", {**ONE, "amp": {"enabled": True}}),
]
FP16 = {
    "enabled": True,
    "auto_cast": False,
    "loss_scale": 0,
    "loss_scale_window": 1000,
    "initial_scale_power": 16,
    "hysteresis": 2,
    "consecutive_hysteresis": False,
    "min_loss_scale": 1,
}
THERE: list[tuple[str, dict[str, Any]]] = [
    ("0.19.4", {**ONE, "sparse_gradients": True, "amp": {"enabled": False}}),
    ("0.19", ONE),
    ("0.14.5", {**ONE, "seq_parallel_comm_data_type": "fp32", "aio": {"thread_count": 1}}),
    ("0.14.5", {**ONE, "fp16": {"enabled": True, "loss_scale": 0}}),
    ("0.17.6", {**ONE, "torch_autocast": {"enabled": True}}),
    ("0.18", config("optimizer", type="ZeroOneAdam")),
    *[(version, {**ONE, "fp16": FP16}) for version in KNOWN],
    ("0.16.4", {**ONE, "fp16": {**FP16, "min_loss_scale": 0.5}}),
    ("0.17.3", {**ONE, "torch_autocast": {"enabled": True}}),
    ("0.19.6", {**ONE, "sparse_gradients": True, "zero_optimization": {"stage": 2, "compute_grad_norm": True}}),
    ("0.20.0", ONE),
    ("1.0", ONE),
    ("0.19.2", {**config("optimizer", type="muon", params={"lr": 0.1}), "zero_optimization": {"stage": 3}}),
]
STAGES = [
    ("0.16.9", "OneBitAdam", 2, "only without ZeRO"),
    ("0.19.4", "ZeroOneAdam", 1, "only without ZeRO"),
    ("0.17.6", "Muon", 3, "only up to stage 2 of ZeRO"),
    ("0.17.6", "Muon", 2, "only with zero_allow_untested_optimizer"),
    ("0.15.4", "Lamb", 1, "only with zero_allow_untested_optimizer"),
]


@pytest.mark.parametrize(("version", "path", "config"), GONE)
def test_what_a_version_lacks_is_an_error(version: str, path: str, config: dict[str, Any]) -> None:
    [problem] = problems(config, version=version)

    assert [("DS263", "error", path)] == told(config, version=version)
    assert any(known in problem.message for known in KNOWN if known != version)


@pytest.mark.parametrize(("version", "config"), THERE)
def test_what_a_version_has_is_let_through(version: str, config: dict[str, Any]) -> None:
    assert [] == problems(config, version=version)


@pytest.mark.parametrize("version", KNOWN)
def test_every_known_version_has_a_table(version: str) -> None:
    assert {"train_batch_size", "zero_optimization", "fp16"} <= keys.load_table(version)["keys"].keys()


def test_the_newest_version_is_the_one_of_the_table() -> None:
    assert f"deepspeed {NEWEST}," in keys.load_table()["source"]
    assert list(KNOWN) == sorted(KNOWN, key=parse_version)


def test_batch_sizes_are_not_told_where_workers_are_left_out() -> None:
    config = {TOTAL: 8, MICRO: 8}

    assert ["DS265"] == [one.id for one in problems(config, 2)]
    assert [] == problems(config, 2, args=["--exclude=cifar-1-worker-1.cifar-1"])


@pytest.mark.parametrize(("version", "name", "stage", "message"), STAGES)
def test_which_optimizers_zero_takes_depends_on_the_version(version: str, name: str, stage: int, message: str) -> None:
    given = {**config("optimizer", type=name), "zero_optimization": {"stage": stage}}
    [problem] = problems(given, version=version)

    assert [("DS267", "error", "optimizer.type")] == told(given, version=version)
    assert message in problem.message


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", [KNOWN[-1]]),
        ("0.16.9", ["0.16.9"]),
        ("0.18", ["0.18.3", "0.18.9"]),
        ("0.16.4", ["0.15.4", "0.16.9"]),
        ("0.18.5", ["0.18.3", "0.18.9"]),
        ("0.20.0", [KNOWN[-1]]),
        ("0.20", [KNOWN[-1]]),
        ("0.9.5", [KNOWN[0]]),
    ],
)
def test_a_version_is_held_against_the_known_ones_around_it(given: str, expected: list[str]) -> None:
    assert expected == [one.table for one in list_nearest_versions(given)]


def test_a_message_names_the_version_of_the_user() -> None:
    [problem] = problems({**ONE, "torch_autocast": {"enabled": True}}, version="0.16.4")

    assert "torch_autocast: DeepSpeed accepts it from 0.17.6 on; 0.16.4 ignores it" == problem.message


@pytest.mark.parametrize(("version", "severity"), [("0.18.5", "error"), ("0.20.0", "warning"), ("0.9.5", "warning")])
def test_an_unknown_key_may_be_one_of_a_version_that_is_not_known(version: str, severity: str) -> None:
    given = {**ONE, "zyzzyva": 1, "zero_optimisation": {}}

    assert [severity, "error"] == [one.severity for one in problems(given, version=version)]


def test_a_renamed_key_is_shown_by_its_documented_name() -> None:
    [problem] = problems(config("zero_optimization", stage=3, stage3_gather_fp16_weights_on_model_save=True))
    name = "stage3_gather_16bit_weights_on_model_save"

    assert ("DS263", "warning", f"use {name}") == (problem.id, problem.severity, problem.hint)
    assert problem.message.endswith(f"is an old name of {name}")


@pytest.mark.parametrize(
    ("version", "severity"), [("", "warning"), ("0.19.8", "warning"), ("0.15.9", "warning"), ("0.15.4", "error")]
)
def test_fp16_without_devices_depends_on_the_cpu(version: str, severity: str) -> None:
    given = {**ONE, "fp16": {"enabled": True}}
    cpu: dict[str, Any] = {"accelerator": {"count": 0}}
    pod = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "a"}]}
    claims = {"resources": {"claims": [{"name": "gpu"}]}, "extraPodSpec": pod}
    found = [one for one in told(given, workers=cpu, version=version) if one[0] != "DS368"]

    assert [("DS267", severity, "fp16.enabled")] == found
    assert [] == problems(given, version=version)
    assert [] == problems(given, workers={**cpu, **claims}, version=version)
    assert ["DS368"] == [one.id for one in problems({**ONE, "bf16": {"enabled": True}}, workers=cpu, version=version)]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--no_ssh_check=1"], [("DS281", "--no_ssh_check takes no value")]),
        (["--quiet="], [("DS281", "--quiet takes no value")]),
        (["--log_level", "verbose"], [("DS281", '--log_level cannot be "verbose"')]),
        (["--log_level=INFO"], [("DS281", '--log_level cannot be "INFO"')]),
        (["--launcher_args", "-v"], [("DS281", "--launcher_args needs a value")]),
        (["--launcher_args=-v", "--log_level", "debug", "--no_ssh_check"], []),
        (["--launcher_args", "-S -v"], []),
    ],
)
def test_what_argparse_refuses(args: list[str], expected: list[tuple[str, str]]) -> None:
    assert expected == [(one.id, one.message) for one in problems(ONE, args=args)]


@pytest.mark.parametrize(("version", "expected"), [("0.17.0", ["DS283"]), ("0.17.3", []), ("0.21.0", [])])
def test_options_that_came_between_two_known_versions_are_let_through(version: str, expected: list[str]) -> None:
    assert expected == [one.id for one in problems(ONE, args=["--log_level", "debug"], version=version)]


RECORDED = json.loads((Path(__file__).parent.parent / "data" / "deepspeed_batch.json").read_text())["rows"]


@pytest.mark.parametrize("version", KNOWN)
@pytest.mark.parametrize("row", RECORDED, ids=lambda row: "-".join(map(str, row["config"].values())))
def test_sequence_parallel_batches_are_reported_where_deepspeed_refuses_them(row: dict[str, Any], version: str) -> None:
    found = [one.id for one in problems(row["config"], 4, version=version) if one.id == "DS265"]

    assert ([] if version in row["accepted"] else ["DS265"]) == found
