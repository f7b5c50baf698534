"""Checkpoints that real DeepSpeed writes on CPUs, continued with other numbers of ranks.

The tests need a Python with torch and DeepSpeed, which DSGEN_TEST_DEEPSPEED names, and take several minutes.
DSGEN_TEST_SEQUENCES is the number of random sequences (default: 1).
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = ROOT / "dsgen" / "scripts"
PROGRAM = Path(__file__).parent / "train.py"
TRAINER_PROGRAM = Path(__file__).parent / "train_with_trainer.py"
SIZES = ((4, 5), (2, 10), (3, 15), (4, 20))  # ranks, and the step at which they end
AUTO = dict.fromkeys(("lr", "betas", "eps", "weight_decay"), "auto")  # as the Trainer's arguments have them
CONFIGURED = {"type": "AdamW", "params": {**AUTO, "torch_adam": True}}
SCHEDULER = {"total_num_steps": 40, "warmup_num_steps": 4, "warmup_max_lr": 0.01}


def python() -> str:
    found = os.environ.get("DSGEN_TEST_DEEPSPEED", "")
    if not found and os.environ.get("CI") != "true":
        reason = "DeepSpeed missing: set DSGEN_TEST_DEEPSPEED to a Python that has torch and deepspeed"
        pytest.skip(reason)  # a laptop without DeepSpeed; CI fails below
    assert found
    return found


class Training:
    """A folder of checkpoints, and the files of a worker that are below DSGEN_ROOT."""

    def __init__(self, root: Path, stage: int, dtype: str = "fp32", kind: str = "plain") -> None:
        self.python, self.root, self.kind = python(), root, kind
        self.checkpoints, config = root / "checkpoints", root / "etc/dsgen/shared"
        for folder in (self.checkpoints, config, root / "job", root / "run/dsgen"):
            folder.mkdir(parents=True)
        from tests.scripts.conftest import run_config

        settings = json.loads(run_config()["settings.json"])
        self.settings = {**settings, "resizeCheckpoint": str(self.checkpoints), "resizeConfig": "/job/ds_config.json"}
        (config / "settings.json").write_text(json.dumps(self.settings))
        words = {"program": [self.python, "-u", "train.py"], "arguments": []}
        (config / "command.json").write_text(json.dumps(words))
        self.configure(stage, dtype)

    def configure(self, stage: int, dtype: str = "fp32") -> None:
        configuration = {
            "train_batch_size": 24,
            "zero_optimization": {"stage": stage},
            "zero_allow_untested_optimizer": True,
            "bf16": {"enabled": dtype == "bf16"},
            "gradient_clipping": 1.0,
            "scheduler": {"type": "WarmupDecayLR", "params": SCHEDULER},
        }
        (self.root / "job/ds_config.json").write_text(json.dumps(configuration))

    def train(self, ranks: int, until: int, report: dict[str, Any] | None = None, *more: str) -> dict[int, float]:
        """Train up to a step; the losses of the steps."""
        path = (report or {}).get("configuration") or self.root / "job/ds_config.json"
        start = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(ranks)]
        given = ["--kind", self.kind, "--checkpoints", self.checkpoints, "--until", str(until), *more]
        program = [PROGRAM, *given, "--deepspeed", "--deepspeed_config", path]
        if self.kind == "trainer":
            program = [TRAINER_PROGRAM, self.checkpoints, str(until), path, *more]
        command = [self.python, *start, *program]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PATH": f"{Path(self.python).parent}:{os.environ['PATH']}"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"step"')]
        return {line["step"]: line["loss"] for line in lines}

    def start_preparing(self, ranks: int) -> "subprocess.Popen[str]":
        command = [sys.executable, "-ESs", SCRIPTS / "shared/run.py", SCRIPTS / "worker/resize.py", "TOKEN", str(ranks)]
        environment = {**os.environ, "DSGEN_ROOT": str(self.root)}
        return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)

    def prepare(self, ranks: int) -> dict[str, Any]:
        """The last report of worker/resize.py."""
        _, said = self.start_preparing(ranks).communicate()
        lines = [line for line in said.splitlines() if line.startswith("TOKEN dsgen-resize ")]
        report: dict[str, Any] = json.loads(lines[-1].partition("dsgen-resize ")[2])
        return report

    def kill_preparation(self, ranks: int) -> None:
        """Kill worker/resize.py in the middle of a conversion, if it makes one."""
        with self.start_preparing(ranks) as process:
            while process.poll() is None and not list(self.checkpoints.glob(".dsgen-universal.*/*/tmp")):
                time.sleep(0.01)
            process.kill()  # the converter goes on, in a session of its own

    def conversions(self) -> list[Path]:
        return sorted(self.checkpoints.glob(".dsgen-universal.*"))

    def allow_frozen(self) -> None:
        path = self.root / "etc/dsgen/shared/settings.json"
        path.write_text(json.dumps({**self.settings, "resizeLoadsFrozen": True}))


def trainer(root: Path, stage: int, optimizer: dict[str, Any] | None = None) -> Training:
    """A training by the Hugging Face Trainer, whose arguments have the batch and the options of the optimizer.

    Without an optimizer in the configuration, the Trainer makes one with two parameter groups.
    """
    tried = subprocess.run([python(), "-c", "import transformers, accelerate"], check=False, capture_output=True)
    if tried.returncode and os.environ.get("CI") != "true":
        reason = "transformers missing: install transformers and accelerate beside DSGEN_TEST_DEEPSPEED's deepspeed"
        pytest.skip(reason)  # a laptop without the Trainer; CI fails below
    assert not tried.returncode, tried.stderr
    training = Training(root, stage, kind="trainer")
    configuration = {
        **dict.fromkeys(("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"), "auto"),
        "zero_optimization": {"stage": stage},
        "zero_allow_untested_optimizer": True,
        **({"optimizer": optimizer} if optimizer else {}),
    }
    (root / "job/ds_config.json").write_text(json.dumps(configuration))
    return training


@pytest.fixture
def saved(tmp_path: Path) -> Training:
    """A checkpoint of step 5 that 2 ranks of stage 2 have saved."""
    training = Training(tmp_path, stage=2)
    training.train(2, 5)
    return training


def difference(losses: dict[int, float], expected: dict[int, float]) -> float:
    """The largest relative difference."""
    assert sorted(losses) == sorted(expected)
    return max(abs(loss - expected[step]) / expected[step] for step, loss in losses.items())


@pytest.mark.parametrize(("dtype", "limit"), [("fp32", 1e-6), ("bf16", 5e-3)])
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_losses_are_those_of_the_uninterrupted_training(tmp_path: Path, stage: int, dtype: str, limit: float) -> None:
    expected = Training(tmp_path / "whole", stage, dtype).train(4, 20)
    training, losses = Training(tmp_path / "parts", stage, dtype), {}

    for ranks, until in SIZES:
        losses.update(training.train(ranks, until, training.prepare(ranks)))

    assert difference(losses, expected) < limit


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_the_trainer_continues_with_the_losses_of_the_uninterrupted_training(tmp_path: Path, stage: int) -> None:
    """In stage 3 with the optimizer of the configuration, which has one parameter group."""
    optimizer = CONFIGURED if stage == 3 else None
    expected = trainer(tmp_path / "whole", stage, optimizer).train(4, 15)
    training, losses = trainer(tmp_path / "parts", stage, optimizer), {}

    for ranks, until in SIZES[:3]:
        losses.update(training.train(ranks, until, training.prepare(ranks)))

    assert difference(losses, expected) < 1e-6


@pytest.mark.parametrize(("decay", "words"), [("0.1", "differ in weight_decay"), ("0", "count their steps together")])
def test_the_trainer_s_own_optimizer_is_refused_in_stage_3(tmp_path: Path, decay: str, words: str) -> None:
    training = trainer(tmp_path, 3)
    training.train(2, 5, None, decay)

    report = training.prepare(3)

    assert "refused" == report["result"]
    assert words in report["message"]


@pytest.mark.parametrize("stage", [1, 2])
def test_different_parameter_groups_continue_below_stage_3(tmp_path: Path, stage: int) -> None:
    expected = Training(tmp_path / "whole", stage, kind="groups").train(2, 10)
    training = Training(tmp_path / "parts", stage, kind="groups")
    losses = training.train(2, 5)

    losses.update(training.train(3, 10, training.prepare(3)))

    assert difference(losses, expected) < 1e-6


def test_the_next_attempt_of_the_new_size_takes_its_own_checkpoint(saved: Training) -> None:
    losses = saved.train(3, 10, saved.prepare(3))

    report = saved.prepare(3)
    losses.update(saved.train(3, 15, report))

    assert {"result": "nothing"} == report
    assert list(range(5, 15)) == sorted(losses)
    assert [] == saved.conversions()
    assert not (saved.checkpoints / "latest_universal").exists()


def test_an_attempt_that_saves_nothing_is_repeated_from_the_same_conversion(saved: Training) -> None:
    first = saved.prepare(3)
    written = [path.stat().st_mtime_ns for path in saved.conversions()[0].rglob("*.pt")]

    second = saved.prepare(3)

    assert first == second
    assert written == [path.stat().st_mtime_ns for path in saved.conversions()[0].rglob("*.pt")]


def test_back_to_the_first_size_before_a_save_loads_the_original(saved: Training) -> None:
    saved.prepare(3)

    report = saved.prepare(2)

    assert {"result": "nothing"} == report
    assert [5, 6] == sorted(saved.train(2, 7, report))


def test_an_older_conversion_is_never_taken_for_a_newer_checkpoint(saved: Training) -> None:
    saved.prepare(3)
    saved.train(2, 10)

    losses = saved.train(3, 12, saved.prepare(3))

    assert [10, 11] == sorted(losses)
    assert 1 == len(saved.conversions())


def test_a_killed_conversion_is_not_used_and_its_remains_are_removed(saved: Training) -> None:
    saved.kill_preparation(3)
    killed = saved.conversions()

    pointer = (saved.checkpoints / "latest_universal").exists()
    report = saved.prepare(3)

    assert 1 == len(killed)
    assert not pointer
    assert [5] == sorted(saved.train(3, 6, report))
    assert 1 == len(saved.conversions())
    assert killed != saved.conversions()


@pytest.mark.parametrize("seed", range(int(os.environ.get("DSGEN_TEST_SEQUENCES", "1"))))
def test_a_random_sequence_of_sizes_ends_and_saves_gives_the_same_losses(tmp_path: Path, seed: int) -> None:
    """An attempt ends before or after a checkpoint, which is saved each five steps; some conversions are killed."""
    drawn = random.Random(seed)
    stage = drawn.choice((1, 2, 3))
    expected = Training(tmp_path / "whole", stage).train(4, 12)
    training, losses, until = Training(tmp_path / "parts", stage), dict[int, float](), 0

    while until < 12:
        ranks, until = drawn.choice((1, 2, 3, 4)), min(12, until + drawn.choice((2, 3, 5)))
        if drawn.random() < 0.4:
            training.kill_preparation(ranks)
        losses.update(training.train(ranks, until, training.prepare(ranks)))

    assert difference(losses, expected) < 1e-6


def test_files_of_ranks_that_no_longer_exist_are_left_out(tmp_path: Path) -> None:
    expected = Training(tmp_path / "whole", 2).train(2, 15)
    training = Training(tmp_path / "parts", 2)
    losses = training.train(4, 5, None, "--same-tag")
    losses.update(training.train(2, 10, training.prepare(2), "--same-tag"))
    shards = list((training.checkpoints / "same").glob("*optim_states.pt"))

    losses.update(training.train(3, 15, training.prepare(3), "--same-tag"))

    assert 4 == len(shards)
    assert difference(losses, expected) < 1e-6


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_frozen_parameters_continue_if_the_program_loads_them(tmp_path: Path, stage: int) -> None:
    expected = Training(tmp_path / "whole", stage, kind="frozen").train(2, 10)
    training = Training(tmp_path / "parts", stage, kind="frozen")
    losses = training.train(2, 5)
    refused = training.prepare(3)
    training.allow_frozen()

    losses.update(training.train(3, 10, training.prepare(3)))  # they are the same in each start, by the seed

    assert "refused" == refused["result"]
    assert difference(losses, expected) < 1e-6


@pytest.mark.needs("root")
def test_a_full_disk_is_refused_before_the_conversion(saved: Training) -> None:
    small = saved.root / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", small], check=True)
    try:
        shutil.copytree(saved.checkpoints, small / "c")
        saved.settings["resizeCheckpoint"] = str(small / "c")
        (saved.root / "etc/dsgen/shared/settings.json").write_text(json.dumps(saved.settings))

        report = saved.prepare(3)
    finally:
        subprocess.run(["umount", small], check=True)

    assert "refused" == report["result"]
    assert "the conversion needs 0.00 GiB" in report["message"]


def test_stage_1_continues_what_stage_2_has_saved(saved: Training) -> None:
    saved.configure(1)

    assert [5, 6] == sorted(saved.train(3, 7, saved.prepare(3)))
