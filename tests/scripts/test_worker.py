"""The worker: serves ssh until the run is over, and leaves nothing behind."""

import signal
import time
from typing import Any

import pytest


def test_a_session_gets_the_environment_of_the_worker_byte_for_byte(pod: Any) -> None:
    value = "a b'c \"d\" $e %n;\n\\ *"
    pod.serve(ODD=value)
    done = pod.ssh("printf %s \"$ODD\"")
    assert (done.returncode, done.stdout) == (0, value)


def test_the_exit_code_of_a_command_is_passed_on_and_told(pod: Any) -> None:
    pod.serve()
    done = pod.ssh("echo out; exit 7")
    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "dsgen-session-end 7\n")


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_other_kinds_of_keys_work(pod: Any, kind: str) -> None:
    pod.make_key = lambda: type(pod).make_key(pod, kind)
    pod.serve()
    assert pod.ssh("true").returncode == 0
