"""A worker without ssh that takes no orders starts by the record, and exits with the code of its part."""

import json
import signal
import socket
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.scripts.conftest import program
from tests.scripts.trainings import HOSTS

# Starts once what follows --no_python, as torchrun does with a world of so many ranks.
STARTER = """
echo "torchrun $*"
until [ "$1" = --no_python ]; do shift; done
shift
RANK=1 WORLD_SIZE={world} LOCAL_RANK=0 "$@"
[ $? = 0 ] || exit 1
"""
LEAVES = """#!/bin/bash
until [ "$1" = --no_python ]; do shift; done
shift
RANK=1 WORLD_SIZE=2 LOCAL_RANK=0 "$@" &
until [ -e started ]; do sleep 0.1; done
"""


@pytest.fixture
def begin(pod: Any) -> Callable[..., Any]:
    """Start worker 1 of two with this program, by `method`."""

    def start(*command: str, method: str = "worker-command", world: int = 2, **changes: Any) -> Any:
        pod.settings(method=method, **{"expectWorld": False, **changes})
        (pod.config / "hostfile").write_text("".join(f"{host} slots=1\n" for host in HOSTS))
        (pod.config / "command.json").write_text(json.dumps({"program": command, "arguments": []}))
        starter = program(pod.root / "programs/torchrun", STARTER.format(world=world))
        path = f"{starter.parent}:{pod.environment['PATH']}"
        return pod.start(JOB_COMPLETION_INDEX="1", PATH=path)

    return start


def test_it_is_ready_and_waits_for_the_record(pod: Any, begin: Callable[..., Any]) -> None:
    assert not pod.ready()
    pod.count_ticks()
    process = begin("echo", "trains")
    pod.wait_until(pod.ready)
    pod.record("Pending")
    pod.wait_for_ticks()
    assert (process.poll(), "trains" in pod.log()) == (None, False)
    pod.record("Starting")
    assert process.wait(20) == 0, pod.log()
    assert "\ntrains\n" in pod.log()


def test_for_debugging_it_is_started_by_hand(pod: Any, begin: Callable[..., Any]) -> None:
    """With the variables that it would have had; the worker waits for the end of the run."""
    process = begin("sh", "-c", "echo node $NODE_RANK of $NNODES", debug=True)
    pod.wait_until(pod.ready)
    pod.record("Running")
    pod.wait_until(lambda: "the training is not started" in pod.log())
    done = subprocess.run(["bash", pod.run / "train.sh"], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    assert (done.stdout, "node 1" in pod.log()) == ("node 1 of 2\n", False)
    assert process.poll() is None
    pod.record("Stopped")
    assert process.wait(20) == 0, pod.log()


@pytest.mark.parametrize("method", ["worker-command", "torchrun"])
def test_the_exit_code_is_that_of_the_rank_that_failed(pod: Any, begin: Callable[..., Any], method: str) -> None:
    """Not that of whoever started it; the pod's message has the last lines."""
    pod.record("Running")
    assert begin("bash", "-c", "echo one; echo two >&2; exit 5", method=method).wait(20) == 5
    assert pod.termination_message() == "rank 1 ended with exit code 5\none\ntwo"
    assert "[dsgen] rank 1 on cifar-1-worker-1.cifar-1 ended with 5\n" in pod.log()


@pytest.mark.parametrize("number", [9, 15])
def test_a_program_that_a_signal_ended_is_a_failure_and_no_lost_pod(
    pod: Any, begin: Callable[..., Any], number: int
) -> None:
    pod.record("Running")
    assert begin("bash", "-c", f"kill -{number} $$").wait(20) == 1
    assert f"rank 1 ended with exit code {128 + number}" in pod.termination_message()


def test_told_to_stop_it_ends_with_143_when_its_program_has_ended(pod: Any, begin: Callable[..., Any]) -> None:
    """The program has the time that it needs, and its good end is no good end of the training."""
    pod.record("Running")
    process = begin("bash", "-c", "trap 'sleep 1; echo saved; exit 0' TERM; sleep 4301 & wait", method="torchrun")
    pod.wait_until(lambda: pod.marked("4301"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143
    assert "\nsaved\n" in pod.log()
    assert pod.marked("4301") == []


def test_a_program_that_does_not_stop_is_killed_within_the_grace_period(pod: Any, begin: Callable[..., Any]) -> None:
    pod.record("Running")
    process = begin("bash", "-c", "trap '' TERM; sleep 4302 & wait; sleep 4302", terminationGracePeriodSeconds=22)
    pod.wait_until(lambda: pod.marked("4302"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143
    assert pod.marked("4302") == []


@pytest.mark.parametrize("phase", ["Failed", "Stopped"])
def test_it_ends_when_the_run_is_over(pod: Any, begin: Callable[..., Any], phase: str) -> None:
    pod.record("Running")
    process = begin("sleep", "4303")
    pod.wait_until(lambda: pod.marked("4303"))
    pod.record(phase)
    assert process.wait(20) == 0, pod.log()
    assert pod.marked("4303") == []


def test_a_world_of_another_size_ends_it(pod: Any, begin: Callable[..., Any]) -> None:
    pod.record("Running")
    assert begin("sleep", "4304", method="torchrun", world=1).wait(20) == 1
    assert pod.termination_message() == "a rank reported a world of 1, 2 was asked for"
    assert pod.marked("4304") == []


def test_a_starter_that_starts_nothing_is_no_success(pod: Any, begin: Callable[..., Any]) -> None:
    pod.record("Running")
    assert begin("true", method="torchrun", slots=2, world=4).wait(20) == 1
    assert pod.termination_message() == "1 of 2 ranks of this worker started"


def test_a_starter_that_leaves_its_rank_behind_is_no_success(pod: Any, begin: Callable[..., Any]) -> None:
    """deepspeed exits with 0 after launch.py was killed."""
    process = begin("bash", "-c", "touch started; sleep 4305", method="torchrun")
    starter = pod.root / "programs/torchrun"
    starter.write_text(LEAVES)
    pod.record("Running")

    assert process.wait(20) == 1
    assert pod.termination_message() == "the training ended with exit code 137"
    assert pod.marked("4305") == []


def test_a_command_finds_its_place_and_nothing_is_added_to_it(pod: Any, begin: Callable[..., Any]) -> None:
    pod.record("Running")
    command = ["bash", "-c", 'echo "$NNODES $NODE_RANK $PET_MASTER_ADDR $RANK|$*|"', "-", "a  b"]
    assert begin(*command, localRank=True).wait(20) == 0
    assert "2 1 cifar-1-worker-0.cifar-1 |a  b|\n" in pod.log()


# Prints of its parent the number of descriptors and the blocked signals, and the nonce of reports.
PARENT = """
status=/proc/$PPID/status
echo parent $(ls /proc/$PPID/fd | wc -w) $(grep SigBlk $status | cut -f 2) ${DSGEN_NONCE-none}
"""


def test_the_supervisor_of_its_command_is_a_child_that_shares_nothing_with_it(
    pod: Any, begin: Callable[..., Any]
) -> None:
    """Neither its sockets nor its blocked signals: it has three streams, the output, and both ends of another pipe."""
    pod.record("Running")
    assert begin("bash", "-c", PARENT).wait(20) == 0
    assert "parent 6 0000000000000000 none\n" in pod.log()


def test_an_error_of_the_supervisor_is_its_end(pod: Any, begin: Callable[..., Any]) -> None:
    """It does not go on as another worker."""
    rank = pod.scripts / "worker/rank.py"
    rank.write_text(rank.read_text().replace("    run = settings.load()\n", "    raise OSError(28, 'no room')\n"))
    pod.record("Running")
    assert begin("echo", "trains").wait(20) == 1
    assert pod.log().count("OSError: [Errno 28] no room") == 1
    assert pod.log().count("; exit code 1\n") == 1


def test_what_the_image_lacks_is_said(pod: Any, begin: Callable[..., Any]) -> None:
    assert begin("true", method="deepspeed-no-ssh").wait(20) == 78
    assert pod.termination_message().startswith("the image has no deepspeed: ")


def test_a_launcher_that_cannot_be_reached_does_not_matter(pod: Any, begin: Callable[..., Any]) -> None:
    pod.record("Running", launcher="127.0.0.1:1/x", start="record")
    assert begin("true").wait(20) == 0


@pytest.mark.parametrize(
    ("sign", "code"), [("", 75), ("import itertools; record.read_mounted = itertools.count().__next__", 0)]
)
def test_nobody_who_begins_the_run_is_waited_for_without_end(pod: Any, sign: str, code: int) -> None:
    """A lease that is renewed, by whichever run, is a sign that this one's turn will come."""
    pod.settings(method="torchrun", orphanTimeoutSeconds=1)
    (pod.config / "hostfile").write_text("a slots=1\n")
    done = pod.python(
        f"import sys; sys.path.insert(0, {str(pod.scripts)!r}); import time\n"
        "from shared import record, settings; from local import training as worker\n"
        f"worker.ORPHAN_SECONDS = 1; {sign.replace('.__next__', '')}\n"
        + ("signs = record.read_mounted; record.read_mounted = lambda run: next(signs)\n" if sign else "")
        + "part = worker.LocalTraining(settings.load()); time.sleep(1.2)\n"
        "try: part.check(); print(0)\nexcept worker.WorkerExitError as end: print(end.code)"
    )
    assert done == str(code)


@pytest.mark.parametrize("method", ["worker-command", "torchrun"])
def test_a_program_that_trains_alone_has_not_succeeded(pod: Any, begin: Callable[..., Any], method: str) -> None:
    pod.record("Running")
    process = begin("python3", "-c", "print('alone')", method=method, expectWorld=True)

    assert process.wait(20) == 1
    assert "ranks that never connected with the others: 1 (launch.expectWorld); exit code 1\n" in pod.log()


def test_a_program_that_met_its_peers_has_succeeded(pod: Any, begin: Callable[..., Any]) -> None:
    pod.record("Running")
    with socket.create_server(("127.0.0.2", 0)) as master:
        connect = f"import socket, time; c = socket.create_connection(('127.0.0.2', {master.getsockname()[1]}))"
        process = begin(
            "python3", "-c", f"{connect}; time.sleep(1)", masterPort=master.getsockname()[1], expectWorld=True
        )
        assert process.wait(20) == 0, pod.log()
