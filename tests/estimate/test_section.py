"""The section `estimate` of a values file: no object depends on it. tests/cases/invalid/estimate*.yaml is refused."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dsgen import schema
from dsgen.estimate.accelerators import ROWS
from dsgen.estimate.inputs import KEYS, Inputs, read_section
from tests.cli.conftest import Cli
from tests.helm import MAJORS
from tests.parity import batch_objects, dump, flat_objects

ROOT = Path(__file__).parent.parent.parent
JOB = {"image": {"repository": "registry.example.com/team/cifar", "tag": "v3"}, "training": {"python": "train.py"}}
SECTION: dict[str, Any] = {
    "model": {
        "parameters": 8030261248,
        "trainable": 41943040,
        "layers": 32,
        "hidden": 4096,
        "heads": 32,
        "kvHeads": 8,
        "intermediate": 14336,
        "vocabulary": 128256,
        "experts": 8,
        "expertsPerToken": 2,
        "largestLayer": 525336576,
        "sequence": 4096,
        "recompute": "full",
        "attention": "flash",
        "optimizer": "AdamW",
        "zeroInit": False,
        "kernels": "fused",
        "loss": "tiled",
        "precision": "bf16",
        "microBatch": 2,
        "accumulation": 4,
    },
    "accelerator": {"product": "H100", "memory": "80Gi", "flops": "989T", "utilization": 0.4, "price": 2.5},
    "network": "400Gbit",
    "worker": {"memory": "2Ti", "nvme": "6G"},
    "checkpoints": {"volume": "checkpoints", "keep": 2, "bandwidth": "5G"},
    "tokens": 1_000_000_000,
    "measured": {"run": "1", "secondsPerStep": 12.5, "memory": "61Gi", "workerMemory": 128849018880},
}


@pytest.mark.parametrize("major", MAJORS)
def test_no_object_of_the_chart_depends_on_it(major: int, tmp_path: Path) -> None:
    without, with_ = batch_objects(major, tmp_path, [dump(JOB), dump({**JOB, "estimate": SECTION})])

    assert without == with_ == flat_objects(dump(JOB))


def test_a_change_changes_no_byte_of_a_folder(cli: Cli, folder: Path) -> None:
    text = (folder / "cifar.yaml").read_text()
    assert 0 == cli("render", "cifar.yaml", "-d", "out").code
    before = {path: path.read_bytes() for path in (folder / "out").iterdir()}

    (folder / "cifar.yaml").write_text(f"{text}estimate: {dump(SECTION)}\n")
    done = cli("render", "cifar.yaml", "-d", "out", "--refresh")

    assert (0, "out: job training/cifar, 18 files (0 written, 0 removed, 18 unchanged)\n", "") == done
    assert before == {path: path.read_bytes() for path in (folder / "out").iterdir()}
    assert (0, "", "") == cli("render", "cifar.yaml", "-d", "out", "--check")


def test_a_chart_takes_a_change_without_a_new_run(cli: Cli, folder: Path) -> None:
    text = (folder / "cifar.yaml").read_text()
    assert 0 == cli("chart", "cifar.yaml", "-d", "chart").code

    (folder / "cifar.yaml").write_text(f"{text}estimate: {dump(SECTION)}\n")
    done = cli("chart", "cifar.yaml", "-d", "chart")

    assert (0, "") == (done.code, done.err)
    assert "(1 written, 0 removed," in done.out
    assert "parameters: 8030261248" in (folder / "chart" / "values.yaml").read_text()


def test_every_input_has_a_key_and_every_key_an_input() -> None:
    keys = {".".join(path) for path, part in schema.walk_keys() if path[0] == "estimate" and not schema.is_record(part)}

    assert keys == set(KEYS.values())
    assert {field.name for field in fields(Inputs)} == KEYS.keys()
    assert len(keys) == len(KEYS)


def test_accelerators_are_those_of_the_table() -> None:
    rule = schema.find_part(("estimate", "accelerator", "product"))

    assert rule is not None
    assert ["", *(one.name for one in ROWS)] == rule["enum"]


def test_the_defaults_know_nothing() -> None:
    assert Inputs() == read_section(schema.make_defaults()["estimate"])


def test_numbers_may_be_written_with_an_exponent(cli: Cli, folder: Path) -> None:
    text = (folder / "cifar.yaml").read_text()
    (folder / "cifar.yaml").write_text(f"estimate: {{model: {{parameters: 8.03e9}}, tokens: 1e12}}\n{text}")

    assert 0 == cli("validate", "cifar.yaml", "--strict").code
