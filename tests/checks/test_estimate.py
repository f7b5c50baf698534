"""What does not fit, by the section estimate: the hints are changes that fit and validate."""

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

import dsgen
from dsgen import api, forecasts, values
from dsgen.compiler.rules import BASE, Case
from dsgen.estimate import report
from dsgen.estimate.changes import ZERO
from dsgen.estimate.forecast import RESERVED_SECONDS
from dsgen.estimate.inputs import collect_numbers
from dsgen.estimate.parameters import make_model as parameters_of
from dsgen.problems import Diagnostic
from dsgen.reading.nodes import SourceText
from tests import hints
from tests.base import WRONG, job, parameters
from tests.cli.conftest import Cli
from tests.estimate.jobs import LLAMA_8B

CASES = [(id_, case) for id_, case in WRONG if "DS400" < id_ < "DS409"]
OTHERWISE = ("no smaller micro batch", "use a faster network")
"""How a hint begins where no change helps."""
CONFIG: dict[str, Any] = {
    "train_micro_batch_size_per_gpu": 1,
    "bf16": {"enabled": True},
    "optimizer": {"type": "AdamW"},
    "zero_optimization": {"stage": 3},
}


def problems(data: Case) -> list[Diagnostic]:
    text = yaml.safe_dump(data, sort_keys=False)
    return values.load([SourceText("v.yaml", text)]).problems()


def whole(case: Case) -> Case:
    """The base job with a case."""
    merged: Case = job(case).root.as_data()
    return merged


def seven(limit: str, memory: str, **more: Any) -> Case:
    """A model of 7 billion parameters whose states may be offloaded into this much memory."""
    return {
        "workers": {"slots": 8, "resources": {"requests": {"cpu": 64}, "limits": {"memory": limit}}},
        "training": {"deepspeed": {"config": CONFIG}},
        "estimate": {"model": {"parameters": 7_000_000_000, **more}, "accelerator": {"memory": memory}},
    }


@pytest.mark.parametrize(("id_", "case"), parameters(CASES))
def test_a_hint_that_is_applied_mends_the_problem_and_validates(id_: str, case: Case) -> None:
    data = whole(case)
    [problem] = [one for one in problems(data) if one.id == id_]
    if problem.hint.startswith(OTHERWISE):
        return

    changed = copy.deepcopy(data)
    assert hints.apply(changed, problem, {})

    assert changed != data
    assert [] == [one.id for one in problems(changed) if one.id == id_ or one.severity == "error"]


def test_most_problems_have_a_change_as_a_hint() -> None:
    found = [one for id_, case in CASES for one in problems(whole(case)) if one.id == id_]

    assert len(CASES) == len(found)
    assert {"DS401", "DS407"} == {one.id for one in found if one.hint.startswith(OTHERWISE)}
    assert 4 >= len([one for one in found if one.hint.startswith(OTHERWISE)])


def test_a_problem_points_at_the_key_that_its_hint_changes_first(folder: Path, cli: Cli) -> None:
    text = f"{BASE.replace('train.py}', f'train.py, deepspeed: {{config: {json.dumps(CONFIG)}}}}}')}"
    text += "workers: {slots: 8, resources: {requests: {cpu: 8, memory: 400Gi}}}\n"
    text += "estimate: {model: {parameters: 70e9, optimizer: AdamW}, accelerator: {memory: 40Gi}}\n"
    (folder / "v.yaml").write_text(text)

    done = cli("validate", "v.yaml")

    key = "training.deepspeed.config.zero_optimization.offload_optimizer"
    assert 1 == done.code
    assert f": error: {key}: an accelerator needs " in done.err
    assert f"\n  hint: set {key}.device: cpu; an accelerator then needs " in done.err
    column = text.splitlines()[3].index('"zero_optimization"') + 1
    assert f"v.yaml:4:{column}" == done.err.split(": error:")[0]


def test_states_are_not_offloaded_into_memory_that_a_worker_does_not_have() -> None:
    small, large = (problems(whole(seven(limit, "16Gi"))) for limit in ("64Gi", "512Gi"))

    assert ["set workers.replicas"] == [one.hint.partition(":")[0] for one in small if one.id == "DS401"]
    offload = f"set {'.'.join(ZERO)}.offload_optimizer.device"
    assert [offload] == [one.hint.partition(":")[0] for one in large if one.id == "DS401"]


def test_a_change_that_other_checks_refuse_is_not_proposed() -> None:
    """A claim that one pod can use refuses a second worker."""
    case = seven("64Gi", "16Gi")
    one_pod = {"a": {"mountPath": "/a", "mountIn": "workers", "create": {"accessModes": ["ReadWriteOncePod"]}}}

    [problem] = [one for one in problems(whole({**case, "storage": one_pod})) if one.id == "DS401"]

    assert "workers.replicas" not in problem.hint


def test_another_error_does_not_hide_the_change() -> None:
    data = whole(seven("512Gi", "16Gi")) | {"image": {}}
    found = {one.id: one for one in problems(data)}

    assert {"DS201", "DS401"} <= found.keys()
    assert found["DS401"].hint.startswith("set training.deepspeed.config.zero_optimization.offload_optimizer")


@pytest.mark.parametrize(
    "line",
    [
        "workers: {slots: eight}",
        "workers: {slots: 8, replicas: -1}",
        "estimate: {model: {parameters: 7e9}, accelerator: {memory: 16}}",
        "training: {python: train.py, deepspeed: {config: [1]}}",
    ],
)
def test_nothing_is_said_of_values_that_must_be_corrected_first(line: str) -> None:
    data = whole(seven("64Gi", "16Gi"))
    for key, value in yaml.safe_load(line).items():
        data[key] = {**data[key], **value}
    text = yaml.safe_dump(data, sort_keys=False)

    found = values.load([SourceText("v.yaml", text)]).problems()

    assert [one.id for one in found if one.id.startswith("DS1")]
    assert [] == [one.id for one in found if one.id.startswith("DS4")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "1a"},
        {"launcher": {"initContainers": [None]}, "security": {"podSecurityLevel": "restricted"}},
    ],
)
def test_a_change_is_tried_while_other_values_must_be_corrected(wrong: dict[str, Any]) -> None:
    data = whole(seven("64Gi", "16Gi"))
    for key, value in wrong.items():
        data[key] = {**data.get(key, {}), **value} if isinstance(value, dict) else value
    data["training"]["deepspeed"]["args"] = ["--no_local_rank"]

    found = [one.id for one in problems(data)]

    assert "DS401" in found
    assert [one for one in found if one.startswith("DS1")]


def test_the_numbers_of_the_model_replace_the_least_that_any_model_needs() -> None:
    """DS383 counts a model of a billion parameters."""
    config = {**CONFIG, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}
    case = {"training": {"deepspeed": {"config": config}}, "workers": {"resources": {"requests": {"memory": "3Gi"}}}}

    unknown = [one.id for one in problems(whole(case))]
    tiny = [one.id for one in problems(whole({**case, "estimate": {"model": {"parameters": 1_000_000}}}))]
    seven_ = [one.id for one in problems(whole({**case, "estimate": {"model": {"parameters": 7_000_000_000}}}))]

    assert (["DS383"], [], ["DS404"]) == (unknown, tiny, seven_)


def test_a_program_whose_batch_is_only_described_gets_the_change_there() -> None:
    auto = {**CONFIG, "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto"}
    case = next(case for id_, case in CASES if id_ == "DS402" and "microBatch" not in str(case))
    model = {**case["estimate"]["model"], "microBatch": 32, "accumulation": 1}
    estimate = {"model": model, "accelerator": {"memory": "60Gi"}}

    found = problems(whole({**case, "training": {"deepspeed": {"config": auto}}, "estimate": estimate}))

    [problem] = [one for one in found if one.id in ("DS401", "DS402")]
    assert ("estimate", "model", "microBatch") == problem.path
    assert problem.hint.startswith("set estimate.model.microBatch: 8, estimate.model.accumulation: 4; estimate.model ")


# -- the command and the checks say the same --------------------------------------------------------------------------


def random_case(random: Random) -> Case:
    """A job of a Llama model with values at random."""
    sizes = {"num_hidden_layers": [8, 32, 80], "hidden_size": [1024, 8192], "vocab_size": [32000, 128256]}
    model = parameters_of({**LLAMA_8B, **{key: random.choice(some) for key, some in sizes.items()}})
    section: dict[str, Any] = {key.rpartition(".")[2]: number for key, number in collect_numbers(model).items()}
    section |= {"sequence": random.choice([512, 4096, 16384]), "recompute": random.choice(["none", "full"])}
    section |= random.choice([{}, {"attention": "flash", "kernels": "fused", "loss": "tiled"}])
    zero: dict[str, Any] = {"stage": random.randrange(4)}
    zero |= random.choice([{}, {}, {"offload_optimizer": {"device": "cpu"}}])
    config = {"bf16": {"enabled": True}, "optimizer": {"type": "AdamW"}, "zero_optimization": zero}
    config |= random.choice([{}, {}, {"tensor_parallel": {"autotp_size": 2}}])
    if random.random() < 0.3:
        section |= {"microBatch": random.choice([1, 8]), "accumulation": 2}
        config |= {"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto"}
    else:
        config |= {"train_micro_batch_size_per_gpu": random.choice([1, 3, 16])}
    limits = random.choice([{}, {"memory": "64Gi"}, {"memory": "2000Gi"}])
    return {
        "training": {"deepspeed": {"config": config}},
        "workers": {
            "replicas": random.choice([1, 2, 4]),
            "slots": random.choice([1, 8]),
            "resources": {"requests": {"cpu": 8}, "limits": limits},
        },
        "estimate": {"model": section, "accelerator": {"memory": random.choice(["16Gi", "40Gi", "80Gi"])}},
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_the_remedy_of_the_command_is_the_hint_of_the_check(seed: int) -> None:
    random, hinted = Random(seed), 0
    for _ in range(6):
        loaded = values.load([SourceText("v.yaml", yaml.safe_dump(whole(random_case(random)), sort_keys=False))])
        found = [one for one in loaded.problems() if one.id in ("DS401", "DS402")]
        remedy = api.estimate(loaded)["remedy"]

        if remedy:
            words = ", ".join(f"{key}: {value}" for key, value in remedy["set"].items())
            assert [True] == [one.hint.startswith(f"set {words};") for one in found], (words, found)
            hinted += 1
        else:
            assert [] == [one.hint for one in found if not one.hint.startswith(OTHERWISE)]
    assert hinted


@pytest.mark.parametrize(("bandwidth", "verdict"), [("3G", "enough"), ("2.1G", "too short")])
def test_one_rule_says_whether_there_is_time_to_save(bandwidth: str, verdict: str) -> None:
    """A checkpoint of 98 GB in 33 s or in 47 s; of the grace period of 60 s, a training gets 40 s."""
    estimate = {"model": {"parameters": 7_000_000_000}, "checkpoints": {"bandwidth": bandwidth}}
    data = whole({"training": {"deepspeed": {"config": CONFIG}}, "estimate": estimate})
    data["training"]["deepspeed"]["config"] = {**CONFIG, "zero_optimization": {"stage": 2}}
    loaded = values.load([SourceText("v.yaml", yaml.safe_dump(data))])
    needs = forecasts.forecast_job(loaded)
    text = "\n".join(report.format_tables(report.make_tables(needs.setup, needs.estimate, needs.limits)))

    assert f"terminationGracePeriodSeconds gives a training 40 s: {verdict}" in text
    assert (verdict != "enough") == ("DS406" in {one.id for one in loaded.problems()})


def test_the_time_to_save_is_what_the_worker_leaves() -> None:
    text = (Path(dsgen.__file__).parent / "scripts" / "worker" / "exit.py").read_text()

    assert f"\nRESERVED_SECONDS = {RESERVED_SECONDS}  # of the grace period" in text
