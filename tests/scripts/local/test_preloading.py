"""A worker loads what starts its ranks while it waits for the order to start them."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local import preloading
from tests.scripts.trainings import HOSTS

# Stands for torch.distributed.run: says when it is loaded, and starts what follows --no_python as torchrun does.
TORCHRUN = """
import os, subprocess, sys
print("loaded with", os.environ.get("DSGEN_NONCE"), "as", os.getpid(), flush=True)
{when_loaded}
def main():
    print("runs", os.path.basename(sys.argv[0]), sys.argv[1:3], "in", os.getcwd(), sys.path[0], flush=True)
    place = {{"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "0"}}
    words = sys.argv[sys.argv.index("--no_python") + 1 :]
    sys.exit(subprocess.run(words, env={{**os.environ, **place}}).returncode)
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def begin(pod: Any) -> Callable[..., Any]:
    """Start worker 1 of two, whose program prints; the first line of its torchrun names this Python."""

    def start(when_loaded: str = "", **changes: Any) -> Any:
        pod.settings(method="torchrun", **{"expectWorld": False, **changes})
        (pod.config / "hostfile").write_text("".join(f"{host} slots=1\n" for host in HOSTS))
        (pod.config / "command.json").write_text(json.dumps({"program": ["echo", "trains"], "arguments": []}))
        program = pod.scripts / "local/preload.py"
        program.rename(pod.scripts / "preload.py")
        program.symlink_to("../preload.py")  # a kubelet mounts links to files of another folder
        (pod.root / "programs").mkdir()
        program = pod.root / "programs/torchrun"
        program.write_text(f"#!{sys.executable}\n{TORCHRUN.format(when_loaded='')}")
        program.chmod(0o755)
        module = pod.root / "modules/torch/distributed/run.py"
        module.parent.mkdir(parents=True)
        module.write_text(TORCHRUN.format(when_loaded=when_loaded))
        path = f"{program.parent}:{pod.environment['PATH']}"
        return pod.start(JOB_COMPLETION_INDEX="1", PATH=path, PYTHONPATH=str(pod.root / "modules"))

    return start


def test_the_program_is_loaded_before_the_order_and_runs_after_it(pod: Any, begin: Callable[..., Any]) -> None:
    process = begin()
    pod.wait_until(lambda: "loaded with None as " in pod.log())
    assert "trains" not in pod.log()

    pod.record("Running")

    assert process.wait(20) == 0, pod.log()
    assert f"\nruns run.py ['--nnodes', '2'] in {pod.root} {pod.root}\n" in pod.log()
    assert (1, 1) == (pod.log().count("loaded with"), pod.log().count("\ntrains\n"))
    assert "[dsgen] rank 1 of 2 started on cifar-1-worker-1.cifar-1\n" in pod.log(), "it got the nonce"


def test_what_cannot_be_loaded_starts_as_without_it(pod: Any, begin: Callable[..., Any]) -> None:
    process = begin(when_loaded="raise ImportError('no libtorch')")
    pod.wait_until(lambda: "local/preload.py ended with 1 before the start of the training" in pod.log())

    pod.record("Running")

    assert process.wait(20) == 0, pod.log()
    assert "\ntrains\n" in pod.log()
    assert "ImportError: no libtorch" in pod.log()


def test_it_ends_with_a_run_that_ends_before_its_start(pod: Any, begin: Callable[..., Any]) -> None:
    process = begin()
    loaded = pod.wait_until(lambda: loading(pod))

    pod.record("Stopped")

    assert process.wait(20) == 0
    assert pod.parent(loaded) == 0
    assert "trains" not in pod.log()


def test_it_ends_with_a_worker_that_is_killed(pod: Any, begin: Callable[..., Any]) -> None:
    process = begin()
    loaded = pod.wait_until(lambda: loading(pod))
    assert pod.parent(loaded) == process.pid

    process.kill()

    pod.wait_until(lambda: pod.parent(loaded) == 0)


def loading(pod: Any) -> int:
    """The process id of the program that is loaded; 0 before it is."""
    found = re.search(r"loaded with None as (\d+)\n", pod.log())
    return int(found[1]) if found else 0


def test_nothing_is_loaded_for_a_person_who_starts_it_by_hand(pod: Any, begin: Callable[..., Any]) -> None:
    begin(debug=True)
    pod.wait_until(pod.ready)
    pod.record("Running")
    pod.wait_until(lambda: "the training is not started" in pod.log())

    assert "loaded with" not in pod.log()


@pytest.mark.parametrize(
    ("first_line", "named"),
    [
        ("#!/usr/bin/python3", "/usr/bin/python3"),
        ("#!/opt/conda/bin/python3.11", "/opt/conda/bin/python3.11"),
        ("#!/usr/bin/env python3", ""),
        ("#!/bin/sh", ""),
        ("\x7fELF", ""),
    ],
)
def test_the_interpreter_is_the_one_of_the_program(tmp_path: Path, first_line: str, named: str) -> None:
    program = tmp_path / "torchrun"
    program.write_text(f"{first_line}\n")
    program.chmod(0o755)

    assert preloading.find_interpreter(str(program)) == named


def test_a_program_that_is_missing_has_no_interpreter() -> None:
    assert preloading.find_interpreter("no-such-program-here") == ""
