"""The causes of runs, from answers of a real API server (see tests/cluster/recorded.py)."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dsgen import schema
from dsgen.cluster.diagnosis import PROVISIONING_SECONDS, Cause, find_causes
from dsgen.cluster.format_text import format_causes, format_status
from dsgen.cluster.models import RunState
from dsgen.cluster.phase import PHASES, find_status
from dsgen.cluster.reasons import RULES
from dsgen.cluster.report import make_report
from tests.cluster import recorded
from tests.e2e.causes import CASES

ROOT = Path(__file__).parent.parent.parent
SHAPE = json.loads((ROOT / "schemas" / "status.schema.json").read_text())


def told(name: str, later: float = 0) -> tuple[RunState, list[Cause], dict[str, Any]]:
    """What dsgen says of kept answers, so many seconds after they were given."""
    state = recorded.load(name).state()
    state = replace(state, now=state.now + later)
    shown = find_status(state)
    return state, find_causes(state, shown), make_report(state, shown)


@pytest.mark.parametrize("name", [name for name in recorded.names() if name in CASES])
def test_the_cause_is_the_first_that_is_named(name: str) -> None:
    _, blamed, _ = told(name, later=PROVISIONING_SECONDS if name == "ClaimUnbound" else 0)

    assert name.partition("-")[0] == blamed[0].reason
    assert "{" not in blamed[0].message.replace("{example.com", "")


def test_a_sidecar_whose_image_has_no_shell_is_named() -> None:
    """It is never waiting for long: the kubelet keeps the state of its last start."""
    _, blamed, _ = told("ContainerCannotStart-status")

    assert "ContainerCannotStart" == blamed[0].reason
    assert "container status cannot start: " in blamed[0].message
    assert 'exec: "sh": executable file not found' in blamed[0].message


def test_the_uid_of_a_pod_is_no_answer_of_a_registry() -> None:
    """CreateContainerConfigError names the uid, which may have the digits of a status."""
    row = next(row for row in RULES["container"] if row.reason == "ImageAccess")
    said = 'image will run as root (pod: "a-1-launcher-9hxsx_team(40159e22-b715-4a38-a403-9498d34f5c19)", container: a)'

    assert not re.search(row.pattern, said)
    assert re.search(row.pattern, "failed to pull image: unexpected status: 403 Forbidden")


def test_a_volume_that_is_being_created_is_no_cause() -> None:
    """The answers were taken a few seconds after the claim was created."""
    _, blamed, _ = told("ClaimUnbound")

    assert [] == blamed


def test_most_causes_were_seen_on_a_cluster() -> None:
    assert len({*recorded.names()} & {*CASES}) >= 60


@pytest.mark.parametrize("name", recorded.names())
def test_the_report_has_the_published_shape(name: str) -> None:
    state, blamed, made = told(name)

    jsonschema.validate(made, SHAPE)
    assert f"{state.namespace}/{state.job}, run {state.run}" in format_status(made, state)
    assert all(cause.reason in format_causes(made, blamed) for cause in blamed)


def test_the_shape_has_all_phases() -> None:
    assert list(PHASES) == SHAPE["properties"]["phase"]["enum"]


@pytest.mark.parametrize("key", sorted({key for rows in RULES.values() for row in rows for key in row.keys}))
def test_keys_to_change_are_keys(key: str) -> None:
    assert schema.find_part(tuple(key.split("."))) is not None


def test_every_cause_has_its_section_in_the_manual() -> None:
    headings = re.findall(r"^### (\w+)$", (ROOT / "docs" / "causes.md").read_text(), re.MULTILINE)

    assert list(dict.fromkeys(row.reason for rows in RULES.values() for row in rows)) == headings


@pytest.mark.parametrize(
    ("name", "phase", "reason"),
    [
        ("QuotaTaken", "Queued", "WorkersSuspended"),
        ("JobSuspended", "Suspended", "JobSuspended"),
        ("NoNodeBigEnough", "Pending", "LauncherNotStarted"),
        ("running", "Running", ""),
        ("failed", "Failed", "TrainingFailed"),
    ],
)
def test_the_phase_is_what_the_cluster_showed(name: str, phase: str, reason: str) -> None:
    _, _, made = told(name)

    assert (phase, reason) == (made["phase"], made["reason"].replace("WaitingForWorkers", ""))


# ---- single signs ----


def test_a_run_that_runs_has_no_cause() -> None:
    _, blamed, made = told("running")

    assert [] == blamed
    assert {"wanted": 2, "running": 2, "ready": 2} == made["workers"]
    assert [3, 0] == [made["aggregate"][word] for word in ("running", "failed")]


def test_a_failed_run_shows_who_failed_first() -> None:
    state, blamed, made = told("failed")

    assert ["RunFailed"] == [cause.reason for cause in blamed]
    assert (
        "the run has failed, TrainingFailed: rank 1 on cifar-1-worker-1.cifar-1 ended with exit code 9"
        == blamed[0].message
    )
    assert {"host": "cifar-1-worker-1.cifar-1", "rank": 1, "exitCode": 9}.items() <= made["firstFailure"].items()
    assert "  rank 1 gives up at step 12\n" in format_status(made, state)
    assert {"Failed": "True", "Running": "False", "ReplicaFailure": "True"}.items() <= {
        condition["type"]: condition["status"] for condition in made["conditions"]
    }.items()


def test_a_node_that_is_too_small_is_named_with_the_largest() -> None:
    _, blamed, _ = told("NoNodeBigEnough")

    assert "8 nvidia.com/gpu requested, no node has more than 0" == blamed[0].message
    assert ("workers.resources", "workers.accelerator.count") == blamed[0].keys
    assert "docs/causes.md#nonodebigenough" == blamed[0].link


def test_labels_that_no_node_has_are_named_with_those_of_the_nodes() -> None:
    _, blamed, _ = told("NoNodeSelected")

    wanted, _, there = blamed[0].message.partition(" selects: ")
    assert wanted.startswith("no node has the label example.com/pool=none and kubernetes.io/os=plan9, which pod ")
    assert "none has a label example.com/pool; kubernetes.io/os is linux" == there


def test_an_affinity_that_no_node_meets_is_named() -> None:
    _, blamed, _ = told("NoNodeSelected-affinity")

    assert blamed[0].message.startswith("no node has the label kubernetes.io/arch=s390x, which pod ")


def test_without_nodes_the_scheduler_is_repeated() -> None:
    kept = recorded.load("NoNodeSelected")
    kept.content["answers"]["/api/v1/nodes"] = {"error": 403, "message": "forbidden"}
    state = kept.state()

    assert find_causes(state, find_status(state))[0].message.startswith("no free node has the labels that pod ")


def test_the_same_cause_at_more_objects_is_counted() -> None:
    _, blamed, _ = told("NoNodeSelected")

    assert [("NoNodeSelected", 1)] == [(cause.reason, cause.more) for cause in blamed]


def test_hidden_nodes_are_said_and_no_error() -> None:
    kept = recorded.load("NoNodeBigEnough")
    kept.content["answers"]["/api/v1/nodes"] = {"error": 403, "message": "forbidden"}
    state = kept.state()
    shown = find_status(state)

    assert ["nodes"] == state.hidden
    assert ["8 nvidia.com/gpu requested, and no node has that many free"] == [
        c.message for c in find_causes(state, shown)
    ]
    assert ["not visible to you: nodes"] == make_report(state, shown)["notes"]


def test_a_queue_without_kueue_is_said() -> None:
    """As the API server answers where Kueue was removed and the Job stayed suspended."""
    kept = recorded.load("QuotaTaken")
    kept.content["now"] += 60
    for path in [path for path in kept.content["answers"] if path.startswith("/apis/kueue")]:
        kept.content["answers"][path] = {"error": 404, "message": "the server could not find the requested resource"}
    state = kept.state()

    assert "KueueMissing" == find_causes(state, find_status(state))[0].reason
