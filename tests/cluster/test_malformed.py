"""Whoever may write a record of one namespace breaks no command that shows others, and the record is named."""

import json
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Cli
from tests.cluster.server import RecordedServer

WHOLE = {
    "version": 1,
    "phase": "Running",
    "startTime": "2026-01-01T00:00:00Z",
    "workers": {"replicas": 2},
    "attempts": [{"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:01Z", "tail": ["x"], "workers": 1}],
    "totals": {"attempts": 1, "failures": 0, "replacements": 0, "seconds": 1},
    "progress": {"step": 1, "total": 2, "loss": 1.0, "time": "2026-01-01T00:00:00Z", "secondsPerStep": 1.5},
    "network": {"median": 2, "lowest": 1},
}
WRONG: list[Any] = [7, "x", [], [[]], [None], {}, {"seconds": "x"}, True, 10**300, 1e999, float("nan")]
PATHS = [
    *((key,) for key in WHOLE if key not in ("version", "phase")),
    *(("attempts", 0, key) for key in ("startTime", "endTime", "tail", "workers", "reason", "host", "rank")),
    *(("totals", key) for key in ("attempts", "seconds")),
    *(("progress", key) for key in ("step", "total", "loss", "secondsPerStep", "eta", "checkpoint", "memory")),
    *(("network", key) for key in ("median", "lowest")),
    ("workers", "replicas"),
]


def spoil(path: tuple[Any, ...], value: Any) -> str:
    """The record with another value at a path."""
    record = json.loads(json.dumps(WHOLE))
    part = record
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return json.dumps(record)


def write_record(server: RecordedServer, text: str, key: str = "1") -> None:
    path = next(name for name in server.objects if name.endswith("/namespaces/research/configmaps/llama-status"))
    server.objects[path]["data"] = {key: text}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
def test_a_malformed_record_breaks_no_list(server: RecordedServer, cli: Cli, path: tuple[Any, ...]) -> None:
    for value in WRONG:
        write_record(server, spoil(path, value))
        done = cli("list", "-A")

        assert (0, 3) == (done.code, len(done.out.splitlines())), (value, done.err)
        assert "training/cifar" in done.out.replace("  ", "/") or "cifar" in done.out


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (spoil(("attempts",), {}), "attempts is no list"),
        (spoil(("attempts", 0, "startTime"), 7), "attempts[0].startTime is no text"),
        (spoil(("totals", "seconds"), "x"), "totals.seconds is no number"),
        ("[" * 100_000, "it is not JSON"),
        ("{", "it is not JSON"),
        ("[]", "it is no map"),
    ],
)
@pytest.mark.parametrize("command", ["list", "status", "why"])
def test_a_malformed_record_is_named(server: RecordedServer, cli: Cli, text: str, named: str, command: str) -> None:
    write_record(server, text)
    done = cli("list", "-A") if command == "list" else cli(command, "research/llama")

    assert f"the record is malformed, and not read: {named}" in done.out + done.err
    assert "research/llama" in done.out + done.err
    assert done.code in (0, 1)


def test_labels_and_annotations_of_others_break_no_list(server: RecordedServer, cli: Cli) -> None:
    for item in server.objects.values():
        if item["metadata"].get("namespace") == "research":
            item["metadata"].setdefault("annotations", {})["batch.kubernetes.io/job-completion-index"] = "x"
            item.get("spec", {}).get("template", {}).pop("metadata", None)
    write_record(server, json.dumps({"time": 7, "run": []}), "_lease")

    assert 0 == cli("list", "-A").code
    assert 0 == cli("status", "research/llama").code


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("text", ["##vso[task.complete]x", "##[group]x", "a\n::error::x", "##[a]\n\n  ::b::c" * 40])
def test_data_for_programs_is_no_command_of_a_ci_system(server: RecordedServer, cli: Cli, form: str, text: str) -> None:
    write_record(server, json.dumps({**WHOLE, "phase": "Failed", "reason": "X", "message": text}))
    for command in (
        ("status", "research/llama"),
        ("list", "-A"),
        ("why", "research/llama"),
        ("events", "research/llama"),
    ):
        shown = cli(*command, "-o", form).out

        assert "##" not in shown
        assert [] == [line for line in shown.splitlines() if line.lstrip().startswith("::")]
    read = json.loads if form == "json" else yaml.safe_load
    assert text == read(cli("status", "research/llama", "-o", form).out)["message"]
