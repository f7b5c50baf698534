"""What is read from checkpoints of DeepSpeed 0.19.8, and which of them are continued with another number of ranks.

tests/data/checkpoints.tar.xz has the files that DeepSpeed has written, without the numbers of tensors (reduce.py).
"""

import json
import pickle
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from shared import methods, settings
from tests.resize.reduce import unpack
from tests.scripts.conftest import run_config
from worker import end_ranks, resize
from worker.checkpoint import UnusableCheckpointError, Wanted, explain_refusal, inspect, read


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder with all checkpoints."""
    unpack(tmp_path)
    return tmp_path


def wanted(stage: int, loads_frozen: bool = False) -> Wanted:
    return Wanted(3, stage, loads_frozen)


def reason(folder: Path, stage: int, loads_frozen: bool = False) -> str:
    found = inspect(folder)
    assert found
    return explain_refusal(found, wanted(stage, loads_frozen))


CONTINUED = ("plain-1", "plain-2", "plain-3", "bf16-1", "bf16-2", "bf16-3", "groups-1", "groups-2")
REFUSED = {
    "frozen": "frozen parameters are not converted: 2.bias, 2.weight",
    "buffers": "buffers are not converted: 2.num_batches_tracked, 2.running_mean, 2.running_var",
    "sgd": "its optimizer keeps momentum_buffer; only the state of Adam and AdamW is converted",
    "adagrad": "its optimizer keeps step, sum; only the state of Adam and AdamW is converted",
    "amsgrad": "its optimizer keeps exp_avg, exp_avg_sq, max_exp_avg_sq and 1 more",
    "experts": "it has experts (DeepSpeed MoE), which are not converted",
    "equal-3": "DeepSpeed would count their steps together",
    "groups-3": "its parameter groups differ in weight_decay, and with stage 3 all would get the options of the first",
}


@pytest.mark.parametrize("name", CONTINUED)
def test_these_are_continued(saved: Path, name: str) -> None:
    found = inspect(saved / name)

    assert found
    assert "" == reason(saved / name, found.stage)
    assert int(name[-1]) == found.stage
    assert 9610 == sum(found.parameters.values())
    assert ["0.bias", "0.weight", "3.bias", "3.weight"] == sorted(found.parameters)
    assert (4 if name[:4] in ("plai", "bf16") else 2) == found.ranks
    assert "0.19.8" == found.version


def test_every_other_one_is_refused_with_its_reason(saved: Path) -> None:
    names = {path.parent.name for path in saved.glob("*/latest")} - {*CONTINUED, "plain-0"}

    expected = {name: REFUSED.get(name) or REFUSED[name.partition("-")[0]] for name in names}
    reasons = {name: reason(saved / name, int(name[-1])) for name in names}

    assert len(names) > 12
    assert {} == {name: said for name, said in reasons.items() if expected[name] not in said}


def test_frozen_parameters_and_buffers_are_allowed_if_the_program_loads_them(saved: Path) -> None:
    names = [f"{kind}-{stage}" for kind in ("frozen", "buffers") for stage in (1, 2, 3)]

    assert [""] * 6 == [reason(saved / name, int(name[-1]), loads_frozen=True) for name in names]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"states": ["exp_avg_sq_col", "exp_avg_sq_row", "step"]}, "only the state of Adam and AdamW is converted"),
        ({"states": []}, "its optimizer keeps no state"),
        ({"parallel": 2}, "2 ranks share a copy of the model (a pipeline, or tensor parallelism)"),
    ],
    ids=["adafactor", "no state", "tensor parallelism"],
)
def test_what_no_checkpoint_here_has_is_refused(saved: Path, changed: dict[str, Any], words: str) -> None:
    found = inspect(saved / "plain-2")
    assert found

    assert words in explain_refusal(found._replace(**changed), wanted(2))


def test_parts_of_a_model_that_is_split_are_counted(saved: Path) -> None:
    folder = saved / "plain-2" / "global_step2"
    for path in list(folder.glob("*mp_rank_00*")):
        shutil.copy(path, folder / path.name.replace("mp_rank_00", "mp_rank_01"))

    found = inspect(saved / "plain-2")

    assert found
    assert (8, 2) == (found.ranks, found.parallel)


@pytest.mark.parametrize(
    ("name", "stage", "words"), [("plain-2", 1, ""), ("plain-2", 3, "stage 3 cannot"), ("plain-3", 2, "stage 2 cannot")]
)
def test_stages_1_and_2_read_each_other(saved: Path, name: str, stage: int, words: str) -> None:
    assert bool(words) == bool(reason(saved / name, stage))
    assert words in reason(saved / name, stage)


def test_what_is_not_divided_needs_no_conversion(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()

    assert inspect(saved / "plain-0") is None
    assert inspect(tmp_path / "torch") is None
    assert inspect(tmp_path / "missing") is None


def test_the_trainer_continues_from_its_highest_checkpoint(saved: Path) -> None:
    for number, name in ((9, "plain-2"), (10, "bf16-2")):
        shutil.copytree(saved / name, saved / "out" / f"checkpoint-{number}")
    (saved / "out" / "checkpoint-11").mkdir()  # it has no optimizer

    found = inspect(saved / "out")

    assert found
    assert saved / "out" / "checkpoint-10" == found.folder


def test_older_versions_of_deepspeed_are_refused(saved: Path) -> None:
    found = inspect(saved / "plain-2")
    assert found

    reasons = [explain_refusal(found._replace(version=version), wanted(2)) for version in ("0.17.6", "0.18", "1.0")]

    assert [True, False, False] == [bool(words) for words in reasons]


def test_a_missing_file_is_named(saved: Path) -> None:
    (saved / "plain-3/global_step2/zero_pp_rank_2_mp_rank_00_model_states.pt").unlink()
    (saved / "plain-2/global_step2/zero_pp_rank_3_mp_rank_00_optim_states.pt").unlink()

    for name, words in (("plain-3", "rank_2_mp_rank_00_model_states.pt is"), ("plain-2", "rank_3_mp_rank_00_optim")):
        with pytest.raises(UnusableCheckpointError, match=words):
            inspect(saved / name)


def test_a_truncated_file_is_named(saved: Path) -> None:
    path = saved / "plain-2/global_step2/zero_pp_rank_1_mp_rank_00_optim_states.pt"
    path.write_bytes(path.read_bytes()[:-30])

    with pytest.raises(UnusableCheckpointError, match=r"rank_1_mp_rank_00_optim_states[.]pt cannot"):
        inspect(saved / "plain-2")


def test_a_tag_that_does_not_exist_is_named(saved: Path) -> None:
    (saved / "plain-2/latest").write_text("global_step9\n")

    with pytest.raises(UnusableCheckpointError, match="names global_step9, which does not exist"):
        inspect(saved / "plain-2")


@pytest.mark.parametrize("tag", ["../groups-2/global_step2", "a/../../groups-2/global_step2", "/", "..", ".", "\n"])
def test_a_tag_outside_of_the_folder_is_refused(saved: Path, tag: str) -> None:
    """A conversion is written to a folder of the same name, and what is in its place is removed."""
    (saved / "plain-2/latest").write_text(tag)

    with pytest.raises(UnusableCheckpointError, match="which is no folder beside it"):
        inspect(saved / "plain-2")


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1 << 60, r"zero_pp_rank_2_mp_rank_00_optim_states[.]pt is missing"),
        ([1 << 60, 2], r"zero_pp_rank_2_mp_rank_00_optim_states[.]pt is missing"),
        (0, "has 0 partitions"),
        (-1, "has -1 partitions"),
        ("9" * 5000, "no number"),
        ([], "no number"),
        (float("inf"), "no number"),
    ],
)
def test_a_number_of_partitions_that_cannot_be_is_refused(tmp_path: Path, count: object, words: str) -> None:
    (tmp_path / "latest").write_text("t")
    (tmp_path / "t").mkdir()
    state = {"zero_stage": 2, "partition_count": count}
    for rank in (0, 1):
        with zipfile.ZipFile(tmp_path / f"t/zero_pp_rank_{rank}_mp_rank_00_optim_states.pt", "w") as archive:
            archive.writestr("a/data.pkl", pickle.dumps({"optimizer_state_dict": state}))

    with pytest.raises(UnusableCheckpointError, match=words):
        inspect(tmp_path)


def test_files_of_another_number_of_ranks_are_left_out(saved: Path) -> None:
    for rank in (0, 1):
        name = f"global_step2/zero_pp_rank_{rank}_mp_rank_00_optim_states.pt"
        shutil.copy(saved / "groups-2" / name, saved / "plain-2" / name)

    found = inspect(saved / "plain-2")

    assert found
    assert 2 == found.ranks
    assert ["rank_0", "rank_1"] == [path.name[8:14] for path in found.files[:-1]]


def test_nothing_of_a_file_is_executed(tmp_path: Path) -> None:
    class Harmful:
        def __reduce__(self) -> tuple[object, ...]:
            return Path.touch, (tmp_path / "touched",)

    with zipfile.ZipFile(tmp_path / "a.pt", "w") as archive:
        archive.writestr("a/data.pkl", pickle.dumps({"a": Harmful()}))

    content = read(tmp_path / "a.pt")

    assert ["a"] == list(content)
    assert not (tmp_path / "touched").exists()


ENUM = b"cdeepspeed.runtime.zero.config\nZeroStageEnum\n"


@pytest.mark.parametrize(
    "value", [ENUM + b"(I2\ntR", b"c__builtin__\ngetattr\n(" + ENUM + b"Vgradients\ntR"], ids=["3.12", "3.11.2"]
)
def test_a_stage_is_read_as_each_python_writes_it(tmp_path: Path, value: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as archive:
        archive.writestr("a/data.pkl", b"(dVzero_stage\n" + value + b"s.")

    assert {"zero_stage": 2} == read(tmp_path / "a.pt")


@pytest.fixture
def prepared(saved: Path, monkeypatch: pytest.MonkeyPatch) -> resize.Resize:
    """The decision about plain-2 for 2 ranks."""
    (saved / "job").mkdir()
    (saved / "job/ds_config.json").write_text(json.dumps({"zero_optimization": {"stage": 2}}))
    monkeypatch.setattr(settings, "ROOT", saved)
    given = json.loads(run_config()["settings.json"])
    given |= {"resizeCheckpoint": str(saved / "plain-2"), "resizeConfig": "/job/ds_config.json"}
    (saved / "settings.json").write_text(json.dumps(given))
    return resize.Resize(settings.load(saved / "settings.json"), 4, lambda _: None)


def test_nothing_is_left_of_a_conversion_when_the_size_is_equal(prepared: resize.Resize) -> None:
    left = prepared.root / f"{resize.PREFIX}x"
    left.mkdir()
    (prepared.root / "latest_universal").write_text(f"{left.name}/global_step2")

    assert {"result": "nothing"} == prepared.run()
    assert ["global_step2", "latest"] == sorted(path.name for path in prepared.root.iterdir())


def test_a_conversion_by_the_user_stays(prepared: resize.Resize) -> None:
    (prepared.root / "latest_universal").write_text("global_step2_universal")

    prepared.run()

    assert (prepared.root / "latest_universal").exists()


def test_a_checkpoint_that_cannot_be_read_is_refused(prepared: resize.Resize) -> None:
    (prepared.root / "latest").write_text("global_step9")

    report = prepared.run()

    assert "refused" == report["result"]
    assert "global_step9, which does not exist" in report["message"]


def test_a_failed_conversion_leaves_nothing(prepared: resize.Resize, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "find_interpreter", lambda: "false")
    prepared.wanted = prepared.wanted._replace(ranks=3)

    report = prepared.run()

    assert {"result": "failed", "message": "the conversion ended with exit code 1: without a message"} == report
    assert ["global_step2", "latest"] == sorted(path.name for path in prepared.root.iterdir())


@pytest.mark.parametrize("ranks", [3, 4])
def test_a_configuration_that_always_loads_a_conversion_is_refused(prepared: resize.Resize, ranks: int) -> None:
    """A file in the image, which dsgen has not seen. Of 4 ranks is the checkpoint itself."""
    path = prepared.root.parent / "job/ds_config.json"
    path.write_text(json.dumps({"zero_optimization": {"stage": 2}, "checkpoint": {"load_universal": True}}))

    report = resize.Resize(settings.load(prepared.root.parent / "settings.json"), ranks, lambda _: None).run()

    assert "refused" == report["result"]
    assert "the DeepSpeed configuration has checkpoint.load_universal" in report["message"]


def test_no_helper_of_a_killed_conversion_is_left(tmp_path: Path) -> None:
    """As a pool of multiprocessing, which replaces a helper that was killed."""
    again = "while true; do sleep 60 & wait; done"
    command = f"echo started; while true; do bash -c '{again}' {tmp_path}; done"
    with subprocess.Popen(["bash", "-c", command, str(tmp_path)], stdout=subprocess.PIPE) as pool:
        assert pool.stdout
        pool.stdout.readline()  # before, its command line can be empty, although Popen has returned

        resize.end_converter(tmp_path)

        assert -9 == pool.wait(10)
    commands = [each.argv for each in end_ranks.list_processes().values()]
    assert [] == [argv for argv in commands if str(tmp_path).encode() in argv]
