"""The lease: which run may take it, when it is lost, and its form."""

import json
import time
from types import SimpleNamespace
from typing import Any

import pytest

from status import lease


def held(run: str, counter: int = 1) -> str:
    return json.dumps({"run": run, "counter": counter})


@pytest.mark.parametrize(
    ("data", "age", "expected"),
    [
        (None, 0, True),
        ({"1": "{}"}, 0, True),
        ({"_lease": held("2")}, 0, True),
        ({"_lease": held("1")}, 179, False),
        ({"_lease": held("1")}, 180, True),
        ({"_lease": held("1"), "1": '{"phase": "Running"}'}, 0, False),
        ({"_lease": held("1"), "1": '{"phase": "Stopped"}'}, 0, True),
        ({"_lease": "garbage"}, 0, False),
        ({"_lease": "garbage"}, 180, True),
    ],
)
def test_who_may_take_the_lease(data: dict[str, str] | None, age: float, expected: bool) -> None:
    assert ("free" if expected else "waiting") == lease.decide_state("", data, "2", age)


@pytest.mark.parametrize(
    ("before", "text", "state"),
    [
        ("", None, "free"),
        ("", held("1"), "free"),
        ("", held("2"), "waiting"),
        ("waiting", held("2"), "waiting"),
        ("waiting", held("3"), "free"),
        ("held", held("1"), "free"),
        ("held", None, "free"),
        ("held", held("2"), "lost"),
        ("held", held("3"), "lost"),
        ("lost", held("3"), "lost"),
        ("lost", None, "lost"),
    ],
)
def test_a_lease_that_another_run_has_had_is_lost_for_good(before: str, text: str | None, state: str) -> None:
    """Here run 1 asks, run 2 trains, and run 3 has ended."""
    data = {"3": '{"phase": "Succeeded"}', **({"_lease": text} if text else {})}

    assert state == lease.decide_state(before, data, "1", 10)


def test_a_renewed_lease_is_alive_again(monkeypatch: pytest.MonkeyPatch) -> None:
    observed = SimpleNamespace(data={}, configured=SimpleNamespace(run="2"))
    made, since = lease.Lease(observed), []  # type: ignore[arg-type]  # what it reads of a record
    for now, counter in ((5, 1), (100, 1), (170, 2)):
        monkeypatch.setattr(time, "monotonic", lambda now=now: now)
        observed.data = {"_lease": held("1", counter)}
        made.observe()
        since.append(made.since)

    assert [5, 5, 170] == since


def test_a_lease_counts_up() -> None:
    value = lease.make_value(held("1", 41), "2", "2026-01-01T00:00:00Z")

    assert json.loads(value) == {"run": "2", "counter": 42, "time": "2026-01-01T00:00:00Z"}
    assert json.loads(lease.make_value(None, "2", ""))["counter"] == 1


@pytest.mark.parametrize(
    ("data", "tested"),
    [
        (None, {"path": "/data", "value": None}),
        ({"1": "x"}, {"path": "/data/_lease", "value": None}),
        ({"_lease": "old"}, {"path": "/data/_lease", "value": "old"}),
    ],
)
def test_a_lease_is_written_only_over_what_was_seen(data: dict[str, str] | None, tested: dict[str, Any]) -> None:
    assert lease.make_patch(data, "new")[0] == {"op": "test", **tested}
