"""The progress of a training: from output and files to the record, hangs, and the rank that the others wait for."""

import json
from pathlib import Path
from typing import Any

import pytest

from launcher import journal, progress
from shared import exchange, output, settings
from shared import progress as source
from tests.scripts.trainings import HOSTS, settings_of

PATTERN = r"step (?P<step>[\d,]+)(/(?P<total>\d+))?( loss (?P<loss>\S+))?"
MEMORY = r"step (?P<step>\d+)|peak memory (?P<memory>\d+)"


def configured(**given: Any) -> settings.Settings:
    texts = {"progress_pattern": "", "progress_file": "", "checkpoint_path": "", **given}
    return settings_of(texts)


class Time:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return 1.7e9 + self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(progress, "time", made)
    return made


@pytest.mark.parametrize(
    ("pattern", "pieces", "seen"),
    [
        (PATTERN, [b"no\nstep 1,200/5000 loss 2.5\n"], {"step": 1200, "total": 5000, "loss": 2.5}),
        (PATTERN, [b"step 1 loss 1\nstep 2 loss 0.5\nend"], {"step": 2, "loss": 0.5}),
        (PATTERN, [b"step 1", b"2\rstep 13", b" loss 3\r"], {"step": 13, "loss": 3.0}),
        (PATTERN, [b"step 1 loss x\n"], {"step": 1}),
        (PATTERN, [b"step 99999999999999999999\n"], {}),
        (PATTERN, [b"\xff step 3\n"], {"step": 3}),
        (PATTERN, [b"step 4"], {}),
        # numbers may be in different lines
        (MEMORY, [b"step 1\npeak memory 4096\nstep 2\n"], {"step": 2, "memory": 4096}),
        (MEMORY, [b"peak memory 4096\npeak memory 8192\nend\n"], {"memory": 8192}),
        (MEMORY, [b"step 3\npeak memory -1\n"], {"step": 3}),
    ],
)
def test_the_pattern_finds_the_last_step_of_the_output(pattern: str, pieces: list[bytes], seen: dict[str, Any]) -> None:
    made = source.Source(configured(progress_pattern=pattern), files=False)
    for piece in pieces:
        made.read_output(piece)

    assert made.seen == seen


def test_the_memory_of_the_record_is_that_of_the_rank_with_most() -> None:
    made = progress.Progress(configured())
    for rank, memory in ((0, 100), (1, 300), (0, 200)):
        made.add_report(rank, {"memory": memory})

    assert {"memory": 300} == made.collect_facts()


def test_the_time_of_a_step_is_the_average_after_the_first_one(clock: Time) -> None:
    made = progress.Progress(configured())
    made.add_report(0, {"step": 1})
    assert "secondsPerStep" not in made.collect_facts()

    for step, seconds in ((2, 3.0), (5, 7.0)):
        clock.now += seconds
        made.add_report(0, {"step": step})
    clock.now += 100

    assert 2.5 == made.collect_facts()["secondsPerStep"]


def test_a_pattern_that_is_none_is_said_and_ends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    source.Source(configured(progress_pattern="("), files=True).read_output(b"(\n")

    assert "lifecycle.progress.pattern is not a regular expression of Python" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"step": 3, "total": 9, "loss": 1.5, "x": [1]}', {"step": 3, "total": 9, "loss": 1.5}),
        ('{\n "step": 3\n}', {"step": 3}),
        ('{"step": 3}\n{"step": 4}\n', {"step": 4}),
        ("at step 7/8\n", {"step": 7, "total": 8}),
        ('{"step": null, "total": [], "loss": true}', {}),
        ("[1]", {}),
    ],
)
def test_a_file_says_it_as_json_or_as_text(tmp_path: Path, text: str, seen: dict[str, Any]) -> None:
    path = tmp_path / "progress"
    path.write_text(text)
    made = source.Source(configured(progress_pattern=PATTERN, progress_file=str(path)), files=True)
    made.read_files()

    assert made.seen == {"checkpoint": 0, **seen}


def test_what_is_no_file_says_nothing(tmp_path: Path) -> None:
    made = source.Source(configured(progress_file=str(tmp_path), checkpoint_path=str(tmp_path / "none")), files=True)
    made.read_files()

    assert made.seen == {"checkpoint": 0}


def test_the_record_gets_step_loss_and_the_expected_end(clock: Time, tmp_path: Path) -> None:
    made, account = progress.Progress(configured()), journal.LauncherState(tmp_path / exchange.LAUNCHER)
    told = []
    for step in range(1, 7):
        made.add_report(0, {"step": 100 * step, "total": 1000, "loss": 2.0 / step, "checkpoint": 1_700_000_000})
        progress.report(made, account, 2)
        told.append(exchange.read_launcher(tmp_path)["progress"].get("step"))
        clock.now += 20

    assert told == [100, 100, 100, 400, 400, 400]
    facts = exchange.read_launcher(tmp_path)["progress"]
    assert (facts["loss"], facts["total"], facts["checkpoint"]) == (0.5, 1000, "2023-11-14T22:13:20Z")
    # 300 steps in 60 s; 600 are left.
    assert facts["eta"] == progress.record.format_time(1.7e9 + 1060 + 120)


def test_a_loss_that_is_no_number_and_missing_checkpoints_are_said(
    clock: Time, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = progress.Progress(configured(checkpoint_timeout_seconds=600))
    account = journal.LauncherState(tmp_path / exchange.LAUNCHER)
    account.note = "a spare trains"
    progress.report(made, account, 2)
    made.add_report(0, {"step": 7, "loss": float("nan"), "checkpoint": 0})
    made.add_report(0, {"step": 8, "loss": float("inf"), "checkpoint": 0})
    clock.now += 601
    progress.report(made, account, 2)
    said = exchange.read_launcher(tmp_path)
    words = (
        "the loss is no finite number since step 7; no checkpoint for lifecycle.progress.checkpointTimeoutSeconds (600)"
    )

    assert (said["message"], said["progress"]["loss"]) == (f"a spare trains; {words}", None)
    made.add_report(0, {"step": 9, "loss": 1.0, "checkpoint": 5})
    progress.report(made, account, 2)
    assert exchange.read_launcher(tmp_path)["message"] == "a spare trains"
    assert capsys.readouterr().out.count("since step 7") == 1


def test_silence_is_a_hang_once_all_ranks_are_there(clock: Time) -> None:
    made = progress.Progress(configured(hang_timeout_seconds=60))
    clock.now += 100
    assert made.describe_hang() == ""
    made.start()
    clock.now += 59
    made.add_report(1, {})
    clock.now += 59
    assert made.describe_hang() == ""
    clock.now += 2
    assert made.describe_hang() == "no output of any rank for lifecycle.hangTimeoutSeconds (60)"
    assert progress.Progress(configured()).describe_hang() == ""


def test_a_step_that_stays_is_a_hang_whatever_is_printed(clock: Time) -> None:
    made = progress.Progress(configured(hang_timeout_seconds=60))
    made.start()
    for _ in range(7):
        made.add_report(0, {"step": 5})
        clock.now += 10

    assert made.describe_hang() == "no step after step 5 for lifecycle.hangTimeoutSeconds (60)"


BUSY = ["wait (/app/train.py:60)", "main (/app/train.py:90)"]
REDUCE = ["all_reduce (/x/torch/distributed/distributed_c10d.py:3)", "main (/app/train.py:92)"]


@pytest.mark.parametrize(
    ("steps", "stacks", "suspect"),
    [
        ({0: 5, 1: 4}, {}, (1, "it is behind")),
        ({0: 5, 1: 4}, {0: REDUCE, 1: REDUCE}, (1, f"it is behind, in {REDUCE[0]}")),
        ({0: 5}, {0: REDUCE, 1: BUSY}, (1, f"it does not wait for the others, in {BUSY[0]}")),
        ({}, {0: BUSY, 1: BUSY, 2: ["other (a:1)"]}, (2, "it differs, in other (a:1)")),
        ({}, {0: REDUCE, 1: REDUCE}, None),
        ({}, {0: BUSY, 1: BUSY}, None),
        ({}, {}, None),
        ({0: 3}, {}, None),
    ],
)
def test_whom_the_others_wait_for(
    steps: dict[int, int], stacks: dict[int, list[str]], suspect: tuple[int, str] | None
) -> None:
    made = progress.Progress(configured())
    for rank, step in steps.items():
        made.add_report(rank, {"step": step})
    made.stacks = {rank: (f"w-{rank}", stack) for rank, stack in stacks.items()}
    named = made.find_suspect()

    assert suspect == ((named["rank"], named["why"]) if named else None)
    assert progress.explain_hang("x", named).startswith("x; suspected: rank" if suspect else "x; no rank stands out")


def test_reports_of_ranks_reach_it_and_not_the_log() -> None:
    made = progress.Progress(configured())
    seen = output.Output(HOSTS, progress=made)
    facts = {"host": "cifar-1-worker-1", "rank": 1, "step": 3, "loss": 0.5}
    logged = [
        seen.parse_line(seen.nonce + f" dsgen-{kind} {json.dumps({**facts, **more})}\n".encode())
        for kind, more in (("rank-beat", {}), ("rank-stack", {"stack": BUSY}), ("rank-beat", {"rank": "x"}))
    ]

    assert logged[0] == b""
    assert logged[1] == f"[dsgen] rank 1 on {HOSTS[1]} is in {' < '.join(BUSY)}\n".encode()
    assert b"dsgen-rank-beat" in logged[2]
    assert (made.steps, made.stacks) == ({1: 3}, {1: (HOSTS[1], BUSY)})


def test_the_sidecar_takes_every_number_of_the_progress(clock: Time) -> None:
    made = progress.Progress(configured())
    for step in (1, 2):
        clock.now += 2
        made.add_report(0, {"step": step, "total": 9, "loss": 0.5, "memory": 2**36, "checkpoint": 1_700_000_000})
    facts = made.collect_facts()

    assert {"step", "total", "loss", "memory", "secondsPerStep", "eta", "time", "checkpoint"} == facts.keys()
    assert facts == exchange.LAUNCHER_FIELDS["progress"](facts)
