"""The stacks of a hanging program: in its output, and in the report of its rank."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.conftest import program
from tests.scripts.trainings import NONCE
from worker import stacks

PROGRAM = """
import os, threading, time
def forever():
    print("step 1/9 loss nan", flush=True)
    time.sleep(600)
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
forever()
"""
WORLD = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "DSGEN_NONCE": NONCE}
PY_SPY = """Process 8: python3 train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 8 (idle): "MainThread"
    wait (train.py:3)
    <module> (train.py:9)
Thread 9 (idle): "x"
    other (y.py:1)
"""


def reports(text: str, kind: str) -> list[dict[str, Any]]:
    lines = [line.split(" ", 2) for line in text.splitlines() if line.startswith(f"{NONCE} dsgen-{kind} ")]
    return [json.loads(line[2]) for line in lines]


def test_a_rank_reports_where_its_program_hangs_and_goes_on(pod: Any) -> None:
    """A sitecustomize of the image's own is still loaded, and a program that is not ready for the signal lives on."""
    (pod.root / "own").mkdir()
    (pod.root / "own/sitecustomize.py").write_text('print("own", flush=True)\n')
    pod.settings(hangTimeoutSeconds=4, progressPattern=r"step (?P<step>\d+)/(?P<total>\d+) loss (?P<loss>\S+)")
    shell = f"sleep 4331 & {sys.executable} -c '{PROGRAM}'; wait"
    (pod.config / "command.json").write_text(json.dumps({"program": ["bash", "-c", shell], "arguments": []}))
    process = pod.start(*pod.program("worker/rank.py"), **WORLD, PYTHONPATH=str(pod.root / "own"))
    pod.wait_until(lambda: "rank-beat" in pod.log() and "loss nan" in pod.log())
    process.send_signal(signal.SIGUSR1)
    pod.wait_until(lambda: reports(pod.log(), "rank-stack"))
    process.send_signal(signal.SIGUSR1)
    pod.wait_until(lambda: len(reports(pod.log(), "rank-stack")) == 2)

    (first, second) = reports(pod.log(), "rank-stack")
    assert first == second
    assert first["stack"][0] == "forever (<string>:5)"
    assert first["stack"][-1].startswith("<module> (")
    assert "most recent call first" in pod.log()
    assert pod.log().count("own\n") == 1, "only the program"
    assert (process.poll(), len(pod.marked("4331"))) == (None, 1)
    (beat,) = [beat for beat in reports(pod.log(), "rank-beat") if beat.get("step")][:1]
    assert (beat["step"], beat["total"], str(beat["loss"])) == (1, 9, "nan")
    process.send_signal(signal.SIGTERM)
    pod.kill(pod.marked("4331")[0])


def test_a_rank_without_a_limit_says_nothing_in_between(pod: Any) -> None:
    (pod.config / "command.json").write_text(json.dumps({"program": ["sh", "-c", "env; echo x"], "arguments": []}))
    process = pod.start(*pod.program("worker/rank.py"), **WORLD)

    assert process.wait(20) == 0
    assert "PYTHONFAULTHANDLER" not in pod.log()
    assert "rank-beat" not in pod.log()


def test_only_programs_that_are_ready_are_asked() -> None:
    """Others would be ended by the signal."""
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            assert (stacks.is_ready(process.pid), stacks.ask([process.pid])) == (False, 0)
            time.sleep(0.1)
            assert process.poll() is None
        finally:
            process.kill()
    assert stacks.is_ready(process.pid) is False


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("", []),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in f\n', []),
        (PY_SPY, ["wait (train.py:3)", "<module> (train.py:9)"]),
        (
            'Thread 0x1 [x] (most recent call first):\n  File "b.py", line 2 in g\n\n'
            'Current thread 0x2 (most recent call first):\n  File "a b.py", line 3 in f\n  File "c", line 4 in h\n',
            ["f (a b.py:3)", "h (c:4)"],
        ),
    ],
)
def test_the_main_thread_is_found(text: str, frames: list[str]) -> None:
    assert stacks.parse_main_thread(text) == frames


def test_py_spy_is_asked_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "py-spy", f"[ $3 = 9 ] && exit 1\ncat <<'E'\n{PY_SPY}E")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    assert stacks.parse_main_thread(stacks.run_py_spy([9, 8]).decode())[0] == "wait (train.py:3)"
