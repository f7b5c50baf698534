"""The record of a run, its lease, and the end of an attempt: pure functions, tested with tables."""

import json
from pathlib import Path
from typing import Any

import pytest

from launcher import journal, outcome
from shared import exchange, record
from tests import hostile

TRAINED = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:01:40Z", "reason": "TrainingFailed"}
LOST = {
    "startTime": "2026-01-01T00:02:00Z",
    "endTime": "2026-01-01T00:02:30Z",
    "reason": "WorkersLost",
    "counted": True,
}
OPEN = {"startTime": "2026-01-01T00:03:00Z"}


EVENTS = {  # by phase and exit code of the launcher after a training that ended with 3
    ("Queued", None): "queued",
    ("Pending", None): "begun key turn waiting workers-lost launcher-lost",
    ("Pending", 143): "terminated",
    ("Starting", None): "started preflight resizing",
    ("Running", None): "running debug",
    ("Restarting", None): "restarting hung-restarting growing",
    ("Suspended", None): "suspended",
    ("Stopped", None): "stopped",
    ("Succeeded", 0): "succeeded debug-ended",
    ("Failed", None): "last-launcher-lost",
    (
        "Failed",
        1,
    ): "hung world-size never-met lost-too-often workers-failed deadline lease-lost no-record bug"
    " setup-failed preflight-failed resize-refused resize-failed",
    ("Failed", 3): "failed debug-failed",
    ("Failed", 69): "unreachable",
    ("Failed", 78): "bad-key no-tool no-key-made code-failed changed",
}


def test_each_event_leads_to_one_phase_and_exit_code() -> None:
    expected = {event: end for end, events in EVENTS.items() for event in events.split()}

    assert expected == {
        event: (row.phase, None if row.exit is None else record.choose_exit_code(row, 3))
        for event, row in record.TRANSITIONS.items()
    }


@pytest.mark.parametrize(
    ("training", "expected"),
    [(1, 1), (3, 3), (69, 69), (255, 1), (137, 1), (143, 1), (0, 1), (None, 1), (300, 1), (-9, 1)],
)
def test_exit_code_of_a_failed_training(training: int | None, expected: int) -> None:
    """It is the training's, but 137, 143 and 255 would mean a lost launcher pod, and 0 success."""
    assert expected == record.choose_exit_code(record.TRANSITIONS["failed"], training)


@pytest.mark.parametrize(
    ("phase", "reason", "code", "expected"),
    [
        ("Succeeded", "", 0, 0),
        ("Failed", "TrainingFailed", 3, 3),
        ("Failed", "TrainingFailed", 137, 1),
        ("Failed", "WorkersUnreachable", None, 69),
        ("Failed", "WorldSize", None, 1),
        ("Failed", "LauncherLost", None, 1),
        ("Failed", "KeygenFailed", None, 78),
        ("Failed", "a reason of a later version", 5, 5),
        ("Stopped", "JobDeleted", None, 1),
    ],
)
def test_exit_code_after_the_end(phase: str, reason: str, code: int | None, expected: int) -> None:
    """A launcher pod that is started after the end gives the exit code that the first one gave."""
    assert expected == record.repeat_exit_code({"phase": phase, "reason": reason, "exitCode": code})


def test_times_are_rfc_3339_in_utc() -> None:
    assert record.format_time(1767225600.9) == "2026-01-01T00:00:00Z"
    assert record.parse_time("2026-01-01T00:00:00Z") == 1767225600
    assert record.parse_time(None) is None
    assert record.parse_time("yesterday") is None


@pytest.mark.parametrize("text", [None, "", "{", "[]", "null", "7"])
def test_what_is_no_record_is_empty(text: str | None) -> None:
    assert record.parse(text) == {}


def test_totals_sum_the_attempts_and_those_before() -> None:
    before = {"attempts": 2, "failures": 1, "replacements": 1, "seconds": 10}

    totals = record.compute_totals([TRAINED, LOST, OPEN], before)

    assert totals == {"attempts": 5, "failures": 2, "replacements": 2, "seconds": 140}


@pytest.mark.parametrize(
    ("attempts", "expected"),
    [
        ([], [{"startTime": None, "endTime": "2026-01-01T01:00:00Z", "reason": "LauncherLost"}]),
        ([OPEN], [{**OPEN, "endTime": "2026-01-01T01:00:00Z", "reason": "LauncherLost"}]),
        ([TRAINED], [TRAINED, {"startTime": None, "endTime": "2026-01-01T01:00:00Z", "reason": "LauncherLost"}]),
        ([{**OPEN, "endTime": "x", "reason": "LauncherLost"}], [{**OPEN, "endTime": "x", "reason": "LauncherLost"}]),
    ],
)
def test_a_lost_launcher_is_listed_once(attempts: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert expected == record.close(attempts, "LauncherLost", "2026-01-01T01:00:00Z")


def test_an_attempt_never_ends_before_it_began() -> None:
    assert record.close([OPEN], "LauncherLost", "2026-01-01T00:00:00Z")[0]["endTime"] == OPEN["startTime"]


def test_taking_over_closes_the_attempt_of_the_lost_pod() -> None:
    """Its time counts for the deadline, and it is counted once."""
    before = {"phase": "Running", "reason": "", "attempts": [OPEN], "totals": record.compute_totals([OPEN])}

    taken = record.take_over(before, "2026-01-01T00:04:00Z")

    assert taken["attempts"] == [{**OPEN, "endTime": "2026-01-01T00:04:00Z", "reason": "LauncherLost"}]
    assert taken["totals"] == {"attempts": 1, "failures": 0, "replacements": 0, "seconds": 60}


def test_taking_over_lists_a_pod_that_was_lost_while_it_waited() -> None:
    before = {"phase": "Pending", "reason": "WaitingForWorkers", "attempts": [], "totals": record.compute_totals([])}

    taken = record.take_over(before, "2026-01-01T00:04:00Z")

    assert taken["attempts"] == [{"startTime": None, "endTime": "2026-01-01T00:04:00Z", "reason": "LauncherLost"}]
    assert taken["totals"]["attempts"] == 1


@pytest.mark.parametrize("reason", ["LauncherTerminated", "LauncherLost", "JobSuspended"])
def test_taking_over_from_an_orderly_end_changes_nothing(reason: str) -> None:
    before = {"phase": "Pending", "reason": reason, "attempts": [TRAINED], "totals": record.compute_totals([TRAINED])}

    assert record.take_over(before, "2026-01-01T00:04:00Z") == before


def test_the_first_pod_takes_over_nothing() -> None:
    assert record.take_over({}, "2026-01-01T00:04:00Z") == {}


def test_compose_before_the_launcher_says_anything() -> None:
    composed = record.compose({}, {}, {"replicas": 2, "slots": 1, "failed": 0}, 1767225600, 1767225601)

    assert composed == {
        "version": 1,
        "phase": "Pending",
        "reason": "LauncherStarting",
        "message": "",
        "exitCode": None,
        "worldSize": None,
        "startTime": "2026-01-01T00:00:00Z",
        "endTime": None,
        "workers": {"replicas": 2, "slots": 1, "failed": 0},
        "attempts": [],
        "totals": {"attempts": 0, "failures": 0, "replacements": 0, "seconds": 0},
    }


def test_compose_adds_to_what_earlier_pods_recorded() -> None:
    earlier = {"startTime": "2025-12-31T00:00:00Z", "attempts": [TRAINED], "totals": record.compute_totals([TRAINED])}
    launcher = {"phase": "Failed", "reason": "TrainingFailed", "exitCode": 3, "attempts": [LOST], "terminated": False}

    composed = record.compose(earlier, launcher, {}, 1767225600, 1767225601)

    assert composed["startTime"] == "2025-12-31T00:00:00Z"
    assert composed["endTime"] == "2026-01-01T00:00:01Z"
    assert composed["attempts"] == [TRAINED, LOST]
    assert composed["totals"] == {"attempts": 2, "failures": 1, "replacements": 1, "seconds": 130}
    assert "terminated" not in composed


def test_a_record_is_one_line_that_reads_back() -> None:
    content = {"message": "ä\n\x7f\u2028", "attempts": [TRAINED]}

    assert "\n" not in record.format_line(content)
    assert json.loads(record.format_line(content)) == content


def test_the_oldest_tails_are_cut_first() -> None:
    attempts = [{**TRAINED, "tail": ["x" * 4000]} for _ in range(5)]

    cut = json.loads(record.format_line({"phase": "Failed", "attempts": attempts}))

    assert len(record.format_line({"phase": "Failed", "attempts": attempts}).encode()) <= record.LIMIT_BYTES
    assert [len(attempt.get("tail", [])) for attempt in cut["attempts"]] == [0, 0, 1, 1, 1]


def test_then_the_oldest_attempts_and_then_the_message() -> None:
    attempts = [{**TRAINED, "number": number} for number in range(500)]

    cut = json.loads(record.format_line({"message": "m" * 20000, "attempts": attempts}))
    few = json.loads(record.format_line({"message": "", "attempts": attempts}))

    assert [attempt["number"] for attempt in cut["attempts"]] == [499]
    assert cut["message"].endswith("m...")
    assert few["attempts"][-1]["number"] == 499
    assert 100 < len(few["attempts"]) < 500


@pytest.mark.parametrize("character", ["ä", "\u65e5", "\U0001f600", '"', "\\", "\x00"])
def test_the_limit_holds_whatever_the_message_holds(character: str) -> None:
    line = record.format_line(
        {"message": character * 20000, "attempts": [{**TRAINED, "tail": [character * 4000] * 20}]}
    )

    assert len(line.encode()) <= record.LIMIT_BYTES
    assert json.loads(line)["attempts"][0]["reason"] == "TrainingFailed"


@pytest.mark.parametrize("attempt", [{}, {"tail": ["x" * 50] * 3}], ids=["empty", "with a tail"])
def test_the_work_grows_with_the_attempts(attempt: dict[str, Any]) -> None:
    """The launcher's container may write any number of them, while the sidecar has a lease to renew."""

    def make(size: int) -> dict[str, Any]:
        return {"message": "m", "attempts": [attempt] * size}

    assert not hostile.grows(make, record.format_line, 1000)


def ended(end: str) -> str:
    return json.dumps({"phase": "Succeeded", "endTime": end})


@pytest.mark.parametrize(
    ("history", "expected"), [(20, []), (3, ["a"]), (2, ["a", "b"]), (1, ["a", "b"]), (0, ["a", "b"])]
)
def test_history_drops_the_runs_that_ended_first(history: int, expected: list[str]) -> None:
    """Not the present run, not the lease, and not a run that has not ended."""
    runs = {"b": ended("2026-01-02"), "a": ended("2026-01-01"), "c": '{"phase": "Running"}', "me": ended("2025")}
    data = {"_lease": "{}", **runs}

    assert expected == record.list_dropped_runs(data, "me", history)


def test_summary() -> None:
    content = {"phase": "Failed", "reason": "WorldSize", "message": "1 of 2 ranks started"}

    assert record.describe(content) == "Failed: WorldSize: 1 of 2 ranks started"
    assert record.describe({"phase": "Succeeded", "reason": "", "message": ""}) == "Succeeded"


GOOD = outcome.AttemptFacts(
    code=0,
    training_code=0,
    cut="",
    lost=False,
    whole=True,
    strangers=0,
    world_is_wrong=False,
    restarts=0,
    max_restarts=0,
    restart_exit_codes=(),
)
BAD = GOOD._replace(code=1, training_code=3, whole=False)


@pytest.mark.parametrize(
    ("facts", "event"),
    [
        (GOOD, "succeeded"),
        (GOOD._replace(strangers=1), "never-met"),
        (BAD._replace(strangers=1), "failed"),
        (GOOD._replace(whole=False), "world-size"),
        (GOOD._replace(world_is_wrong=True), "world-size"),
        (GOOD._replace(whole=False, lost=True), "workers-lost"),
        (BAD, "failed"),
        (BAD._replace(whole=True), "failed"),
        (BAD._replace(lost=True), "workers-lost"),
        (BAD._replace(lost=True, max_restarts=1), "workers-lost"),
        (BAD._replace(max_restarts=1), "restarting"),
        (BAD._replace(max_restarts=1, restarts=1), "failed"),
        (BAD._replace(max_restarts=1, restart_exit_codes=(3, 4)), "restarting"),
        (BAD._replace(max_restarts=1, restart_exit_codes=(1,)), "failed"),
        (BAD._replace(cut="follow"), "failed"),
        (BAD._replace(cut="follow", max_restarts=1), "restarting"),
        (BAD._replace(cut="follow", lost=True), "workers-lost"),
        (BAD._replace(cut="hung"), "hung"),
        (BAD._replace(cut="hung", max_restarts=1, restart_exit_codes=(1,)), "hung-restarting"),
        (BAD._replace(cut="hung", max_restarts=1, restarts=1), "hung"),
        (BAD._replace(cut="hung", lost=True), "workers-lost"),
        (BAD._replace(cut="world-size", max_restarts=1), "world-size"),
        (BAD._replace(cut="deadline", lost=True), "deadline"),
        (BAD._replace(cut="lease-lost", max_restarts=1), "lease-lost"),
        (BAD._replace(cut="workers-failed", lost=True), "workers-failed"),
        (BAD._replace(cut="terminated", lost=True, max_restarts=1), "terminated"),
        (GOOD._replace(cut="terminated"), "terminated"),
        (GOOD._replace(cut="deadline"), "deadline"),
    ],
)
def test_outcome_of_an_attempt(facts: outcome.AttemptFacts, event: str) -> None:
    assert event == outcome.decide(facts)
    assert event in record.TRANSITIONS


@pytest.mark.parametrize(
    ("status", "event"),
    [
        ({}, ""),
        ({"lease": "held", "workers": None}, ""),
        ({"lease": "waiting"}, ""),
        ({"lease": "lost"}, "lease-lost"),
        ({"known": True, "workers": {"state": "active", "failed": 3}}, ""),
        ({"known": True, "workers": {"state": "failed"}}, "workers-failed"),
        ({"known": True, "workers": {"state": "complete"}}, "workers-failed"),
        ({"known": False, "workers": {"state": "complete"}}, ""),
        ({"known": True, "workers": {"state": "complete"}, "ended": {"phase": "Succeeded"}}, "ended"),
    ],
)
def test_what_ends_a_run_from_outside(run_folder: Path, status: dict[str, Any], event: str) -> None:
    exchange.write(run_folder / exchange.STATUS, status)

    assert event == journal.SidecarState().find_event()


def test_a_record_and_its_sentence_hide_passwords() -> None:
    tail = ["pip install https://me:hunter2@example.com/simple?token=hunter2 failed", 'ssh://git@example.com/x "a"']
    whole = {"phase": "Failed", "message": "HTTPS://hunter2@example.com", "attempts": [{"tail": tail}]}

    line, words = record.format_line(whole), record.describe(whole)

    assert "hunter2" not in line + words
    assert ["pip install https://***@example.com/simple?*** failed", tail[1]] == json.loads(line)["attempts"][0]["tail"]
    assert "Failed: HTTPS://***@example.com" == words
