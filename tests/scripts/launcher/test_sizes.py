"""workers.min: which numbers of workers fit, how long others are waited for, and when an attempt of fewer ends."""

import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dsgen.deepspeed import batch
from launcher import attempt as training
from launcher import choice, main, workers
from launcher.progress import Progress
from shared import exchange, record, settings
from shared.progress import Source
from ssh import launch
from tests.scripts.conftest import wait_for_workers
from tests.scripts.launcher.test_preflight import Pods, pods  # noqa: F401 - a fixture
from tests.scripts.trainings import configured, make_wait, tell

NAMES = [f"cifar-1-worker-{index}.cifar-1" for index in range(4)]


@pytest.fixture
def configuration(run_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Writes the DeepSpeed configuration of a run in the folder run_folder."""
    assert run_folder
    monkeypatch.setattr(settings, "ROOT", tmp_path)

    def write(**config: Any) -> None:
        (tmp_path / "job").mkdir(exist_ok=True)
        (tmp_path / "job/ds_config.json").write_text(json.dumps(config))

    write(train_batch_size=48)
    return write


def of_four(**changes: Any) -> settings.Settings:
    given = {"workers": 4, "workers_min": 2, "resize_config": "/job/ds_config.json", "start_timeout_seconds": 60}
    return configured(**{**given, "resize_after_seconds": 300, "max_restarts": 0, **changes})


MICRO, STEPS = "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"


@pytest.mark.parametrize(
    ("config", "slots", "least", "expected"),
    [
        ({"train_batch_size": 48}, 1, 1, [1, 2, 3, 4]),
        ({"train_batch_size": 48}, 1, 2, [2, 3, 4]),
        ({"train_batch_size": 32}, 1, 2, [2, 4]),
        ({"train_batch_size": 32}, 1, 3, [4]),
        ({"train_batch_size": 48, MICRO: 4}, 4, 1, [1, 3, 4]),
        ({"train_batch_size": 48, STEPS: 4}, 1, 1, [1, 2, 3, 4]),
        ({"train_batch_size": 64, MICRO: 16}, 1, 1, [1, 2, 4]),
        ({"train_batch_size": 48, "sequence_parallel_size": 2}, 1, 1, [2, 4]),
        ({"train_batch_size": 48, MICRO: "auto"}, 1, 1, [4]),
        ({"train_batch_size": "auto"}, 1, 1, [4]),
        ({MICRO: 2}, 1, 1, [4]),
    ],
)
def test_which_numbers_of_workers_share_the_batch(
    configuration: Callable[..., None], config: dict[str, Any], slots: int, least: int, expected: list[int]
) -> None:
    """The checks of dsgen compute the same."""
    configuration(**config)

    assert expected == choice.list_sizes(of_four(workers_min=least, slots=slots))
    assert expected == [size for size in batch.sizes(config, slots) if least <= size < 4] + [4]


@pytest.mark.parametrize(
    ("sizes", "available", "size"),
    [([2, 3, 4], 4, 4), ([2, 3, 4], 3, 3), ([2, 4], 3, 2), ([2, 4], 1, 0), ([4], 3, 0), ([4], 5, 4)],
)
def test_the_largest_size_is_chosen(sizes: list[int], available: int, size: int) -> None:
    made = launch.SshWorkerChoice(of_four(), workers.Workers([*NAMES, "spare"]))
    made.sizes = sizes
    made.present = [*NAMES, "spare"][-available:]

    assert size == made.choose_size(available)
    assert made.choose() is (size > 0)
    if size:
        assert made.workers.chosen == made.present[:size]


@pytest.mark.parametrize(("seconds", "sizes"), [(0, [4]), (1, [2, 3, 4])])
def test_the_first_start_needs_all_workers(
    configuration: Callable[..., None],
    run_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    seconds: int,
    sizes: list[int],
) -> None:
    assert configuration
    tell(run_folder, earlier={"seconds": seconds})
    made = main.Launcher(of_four(), workers.Workers(NAMES))
    assert isinstance(made.side, launch.WithSsh)
    monkeypatch.setattr(made.side.selection, "wait_for_workers", lambda *_: {})

    made.side.wait_for_workers()

    assert sizes == made.side.selection.sizes


def end(made: Pods, index: int) -> None:
    os.kill(made.pods[index].started[0].pid, signal.SIGTERM)
    made.pods[index].started[0].wait(20)


def gather(selection: launch.SshWorkerChoice) -> float:
    """Wait for workers; the seconds that it took."""
    before = time.monotonic()
    assert {} == selection.wait_for_workers(lambda: True)
    assert selection.choose()
    return time.monotonic() - before


def test_fewer_real_workers_go_on_once_the_lost_one_was_waited_for(
    pods: Callable[[int], Pods],  # noqa: F811 - the fixture
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the next start it is not waited for again, but another one is; one that is back is chosen at once."""
    monkeypatch.setattr(launch, "SLICE_SECONDS", 0.5)
    made = pods(3)
    made.wait()
    selection = launch.SshWorkerChoice(of_four(workers=3, workers_min=1, resize_after_seconds=2), made.reached)
    assert gather(selection) < 2
    assert made.reached.chosen == made.names
    end(made, 0)
    until = time.monotonic() + 4
    assert selection.wait_for_workers(lambda: time.monotonic() < until) == {made.names[0]: ""}
    selection.present = made.names

    selection.sizes = [1, 2, 3]
    assert gather(selection) > 2
    assert made.reached.chosen == made.names[1:]
    assert selection.explain_choice() == f"{made.names[0]} is not reachable; 2 of 3 workers train"
    assert gather(selection) < 2

    end(made, 2)
    assert gather(selection) > 2
    assert made.reached.chosen == [made.names[1]]

    (made.pods[0].run / "terminating").unlink()  # the volume of a new pod is empty
    made.start(made.pods[0])
    wait_for_workers(made.reached, made.names[0])
    selection.sizes = [2, 3]
    assert gather(selection) > 0
    assert made.reached.chosen == made.names[:2]


@pytest.mark.parametrize(("seconds", "goes_on"), [(1, True), (60, False)])
def test_at_the_end_of_the_start_timeout_those_that_answer_go_on(
    pods: Callable[[int], Pods],  # noqa: F811 - the fixture
    monkeypatch: pytest.MonkeyPatch,
    seconds: int,
    goes_on: bool,
) -> None:
    """But not while a lost worker may still have processes."""
    monkeypatch.setattr(launch, "SLICE_SECONDS", 0.5)
    monkeypatch.setattr(launch, "CUT_OFF_SECONDS", seconds)
    made = pods(3)
    made.wait()
    end(made, 0)
    selection = launch.SshWorkerChoice(of_four(workers=3, workers_min=1, resize_after_seconds=300), made.reached)
    selection.sizes = [1, 2, 3]
    until = time.monotonic() + 4

    missing = selection.wait_for_workers(lambda: time.monotonic() < until)

    assert ({} if goes_on else {made.names[0]: ""}) == missing
    assert made.names[1:] == selection.present


def attempt_of(names: list[str], **changes: Any) -> training.Attempt:
    waits = make_wait(of_four(**changes), NAMES)
    waits.workers.chosen = names
    return training.Attempt(waits)


@pytest.mark.usefixtures("configuration")
def test_an_attempt_of_fewer_workers_has_their_hostfile_and_world(run_folder: Path) -> None:
    tell(run_folder)
    made = attempt_of(NAMES[1:], slots=2)

    start = made.make_start()

    assert (6, NAMES[1:]) == (made.world, start.hosts)
    assert (run_folder / "hostfile").read_text() == "".join(f"{name} slots=2\n" for name in NAMES[1:])
    assert NAMES[1:] == list(made.heard.hosts.values())


@pytest.mark.parametrize(("names", "facts"), [(NAMES, {}), (NAMES[:3], {"workers": 3})])
@pytest.mark.usefixtures("configuration")
def test_the_record_says_how_many_train(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], facts: dict[str, int]
) -> None:
    tell(run_folder)
    made = attempt_of(names)
    monkeypatch.setattr(made.conversion, "run", lambda *_: training.AttemptEnd("workers-lost", "", None))

    made.run()
    made.journal.write()

    (attempt,) = exchange.read_launcher(run_folder)["attempts"]
    assert facts == {key: fact for key, fact in attempt.items() if key == "workers"}


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class Scene:
    """An attempt of three workers of four, and whether the fourth answers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, clock: Clock, chosen: list[str]) -> None:
        self.clock, self.silent, self.asked = clock, [NAMES[3]], 0
        reached = workers.Workers(NAMES)
        monkeypatch.setattr(reached.control, "find_missing", self.find_missing)
        reached.chosen = chosen
        self.progress = Progress(of_four())
        self.growth = choice.Growth(of_four(), reached, self.progress)
        self.progress.start()

    def find_missing(self, names: list[str], _wait: object) -> list[str]:
        assert names == [NAMES[3]]
        self.asked += 1
        return self.silent

    def after(self, seconds: float, saved: int = 0) -> bool:
        """So many seconds later, perhaps after a report of a checkpoint."""
        self.clock.now += seconds
        if saved:
            self.progress.add_report(0, {"saved": saved})
        return self.growth.is_due()


def test_when_an_attempt_of_fewer_workers_ends(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """After the first checkpoint that was written since all have answered, and some seconds for the rest of it."""
    scene = Scene(monkeypatch, clock, NAMES[:3])

    assert not scene.after(0, saved=100)
    assert not scene.after(290, saved=200)
    scene.silent = []
    assert (False, 0) == (scene.after(5), scene.asked)
    assert (False, 1) == (scene.after(5), scene.asked)
    assert not scene.after(30)
    assert not scene.after(1, saved=300)
    assert not scene.after(19, saved=301)
    assert scene.after(2, saved=302)


def test_a_worker_that_comes_and_goes_ends_nothing(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    scene = Scene(monkeypatch, clock, NAMES[:3])
    scene.after(0, saved=100)
    scene.after(300)
    for number in range(1, 20):
        scene.silent = [] if number % 2 else [NAMES[3]]
        assert not scene.after(11)
        assert not scene.after(0, saved=100 + number)


def test_an_attempt_of_all_workers_is_left_alone(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    scene = Scene(monkeypatch, clock, NAMES)

    assert not any(scene.after(100, saved=number) for number in range(1, 20))
    assert scene.asked == 0


@pytest.mark.usefixtures("configuration")
def test_the_end_to_grow_is_no_failure(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(run_folder, earlier={"seconds": 1})
    made = attempt_of(NAMES[:3])
    monkeypatch.setattr(made.growth, "is_due", lambda: True)
    made.journal.begin_attempt()

    cut = made.find_cut(1, 0)
    made.cut_message = made.explain_end(cut, None, [])
    result = made.close(143, cut, [])

    assert ("growing", None) == (result.event, result.code)
    assert result.message == "all 4 workers answer, and go on from the newest checkpoint"
    assert made.journal.attempts[0]["reason"] == "Growing"
    assert record.compute_totals(made.journal.attempts)["failures"] == 0


def test_what_the_ranks_say_of_checkpoints(tmp_path: Path) -> None:
    """The newest `latest`, of DeepSpeed's folder or of the Trainer's; nothing without workers.min."""
    given = of_four(resize_checkpoint=str(tmp_path), progress_pattern="")
    source = Source(given, files=True)
    source.read_files()
    assert source.seen["saved"] == 0

    for number, place in enumerate([".", "checkpoint-5", "checkpoint-10"], start=1):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "latest").write_text("global_step5")
        os.utime(tmp_path / place / "latest", (number, number))
        source.read_files()
        assert number == source.seen["saved"]

    shutil.rmtree(tmp_path / "checkpoint-10")
    source.read_files()
    assert source.seen["saved"] == 2
    without = Source(given._replace(workers_min=0), files=True)
    without.read_files()
    assert "saved" not in without.seen
