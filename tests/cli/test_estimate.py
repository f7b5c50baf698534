"""`dsgen estimate`: what a training needs, from the values file and a config.json."""

import json
import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dsgen import api
from tests.cli.conftest import Cli
from tests.estimate.jobs import LLAMA_8B
from tools.docs import ROOT

pytestmark = pytest.mark.usefixtures("llama")

LLAMA = """\
name: llama
namespace: training
image: {repository: registry.example.com/team/llama, tag: v1}
workers: {replicas: 2, slots: 8, resources: {requests: {cpu: "16"}, limits: {memory: 800Gi}}}
training:
  python: train.py
  deepspeed:
    config:
      train_micro_batch_size_per_gpu: 2  # of a rank
      gradient_accumulation_steps: 4
      bf16: {enabled: true}
      optimizer: {type: AdamW, params: {lr: 1.0e-5}}
      zero_optimization: {stage: 3}
storage:
  checkpoints: {mountPath: /checkpoints, create: {size: 500Gi}}
estimate:  # what dsgen estimate needs to know
  model: {sequence: 4096, recompute: full, attention: flash, kernels: standard, loss: standard, zeroInit: true}
  accelerator: {product: A100-80GB, price: 2.5}  # SXM
  network: 400Gbit
  worker: {loaderMemory: 4Gi}
  checkpoints: {volume: checkpoints, keep: 2, bandwidth: 5G}
  tokens: 1000000000
"""
RANGES = [("perAccelerator", "low"), ("perAccelerator", "high"), ("perWorker", "low"), ("perWorker", "high")]
SCHEMA = json.loads((ROOT / "schemas" / "estimate.schema.json").read_text())
DEEPSPEED = "training.deepspeed"
RESIZED = [  # 4 workers, or 2 after a loss
    *("--set", f"{DEEPSPEED}.config.train_batch_size=128,{DEEPSPEED}.config.gradient_accumulation_steps=null"),
    *("--set", f"{DEEPSPEED}.resize.checkpoint=/checkpoints/llama,workers.replicas=4,workers.min=2"),
]
STAGE = "training.deepspeed.config.zero_optimization.stage"
GIVEN = ("llama.yaml", "--model", "config.json")


@pytest.fixture
def llama(folder: Path) -> Path:
    """llama.yaml without the numbers of a model, and config.json with them."""
    (folder / "config.json").write_text(json.dumps(LLAMA_8B))
    (folder / "llama.yaml").write_text(LLAMA)
    return folder / "llama.yaml"


def data(cli: Cli, *flags: str) -> dict[str, Any]:
    done = cli("estimate", *GIVEN, "-o", "json", *flags)
    assert (0, "") == (done.code, done.err)
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_json_has_all_parts(cli: Cli) -> None:
    found = data(cli)

    assert ("training/llama", 8030261248) == (found["job"], found["parameters"])
    for part, side in RANGES:
        assert found[part][side] > 2**30
    items = found["perAccelerator"]["items"]
    assert {"name", "low", "high"} <= items[0].keys()
    assert found["perAccelerator"]["high"] == pytest.approx(sum(one["high"] for one in items))
    assert found["traffic"]["bytesPerStep"] > 10**11
    assert 0 < found["step"]["low"] < found["step"]["high"]
    assert found["step"]["bound"] in ("compute", "network")
    assert 14 * 8030261248 > found["checkpoint"]["bytes"] > 11 * 8030261248
    assert (800 * 2**30, 800 * 2**30, 60) == (
        found["perWorker"]["limit"],
        found["perWorker"]["request"],
        found["checkpoint"]["gracePeriod"],
    )
    assert 500 * 2**30 == found["checkpoint"]["claim"]
    assert found["run"]["cost"]["low"] > 0
    assert ([], [], None) == (found["missing"], found["leftOut"], found["remedy"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["cifar.yaml"],
        ["llama.yaml"],
        [*GIVEN],
        [*GIVEN, "--set", f"{STAGE}=1"],
        [*GIVEN, "--set", "estimate.accelerator.memory=4Gi,estimate.model.sequence=null"],
        [*GIVEN, "--set", "workers.accelerator.count=0,training.env.DS_ACCELERATOR=cpu"],
        [*GIVEN, "--set-json", 'estimate.measured={"run":"1","secondsPerStep":2}'],
        [*GIVEN, "--set-json", 'training.deepspeed.config.compile={"deepcompile": true}'],
        [*GIVEN, *RESIZED],
        [*GIVEN, "--sweep", "replicas=1,0,4"],
        ["llama.yaml", "--sweep", "stage=3"],
    ],
)
def test_json_has_the_keys_and_types_of_its_schema(cli: Cli, arguments: list[str]) -> None:
    done = cli("estimate", *arguments, "-o", "json")

    assert (0, "") == (done.code, done.err)
    form = SCHEMA["definitions"]["sweep" if "--sweep" in arguments else "job"]
    jsonschema.validate(json.loads(done.out), {**form, "definitions": SCHEMA["definitions"]})
    jsonschema.validate(json.loads(done.out), SCHEMA)


def test_the_text_has_each_part_with_its_bounds(cli: Cli) -> None:
    done = cli("estimate", *GIVEN)

    lines = done.out.splitlines()
    assert (0, "") == (done.code, done.err)
    assert lines[0] == (
        "llama.yaml: job training/llama: 8.03 billion parameters, 2 workers with 8 x A100-80GB, ZeRO stage 3, bf16"
    )
    assert 6 == sum(line.split() == ["least", "most"] for line in lines)
    assert any(line.startswith("  together") and line.endswith("fits in 80 GiB") for line in lines)
    assert "Not known" not in done.out


def test_a_job_that_resizes_has_the_conversion_and_the_memory_of_fewer_workers(cli: Cli) -> None:
    found, text = data(cli, *RESIZED), cli("estimate", *GIVEN, *RESIZED).out

    peak, fewer = 24 * 8030261248, found["fewer"]
    assert peak < found["checkpoint"]["conversion"]["bytes"] < 1.1 * peak
    assert peak / 2e8 < found["checkpoint"]["conversion"]["seconds"] < 1.1 * peak / 2e8
    assert 2 == fewer["workers"]
    assert found["perAccelerator"]["low"] < fewer["perAccelerator"]["low"]
    assert re.search(r"\n  together +[^\n]+ fits in 80 GiB\n  with 2 workers, after a loss +[^\n]+ 80 GiB\n", text)
    assert re.search(r"\n  conversion for other ranks +194 GiB", text)


def test_what_is_missing_is_named_with_what_it_would_give(cli: Cli) -> None:
    done = cli("estimate", "cifar.yaml")

    assert (0, "") == (done.code, done.err)
    assert "a model of unknown size" in done.out
    assert "\nNot known, and what it would give\n" in done.out
    assert "  estimate.model.parameters  " in done.out


def test_markdown_and_explain(cli: Cli) -> None:
    plain = cli("estimate", *GIVEN, "-o", "markdown").out
    explained = cli("estimate", *GIVEN, "--explain").out

    assert plain.startswith("**job training/llama: 8.03 billion parameters")
    assert 6 == plain.count("| | least | most |")
    assert "= 2 * 8030261248 / 16\n" in explained
    assert "source: ZeRO, arXiv 1910.02054, section 3.1" in explained


def test_the_program_and_the_api_say_the_same(cli: Cli) -> None:
    job = api.load("llama.yaml")

    assert data(cli) == api.estimate(job, "config.json") == api.estimate(job, LLAMA_8B)


def test_the_api_refuses_what_the_program_refuses(llama: Path) -> None:
    with pytest.raises(api.InvalidJobError, match="DS105"):
        api.estimate(api.load(llama, {"workers": {"slots": 0}}))
    with pytest.raises(api.DsgenError, match="model_type is missing"):
        api.estimate(api.load(llama), {})


# -- the model --------------------------------------------------------------------------------------------------------


def test_a_model_is_saved_and_the_rest_of_the_file_stays(cli: Cli, llama: Path) -> None:
    shown = data(cli)

    done = cli("estimate", *GIVEN, "--save")
    again = cli("estimate", "llama.yaml", "-o", "json")

    text = llama.read_text()
    assert (0, True) == (done.code, done.err.startswith("llama.yaml: estimate.model.parameters not set -> 8030261248"))
    assert shown == json.loads(again.out)
    assert LLAMA.replace("zeroInit: true}", "") in text.replace(
        text[text.index("zeroInit: true") : text.index("}\n  accelerator") + 1], ""
    )
    assert "# of a rank" in text
    assert "# SXM" in text
    assert (0, "llama.yaml: nothing to write\n") == (
        cli("estimate", *GIVEN, "--save").code,
        cli("estimate", *GIVEN, "--save").err,
    )


def test_a_section_is_added_with_a_line_for_each_number(cli: Cli, folder: Path) -> None:
    before = (folder / "cifar.yaml").read_text()

    done = cli("estimate", "cifar.yaml", "--model", "config.json", "--save")

    assert 0 == done.code
    assert (folder / "cifar.yaml").read_text().startswith(before)
    added = (folder / "cifar.yaml").read_text().removeprefix(before)
    assert added.startswith("estimate:\n  model:\n    parameters: 8030261248\n")
    assert 0 == cli("validate", "cifar.yaml", "--strict").code


def test_another_model_replaces_all_numbers(cli: Cli, llama: Path) -> None:
    experts = {**LLAMA_8B, "model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2}
    (llama.parent / "experts.json").write_text(json.dumps(experts))
    cli("estimate", "llama.yaml", "--model", "experts.json", "--save")
    assert "experts: 8" in llama.read_text()

    found = data(cli)
    assert 0 == cli("estimate", *GIVEN, "--save").code

    assert 8030261248 == found["parameters"]
    assert "experts: null" in llama.read_text()
    assert found == json.loads(cli("estimate", "llama.yaml", "-o", "json").out)


def test_values_are_saved_too(cli: Cli, llama: Path) -> None:
    done = cli("estimate", "llama.yaml", "--set", f"{STAGE}=2", "--save")

    assert (0, f"llama.yaml: {STAGE} 3 -> 2\n") == (done.code, done.err)
    assert llama.read_text() == LLAMA.replace("{stage: 3}", "{stage: 2}")


@pytest.mark.parametrize(
    "key", ["training.env.A", "training.deepspeed.config", "training.deepspeed.config.zero_optimization", "labels.a"]
)
def test_a_null_that_the_file_cannot_have_is_not_saved(cli: Cli, llama: Path, key: str) -> None:
    """With a flag, null removes a key; in a file it would be refused."""
    before = llama.read_text()
    done = cli("estimate", "llama.yaml", "--set", f"{key}=null", "--save")

    assert (1, before) == (done.code, llama.read_text())
    assert f"--save cannot write {key} into llama.yaml: " in done.err


def test_a_value_of_another_file_is_not_saved(cli: Cli, llama: Path) -> None:
    (llama.parent / "over.yaml").write_text("estimate: {model: {sequence: 1024}}\n")

    done = cli("estimate", "llama.yaml", "-f", "over.yaml", "--set", "estimate.model.sequence=2048", "--save")

    assert 1 == done.code
    assert "--save cannot write estimate.model.sequence into llama.yaml: over.yaml sets it" in done.err
    assert llama.read_text() == LLAMA


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("{", "config.json: this is not JSON"),
        ("[]", "config.json: this is not the config.json of a model"),
        ('{"model_type": "rwkv"}', "config.json: the parameters of model_type rwkv are not known: write estimate."),
    ],
)
def test_a_model_that_cannot_be_counted_is_refused(cli: Cli, llama: Path, config: str, message: str) -> None:
    (llama.parent / "config.json").write_text(config)

    done = cli("estimate", *GIVEN, "--save")

    assert (2, "") == (done.code, done.out)
    assert message in done.err
    assert llama.read_text() == LLAMA


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "give a values file, as in: dsgen estimate cifar.yaml"),
        (("llama.yaml", "--save"), 2, "--save writes the numbers of --model and --measured, and the values of"),
        (("llama.yaml", "--model", "missing.json"), 3, "cannot read missing.json"),
        (("llama.yaml", "--set", "workers.slots=0"), 1, "workers.slots must be at least 1, not 0"),
        (("llama.yaml", "--set", "estimate.network=fast"), 1, 'estimate.network cannot be "fast"'),
        (("llama.yaml", "--explain", "--sweep", "stage=1,2"), 2, "--explain shows one estimate"),
        (("llama.yaml", "--sweep", "stage"), 2, "write a key and its values, as in workers.replicas=1,2,4"),
        (("llama.yaml", "--sweep", "stage=1,,2"), 2, "write a key and its values"),
        (("llama.yaml", "--sweep", "stages=1,2"), 2, "there is no such key; did you mean stage?"),
        (("llama.yaml", "--sweep", "stage=1", "--sweep", f"{STAGE}=2"), 2, "a key can have only one list"),
        (("llama.yaml", "--sweep", f"slots={','.join(map(str, range(1, 400)))}"), 2, "399 combinations, and 256 are"),
        (("-", "--set", "estimate.tokens=1", "--save"), 1, "standard input cannot be written"),
    ],
)
def test_what_is_refused(cli: Cli, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = cli("estimate", *arguments, stdin=LLAMA)

    assert (code, "") == (done.code, done.out)
    assert message in done.err


# -- what makes it fit ------------------------------------------------------------------------------------------------


def test_a_change_that_makes_it_fit_can_be_saved(cli: Cli, llama: Path) -> None:
    cli("estimate", *GIVEN, "--set", f"{STAGE}=1", "--save")
    small = ("--set", "estimate.accelerator.memory=24Gi")
    found = json.loads(cli("estimate", "llama.yaml", *small, "-o", "json").out)
    text = cli("estimate", "llama.yaml", *small).out

    assert found["perAccelerator"]["fits"] is False
    assert found["remedy"]["changes"]
    command = next(line for line in text.splitlines() if line.startswith("  dsgen estimate llama.yaml --set "))
    assert " ".join(small) in command
    done = cli(*command.split()[1:])
    assert 0 == done.code
    held = json.loads(cli("estimate", "llama.yaml", "-o", "json").out)["perAccelerator"]
    assert (True, found["remedy"]["perAccelerator"]["high"]) == (held["fits"], held["high"])
    assert 0 == cli("validate", "llama.yaml").code
    assert "# of a rank" in llama.read_text()


def test_three_commands_lead_from_a_model_to_a_job_that_fits(cli: Cli) -> None:
    """The user knows the length of a sample; the third command is what the second one prints."""
    assert 0 == cli("init", "job.yaml", "--preset", "multi-node-gpu").code
    shown = cli("estimate", "job.yaml", "--model", "config.json", "--set", "estimate.model.sequence=8192", "--save").out
    [command] = [line for line in shown.splitlines() if line.startswith("  dsgen estimate job.yaml --set ")]
    assert 0 == cli(*shlex.split(command)[1:]).code

    assert json.loads(cli("estimate", "job.yaml", "-o", "json").out)["perAccelerator"]["fits"] is True
    assert 0 == cli("validate", "job.yaml", "--strict").code


def test_what_nothing_makes_fit_is_said(cli: Cli) -> None:
    done = cli("estimate", *GIVEN, "--set", "estimate.accelerator.memory=1Gi")

    assert "does not fit in 1 GiB" in done.out
    assert "\nNo change that dsgen tries makes it fit\n" in done.out


# -- sweeps -----------------------------------------------------------------------------------------------------------


def test_a_sweep_is_a_table_with_the_cheapest(cli: Cli) -> None:
    flags = ("--model", "config.json", "--sweep", "workers.replicas=1,2,0", "--sweep", "...stage=0,3")
    done = cli("estimate", "llama.yaml", *flags)
    points = json.loads(cli("estimate", "llama.yaml", *flags, "-o", "json").out)["points"]

    lines = done.out.splitlines()
    assert (0, 7) == (done.code, len(lines))
    assert lines[0].split()[:2] == ["replicas", "stage"]
    assert [line.split()[:2] for line in lines[1:]] == [[replicas, stage] for replicas in "120" for stage in "03"]
    assert 1 == done.out.count("the cheapest that fits")
    assert 2 == done.out.count("refused: workers.replicas must be at least 1, not 0")
    assert {"workers.replicas": "1", STAGE: "3"} == points[1]["settings"]
    assert [one.get("isCheapest") for one in points] == [False, True, False, False, None, None]
    assert points[0]["perAccelerator"]["high"] > 80 * 2**30


def test_a_sweep_without_a_valid_job_fails(cli: Cli) -> None:
    done = cli("estimate", "llama.yaml", "--sweep", "replicas=0")

    assert 1 == done.code
    assert "refused: " in done.out


# -- pictures ---------------------------------------------------------------------------------------------------------


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter() if element.tag.endswith("text")]


def test_the_picture_has_a_bar_for_each_item(cli: Cli) -> None:
    svg = cli("estimate", *GIVEN, "-o", "svg").out
    items = data(cli)["perAccelerator"]["items"]

    bars = [element for element in ET.fromstring(svg).iter() if element.tag.endswith("rect") and len(element)]
    widths = [float(bar.get("width", 0)) for bar in bars if bar.get("y") == bars[-1].get("y")]
    highs = [one["high"] for one in items]
    assert [width / sum(widths) for width in widths] == pytest.approx(
        [high / sum(highs) for high in highs if high > 5e7], abs=0.01
    )
    assert {one["name"] for one in items} < {*texts(svg)}
    assert "the accelerator has 80 GiB" in texts(svg)
    assert "prefers-color-scheme: dark" in svg


def test_the_picture_of_a_job_that_does_not_fit_says_so(cli: Cli) -> None:
    flags = ("--set", "estimate.model.parameters=8000000000", "--set", "estimate.accelerator.memory=4Gi")

    done = cli("estimate", "llama.yaml", *flags, "-o", "svg")

    assert (0, "") == (done.code, done.err)
    assert any("does not fit in 4 GiB" in text for text in texts(done.out))


def test_the_picture_of_a_job_without_numbers_says_what_is_missing(cli: Cli) -> None:
    shown = texts(cli("estimate", "cifar.yaml", "-o", "svg").out)

    assert "The memory of an accelerator is not known. What is missing:" in shown
    assert any(text.startswith("estimate.model.parameters: ") for text in shown)


MEASURED = 'estimate.measured={"run": "1", "secondsPerStep": 4, "memory": "100Gi"}'


def test_an_estimate_says_how_far_it_is_from_what_a_run_has_measured(cli: Cli) -> None:
    done = cli("estimate", *GIVEN, "--set-json", MEASURED)
    rows = done.out.partition("\nBeside what run 1 has measured\n")[2].splitlines()

    assert 0 == done.code
    assert rows[1].lstrip().startswith("time of a step")
    assert "measured 100 GiB: too low by " in next(row for row in rows if "memory of an accelerator" in row)


def test_what_a_run_has_measured_is_saved_and_shown_later(cli: Cli) -> None:
    assert 0 == cli("estimate", *GIVEN, "--set-json", MEASURED, "--save").code

    later = json.loads(cli("estimate", "llama.yaml", "-o", "json").out)["measured"]

    assert "1" == later["run"]
    assert 4 == next(one["measured"] for one in later["items"] if one["name"] == "time of a step")
