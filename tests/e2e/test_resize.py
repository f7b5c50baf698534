"""A training that is continued with other numbers of workers, by training.deepspeed.resize."""

import functools
import json
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.cluster import kubectl, soon
from tests.e2e.training import Job, Run, dsgen, said

pytestmark = pytest.mark.by_turns

FOLDER = "/checkpoints/digits"
SIZES = (4, 2, 3, 4)
STEPS = 10  # of each run
SECONDS = 600
PLACE = "dsgen.dev/e2e-place"
PACED = 100  # steps of two seconds, so that three workers train for a minute and more
NODE = "node-0"
HOW_POWER = "this test needs DSGEN_E2E_NODE and DSGEN_E2E_SECOND_NODE (tests/e2e/README.md)"
OPPOSITE = {"kill": "start", "cut": "heal"}


WAYS = [  # the method, ZeRO's stage, the numbers, and the greatest relative difference of a loss
    ("pdsh", 1, "fp32", 1e-6),
    ("torchrun", 3, "fp32", 1e-6),
    ("openmpi", 2, "fp32", 1e-6),
    ("deepspeed-no-ssh", 2, "bf16", 5e-3),
]


@pytest.fixture(scope="module")
def make_resized(make_job: Callable[..., Job]) -> Callable[..., Job]:
    """A job with a batch that several numbers of workers share."""

    def make(purpose: str, method: str, stage: int = 2, dtype: str = "fp32") -> Job:
        job = make_job(purpose)
        job.values["launch"] = {"method": method}
        deepspeed = job.values["training"]["deepspeed"]
        del deepspeed["config"]["train_micro_batch_size_per_gpu"]
        deepspeed["config"]["train_batch_size"] = 48
        deepspeed["config"]["zero_optimization"]["stage"] = stage
        deepspeed["config"]["bf16"] = {"enabled": dtype == "bf16"}
        deepspeed["resize"] = {"checkpoint": FOLDER}
        return job

    return make


def sized(workers: int, until: int) -> dict[str, Any]:
    """The values of a run of this size."""
    return {"workers": {"replicas": workers}, "training": {"args": ["--checkpoints", FOLDER, "--until", str(until)]}}


@pytest.fixture(scope="module")
def train_whole(make_resized: Callable[..., Job]) -> Callable[[str], dict[int, float]]:
    """The losses of a training that is not interrupted, of ZeRO 2 with these numbers."""

    @functools.cache
    def train(dtype: str) -> dict[int, float]:
        job = make_resized(f"whole-{dtype}", "pdsh", dtype=dtype)
        job.apply(**sized(SIZES[0], PACED))
        return job.ended(seconds=SECONDS).losses

    return train


@pytest.mark.by_turns("stage")
@pytest.mark.parametrize(("method", "stage", "dtype", "limit"), WAYS)
def test_the_losses_are_those_of_an_uninterrupted_training(
    make_resized: Callable[..., Job],
    train_whole: Callable[[str], dict[int, float]],
    method: str,
    stage: int,
    dtype: str,
    limit: float,
) -> None:
    job, losses, runs = make_resized(f"resized-{method}", method, stage, dtype), dict[int, float](), list[Run]()

    for number, workers in enumerate(SIZES, start=1):
        job.apply(str(number), **sized(workers, STEPS * number))
        runs.append(job.ended(str(number), SECONDS))
        mine = {role: log for role, log in runs[-1].logs.items() if role.startswith(f"digits-{number}-")}
        run = Run(runs[-1].launcher, runs[-1].worker, runs[-1].pods, mine, runs[-1].record)
        assert ("Succeeded", workers) == (run.record["phase"], run.record["worldSize"])
        assert {(STEPS * (number - 1), stage)} == {
            (line["first"], line["zero"]) for line in run.lines if "first" in line
        }
        losses.update(run.losses)

    whole = train_whole(dtype)
    expected = {step: whole[step] for step in range(STEPS * len(SIZES))}
    assert losses == pytest.approx(expected, rel=limit, abs=1.5e-6)  # printed with six decimals


class Second:
    """The second node, whose power and network are switched off and on."""

    def __init__(self) -> None:
        self.name, self.command = (os.environ.get(f"DSGEN_E2E_{word}", "") for word in ("SECOND_NODE", "NODE"))
        if not (self.name and self.command):
            pytest.skip(HOW_POWER)  # in CI, too: each takes minutes; they are run by hand before a release
        node = json.loads(kubectl("get", "node", self.name, "--output", "json"))
        taints = [taint["key"] for taint in node["spec"].get("taints", [])]
        self.tolerations = [{"key": key, "operator": "Exists"} for key in taints]
        self.harmed = ""

    def harm(self, what: str) -> None:
        """`kill` switches the power off, `cut` the network."""
        self.harmed = what
        subprocess.run([*shlex.split(self.command), what, self.name], check=True, capture_output=True)

    def repair(self) -> None:
        if self.harmed:
            self.harm(OPPOSITE[self.harmed])
            self.harmed = ""


@pytest.fixture
def second() -> Iterator[Second]:
    node = Second()
    yield node
    node.repair()


class Harmed:
    """A run of two workers that is harmed again and again, and what its ranks have printed."""

    def __init__(self, job: Job, run: str) -> None:
        self.job, self.run = job, run
        self.printed: dict[str, list[dict[str, Any]]] = {}  # by launcher pod, since a deleted one has no log

    def look(self) -> list[list[dict[str, Any]]]:
        """The lines of each start of the ranks: the first line of rank 0, and what follows it."""
        for pod in sorted(self.job.pods(self.run, "launcher"), key=lambda pod: pod.metadata.creation_timestamp):
            lines = said(self.job.space.log(pod.metadata.name, "launcher"))
            self.printed[pod.metadata.name] = max(lines, self.printed.get(pod.metadata.name, []), key=len)
        starts = list[list[dict[str, Any]]]()
        for line in [line for lines in self.printed.values() for line in lines]:
            if line.get("rank") == 0:
                starts.append([])
            if starts:
                starts[-1].append(line)
        return starts

    def at(self, moment: str, start: int) -> None:
        """Wait for a moment: of the conversion, or of this start of the ranks."""
        if moment == "conversion":
            self.job.recorded(self.run, lambda record: record["reason"] == "Resizing", SECONDS)
            return
        key = {"before the save": "step", "after the save": "checkpoint"}[moment]

        def reached() -> bool:
            starts = self.look()
            return len(starts) > start and any(key in line for line in starts[start])

        soon(f"{key} of start {start}", reached, SECONDS)

    def noticed(self, ends: int) -> None:
        """Wait until so many attempts have ended."""

        def enough(record: dict[str, Any]) -> bool:
            return ends <= sum("reason" in attempt for attempt in record["attempts"])

        self.job.recorded(self.run, enough, SECONDS)

    def left(self) -> list[str]:
        """What is left of conversions, as a worker sees it."""
        worker = next(pod for pod in self.job.pods(self.run, "worker") if pod.status.phase == "Running")
        find = f"find {FOLDER} -maxdepth 1 -name '.dsgen-universal*' -o -name latest_universal"
        command = ("exec", worker.metadata.name, "--container", "worker", "--", "sh", "-c", find)
        return self.job.space.kubectl(*command).split()


MOMENTS = ("conversion", "before the save", "after the save")
KILLS = [  # what is lost, when, and the possible reasons of the attempts
    ("worker", MOMENTS, {"WorkersLost"}),
    ("launcher", MOMENTS, {"LauncherTerminated", "LauncherLost"}),  # whether it had time to write its end
    ("kill", MOMENTS, {"WorkersLost"}),
    ("cut", ("conversion", "after the save"), {"WorkersLost"}),  # its ranks go on for a while, and save
]


@pytest.mark.by_turns("what")
@pytest.mark.parametrize(("what", "moments", "reasons"), KILLS, ids=[kill[0] for kill in KILLS])
def test_every_start_after_a_kill_continues_the_newest_checkpoint(
    make_resized: Callable[..., Job],
    train_whole: Callable[[str], dict[int, float]],
    request: pytest.FixtureRequest,
    what: str,
    moments: tuple[str, ...],
    reasons: set[str],
) -> None:
    """The first worker, the launcher, or the node of all workers is lost: its power or its network."""
    job = make_resized(f"resize-lost-{what}", "pdsh")
    job.values["lifecycle"] |= {"startTimeoutSeconds": 600, "maxRestarts": 0}
    second: Second | None = request.getfixturevalue("second") if what in OPPOSITE else None
    if second:
        place = {"nodeSelector": {"kubernetes.io/hostname": second.name}, "tolerations": second.tolerations}
        job.values["workers"] |= place
    job.apply("1", **sized(3, STEPS))
    job.ended("1", SECONDS)
    until = STEPS * 4
    job.apply(
        "2", **sized(2, until) | {"training": {"args": ["--checkpoints", FOLDER, "--until", str(until), "--pace", "2"]}}
    )
    harmed = Harmed(job, "2")

    for number, moment in enumerate(moments):
        harmed.at(moment, number - 1)
        harmed.look()
        if second:
            second.harm(what)
            harmed.noticed(number + 1)
            second.repair()
        else:
            # A launcher records the conversion before its kubelet reports that it runs.
            alive = [pod for pod in job.pods("2", what) if pod.status.phase in ("Pending", "Running")]
            first = min(str(pod.metadata.name) for pod in alive)
            job.space.kubectl("delete", "pod", first, "--grace-period", "0", "--force")
    harmed.at("before the save", len(moments) - 1)
    left = harmed.left()
    run, starts = job.ended("2", SECONDS), harmed.look()

    *lost, last = (attempt["reason"] for attempt in run.record["attempts"])
    assert (len(moments), reasons | set(lost), "Succeeded") == (len(lost), reasons, last)
    assert [] == left
    saved, whole = STEPS, train_whole("fp32")
    for lines in starts:
        first = lines[0]["first"]
        assert saved == first or (what == "cut" and saved < first)
        saved = max([saved, *(line["checkpoint"] for line in lines if "checkpoint" in line)])
        for line in [line for line in lines if "step" in line]:
            assert line["loss"] == pytest.approx(whole[line["step"]], rel=1e-6, abs=1.5e-6)
    assert (until, len(moments)) == (saved, len(starts))


def test_a_checkpoint_that_would_be_another_one_is_refused(make_resized: Callable[..., Job]) -> None:
    job = make_resized("resize-refused", "torchrun")
    config = job.values["training"]["deepspeed"]["config"]
    job.apply("1", **sized(2, STEPS))
    job.ended("1", SECONDS)

    config["zero_optimization"]["stage"] = 3
    job.apply("2", **sized(3, STEPS * 2))
    run = job.ended("2", SECONDS)

    assert ("Failed", "ResizeRefused") == (run.record["phase"], run.record["reason"])
    assert "ZeRO stage 2 saved it, and stage 3 cannot read the conversion" in run.record["message"]
    assert [1] == run.exit_codes["launcher"]


def offer(places: int | None, node: str = NODE) -> None:
    """Let a node offer so many of a resource of which each worker needs one."""
    offered = {PLACE: None if places is None else str(places)}
    patch = json.dumps({"status": {"capacity": offered, "allocatable": offered}})
    kubectl("patch", "node", node, "--subresource=status", "--type=merge", "--patch", patch)


@pytest.fixture
def places() -> Iterator[Callable[..., None]]:
    nodes = {NODE}

    def give(places: int, node: str = NODE) -> None:
        nodes.add(node)
        offer(places, node)

    give(4)
    yield give
    for node in nodes:
        offer(None, node)


def begin(job: Job) -> str:
    """Train with four workers; the launcher's pod."""
    job.values["lifecycle"] |= {"resizeAfterSeconds": 60, "startTimeoutSeconds": 600, "maxRestarts": 0}
    arguments = ["--checkpoints", FOLDER, "--until", str(PACED), "--pace", "2"]
    job.apply(workers={"replicas": 4}, training={"args": arguments})
    name: str = job.trained(role="launcher").metadata.name
    return name


@pytest.mark.by_turns("method")
@pytest.mark.parametrize("method", ["pdsh", "openmpi"])
def test_fewer_workers_go_on_after_a_loss_and_all_when_it_is_back(
    make_resized: Callable[..., Job],
    train_whole: Callable[[str], dict[int, float]],
    places: Callable[..., None],
    method: str,
) -> None:
    """The first worker is lost, and has no place for a while. The pods do not change."""
    job = make_resized(f"fewer-{method}", method)
    job.values["workers"] |= {"min": 2, "accelerator": {"resource": PLACE, "count": 1}}
    launcher = begin(job)

    places(3)
    lost = next(pod for pod in job.pods("1", "worker") if "worker-0-" in pod.metadata.name)
    job.space.kubectl("delete", "pod", lost.metadata.name, "--grace-period", "0", "--force")
    fewer = job.recorded("1", lambda record: record["worldSize"] == 3, SECONDS)
    status = dsgen("status", f"{job.space.name}/digits")
    pending = [pod for pod in job.pods("1", "worker") if pod.status.phase == "Pending"]
    places(4)
    grown = job.recorded("1", lambda record: len(record["attempts"]) == 3, SECONDS)
    run = job.ended("1", SECONDS)

    assert fewer["message"].startswith("digits-1-worker-0.digits-1 is not reachable; 3 of 4 workers train")
    assert 1 == len(pending)
    assert f"3/4 ready, 3 train since {fewer['attempts'][1]['startTime']}" in status
    assert ["WorkersLost", "Growing"] == [attempt["reason"] for attempt in grown["attempts"][:2]]
    assert "attempt 2 with 3 workers" in dsgen("events", f"{job.space.name}/digits")
    check_steps(run, launcher, train_whole("fp32"), 3)


def check_steps(run: Run, launcher: str, whole: dict[int, float], fewer: int) -> None:
    """Every attempt begins at the newest checkpoint, and its losses are those of an uninterrupted training."""
    attempts: list[dict[str, Any]] = run.record["attempts"]
    assert ["WorkersLost", "Growing", "Succeeded"] == [attempt["reason"] for attempt in attempts]
    assert [None, fewer, None] == [attempt.get("workers") for attempt in attempts]
    assert ("Succeeded", 4, 0) == (run.record["phase"], run.record["worldSize"], run.record["totals"]["failures"])
    saved, firsts = 0, list[tuple[int, int]]()
    for line in [line for pod in run.pods_of("launcher") for line in said(run.logs[f"{pod.metadata.name}/launcher"])]:
        saved = line.get("checkpoint", saved)
        if line.get("rank") == 0:
            firsts.append((line["world"], line["first"]))
            assert saved <= line["first"] <= saved + 5  # one may have been written, and not printed
        if line.get("step") in whole:
            assert line["loss"] == pytest.approx(whole[line["step"]], rel=1e-6, abs=1.5e-6)
    assert [4, fewer, 4] == [world for world, _ in firsts]
    assert [launcher] == [pod.metadata.name for pod in run.pods_of("launcher")]


@pytest.mark.by_turns("left")
@pytest.mark.parametrize(("method", "left"), [("pdsh", 3), ("openmpi", 2)])
def test_fewer_workers_go_on_while_a_node_is_cut_and_all_when_it_is_back(
    make_resized: Callable[..., Job],
    train_whole: Callable[[str], dict[int, float]],
    places: Callable[..., None],
    second: Second,
    method: str,
    left: int,
) -> None:
    job = make_resized(f"cut-{method}", method)
    places(left)
    places(4 - left, second.name)
    job.values["workers"] |= {
        "min": 2,
        "accelerator": {"resource": PLACE, "count": 1},
        "tolerations": second.tolerations,
    }
    launcher = begin(job)
    away = sorted(str(pod.spec.hostname) for pod in job.pods("1", "worker") if pod.spec.node_name == second.name)

    second.harm("cut")
    fewer = job.recorded("1", lambda record: record["worldSize"] == left, SECONDS)
    status = dsgen("status", f"{job.space.name}/digits")
    second.repair()
    run = job.ended("1", SECONDS)

    assert 4 - left == len(away)
    assert all(worker in fewer["message"] for worker in away)
    assert fewer["message"].endswith(f"not reachable; {left} of 4 workers train")
    assert f"{left}/4 ready, {left} train since {fewer['attempts'][1]['startTime']}" in status
    check_steps(run, launcher, train_whole("fp32"), left)
