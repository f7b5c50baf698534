"""The output of the commands on a cluster, the tool that applies a job, and the changes of an action."""

import json
from pathlib import Path

import pytest

from dsgen.cli.observe import WAITED_FOR, parse_seconds
from dsgen.cluster.actions import explain_refusal, make_stopped_record
from dsgen.cluster.format_text import format_duration, format_progress, format_status, format_table
from dsgen.cluster.models import Condition, RunState, count_accelerators, format_time, parse_time
from dsgen.cluster.phase import find_owner, find_status, name_manager
from dsgen.cluster.report import SCHEMA, count_hours, make_report
from dsgen.errors import UsageError
from tests.cluster.test_phase import NO_JOBS, job, pod, state, suspended


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (None, "<unknown>"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (3600, "60m"),
        (10_800, "3h"),
        (11_000, "3h3m"),
        (100_000, "27h"),
        (200_000, "2d"),
    ],
)
def test_durations_are_those_of_kubectl(moment: float | None, expected: str) -> None:
    assert expected == format_duration(moment)


def test_tables_have_columns_and_no_blanks_at_the_end() -> None:
    assert "A     LONG\nbbb   c\n" == format_table(("A", "LONG"), [("bbb", "c")])
    assert "" == format_table(("A", "LONG"), [])


@pytest.mark.parametrize(("text", "expected"), [("90s", 90), ("1h30m", 5400), ("2d", 172_800)])
def test_times_are_read(text: str, expected: int) -> None:
    assert expected == parse_seconds(text)


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        (True, state()),
        (True, state("Running")),
        (True, state("Failed", **NO_JOBS)),
        (False, state(worker=suspended("worker", queue="gpus"))),
        (False, state(launcher=suspended("launcher"), worker=suspended("worker"))),
        (False, state(worker=None)),
    ],
)
def test_a_run_is_admitted_when_both_jobs_may_have_pods(expected: bool, seen: RunState) -> None:
    assert expected == WAITED_FOR["admitted"](seen, find_status(seen).phase)


@pytest.mark.parametrize("text", ["", "90", "h", "1h 30m", "-5s"])
def test_what_is_no_time_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError, match="write a time as 90s"):
        parse_seconds(text)


@pytest.mark.parametrize(
    ("resource", "counted"),
    [
        ("nvidia.com/gpu", True),
        ("nvidia.com/mig-1g.5gb", True),
        ("amd.com/gpu", True),
        ("habana.ai/gaudi", True),
        ("aws.amazon.com/neuron", True),
        ("huawei.com/Ascend910", True),
        ("google.com/tpu", True),
        ("rdma/hca", False),
        ("vpc.amazonaws.com/efa", False),
        ("nvidia.com/gpumem", False),
        ("memory", False),
    ],
)
def test_accelerators_are_told_from_other_resources(resource: str, counted: bool) -> None:
    assert ({resource: 8} if counted else {}) == count_accelerators({resource: "8", "cpu": "4"})


FLUX, FLUX_HELM = "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"
OWNERS = {
    "Argo CD application team": {"argocd.argoproj.io/tracking-id": "team:batch/Job:training/cifar-1-launcher"},
    "Flux Kustomization flux-system/jobs": {f"{FLUX}/name": "jobs", f"{FLUX}/namespace": "flux-system"},
    "Flux HelmRelease training/cifar": {
        f"{FLUX_HELM}/name": "cifar",
        f"{FLUX_HELM}/namespace": "training",
        "meta.helm.sh/release-name": "cifar",
    },
    "Helm release cifar": {"meta.helm.sh/release-name": "cifar"},
    "": {},
}


@pytest.mark.parametrize("expected", OWNERS)
def test_who_keeps_a_job_is_seen(expected: str) -> None:
    assert expected == name_manager(job("launcher", marks=OWNERS[expected]))
    managers = ("kubectl-client-side-apply",)
    assert (expected or "kubectl") == name_manager(job("launcher", marks=OWNERS[expected], managers=managers))


@pytest.mark.parametrize("expected", OWNERS)
def test_what_would_be_undone_is_refused(expected: str) -> None:
    words = explain_refusal(find_owner(OWNERS[expected]), "set lifecycle.suspend: true")

    assert (expected == "") == (words == "")
    assert words == "" or words.startswith(
        f"{expected} applies this job and would undo the change. Instead, set lifecycle.suspend: true in the values"
    )


def test_a_run_without_a_launcher_gets_its_end_written() -> None:
    seen = state("Running")
    change = make_stopped_record(seen)
    record = json.loads(change["data"]["1"])

    assert ["1"] == list(change["data"])
    assert ("Stopped", "JobDeleted", seen.now) == (record["phase"], record["reason"], parse_time(record["endTime"]))
    assert "Stopped" == find_status(state(record=record)).phase


def test_hours_count_from_the_node_on_and_fall_back_to_the_record() -> None:
    now = state().now
    placed = {"PodScheduled": Condition("True", "", "", now - 7200)}
    gpu = {"nvidia.com/gpu": "4"}
    workers = [pod("worker", index=index, requests=gpu, conditions=placed) for index in range(2)]
    seen = state("Running", pods=workers, worker=job("worker", requests=gpu))
    gone = state("Succeeded", **{**NO_JOBS, "worker": job("worker", requests=gpu)})
    gone.record = {**gone.record, "totals": {"seconds": 1800}}

    seen.record = {**seen.record, "attempts": [{"startTime": format_time(now - 5400)}]}

    assert (16.0, 4.0) == count_hours(seen)
    assert (4.0, 0.0) == count_hours(gone)
    fewer = {"startTime": format_time(now - 900), "endTime": format_time(now), "workers": 1}
    gone.record = {**gone.record, "attempts": [fewer]}
    assert (3.0, 0.0) == count_hours(gone)


def test_an_attempt_of_fewer_workers_is_shown_while_it_lasts() -> None:
    seen = state("Running", settings={"workers": 4})
    began = format_time(seen.now)
    for attempt, expected in (
        ({"startTime": began, "workers": 3}, f"0/4 ready, 3 train since {began}"),
        ({"startTime": began, "endTime": began, "workers": 3}, "0/4 ready"),
        ({"startTime": began}, "0/4 ready"),
    ):
        seen.record = {**seen.record, "attempts": [attempt]}
        text = format_status(make_report(seen, find_status(seen)), seen)
        assert f"Workers:      {expected}\n" in text


def test_a_lost_worker_has_no_exit_code() -> None:
    """After an eviction, say."""
    seen = state("Pending")
    lost = {"startTime": format_time(seen.now), "reason": "WorkersLost", "host": "cifar-1-worker-1.cifar-1"}
    seen.record = {**seen.record, "attempts": [lost]}

    text = format_status(make_report(seen, find_status(seen)), seen)

    assert "First failure: cifar-1-worker-1.cifar-1, WorkersLost\n" in text
    assert "None" not in text


def test_many_workers_are_counted_and_only_the_unwell_are_listed() -> None:
    ready = {"Ready": Condition("True", "", "", 0)}
    workers = [
        pod("worker", name=f"w-{index}", index=index, conditions={} if index == 7 else ready) for index in range(40)
    ]
    seen = state("Running", pods=workers)
    text = format_status(make_report(seen, find_status(seen)), seen)

    assert "w-7 " in text
    assert "39 more pods are well\n" in text
    assert "w-8" not in text


def test_the_schema_is_named_where_it_is() -> None:
    assert (Path(__file__).parents[2] / SCHEMA).exists()


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        ({}, ""),
        ({"step": 0}, "step 0"),
        ({"step": 5, "total": 40, "loss": 2.30851234}, "step 5 of 40 (12%), loss 2.30851"),
        ({"step": 5, "loss": None, "eta": "1970-01-01T00:02:05Z"}, "step 5, loss NaN or infinite, 25s left"),
        ({"step": 5, "total": 5, "eta": "1970-01-01T00:02:05Z"}, "step 5 of 5 (100%)"),
        (
            {"step": 5, "secondsPerStep": 1.5, "memory": 65712345088},
            "step 5, 1.5 s per step, at most 61.2 GiB of an accelerator",
        ),
        ({"checkpoint": "1970-01-01T00:00:00Z"}, "checkpoint of 1970-01-01T00:00:00Z"),
    ],
)
def test_progress_is_one_line(progress: dict[str, object], expected: str) -> None:
    assert expected == format_progress(progress, 100)
