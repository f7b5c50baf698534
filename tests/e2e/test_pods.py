"""Additions of users to real pods: containers, volumes, another user, the network of the node."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.training import Job, Run, condition, ended

pytestmark = pytest.mark.by_turns

# Sourced by both main containers; what is missing fails the run.
SETUP = """\
set -eu
[ "$(cat /scratch/prepared)" = "by 4321" ]
[ "$(id -u)" = 4321 ]
[ "$(cat /words/job)" = "$DSGEN_JOB" ]
[ -d /own ]
getent hosts registry.example.test | grep -q 10.9.8.7
[ "$DSGEN_ROLE" = launcher ] || [ "$NCCL_SOCKET_IFNAME $GLOO_SOCKET_IFNAME" = "eth0 eth0" ]
set +eu
"""
PREPARE = "echo by $(id -u) >/scratch/prepared"
SIDECAR = "trap 'echo told to stop; exit 0' TERM; echo begun; while :; do sleep 0.2; done"


@pytest.fixture(scope="module")
def options(make_job: Callable[..., Job], image: str) -> Run:
    """Containers and volumes of the user's; the user id is that of the main containers alone."""
    job = make_job("options")
    user = {"runAsUser": 4321, "runAsGroup": 4321}
    mounts = [{"name": "scratch", "mountPath": "/scratch"}]
    container = {"image": image, "securityContext": user, "volumeMounts": mounts}
    role = {
        "securityContext": user,
        "initContainers": [{"name": "prepare", "command": ["bash", "-c", PREPARE], **container}],
        "sidecars": [{"name": "aside", "command": ["bash", "-c", SIDECAR], **container}],
        "extraPodSpec": {"hostAliases": [{"ip": "10.9.8.7", "hostnames": ["registry.example.test"]}]},
        "extraContainerSpec": {"tty": True},
    }
    for name in ("workers", "launcher"):
        job.values[name] |= role
    job.values["workers"]["spread"] = "preferred"
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    words = {"items": [{"path": "job", "fieldRef": {"fieldPath": "metadata.labels['dsgen.dev/job']"}}]}
    volumes: dict[str, dict[str, Any]] = {
        "scratch": {"mountPath": "/scratch", "emptyDir": {}},
        "words": {"mountPath": "/words", "readOnly": True, "projected": {"sources": [{"downwardAPI": words}]}},
        "own": {"mountPath": "/own", "ephemeral": {"volumeClaimTemplate": {"spec": claim}}},
    }
    job.values["storage"] = {name: {**volume, "mountIn": "both"} for name, volume in volumes.items()}
    job.values["network"] = {"socketInterface": "eth0"}
    job.values["training"] |= {"setup": SETUP, "args": []}
    job.apply()
    return job.ended()


def test_it_trains(options: Run) -> None:
    assert ("Succeeded", 2) == (options.record["phase"], options.record["worldSize"])
    assert ("Complete", "Complete") == (condition(options.launcher).type, condition(options.worker).type)


def test_sidecars_run_to_the_end_and_hold_nothing_up(options: Run) -> None:
    """They begin before the main container and are told to stop after it; the Jobs complete all the same."""
    for pod in options.pods:
        said = options.logs[f"{pod.metadata.name}/aside"].splitlines()
        main, aside = ended(pod), ended(pod, "aside")

        assert ["begun", "told to stop"] == said
        assert aside.started_at <= main.started_at
        assert main.finished_at <= aside.finished_at


def test_the_passwd_entry_is_that_of_the_main_container(options: Run) -> None:
    """The image knows no such user; without the entry neither ssh nor sshd would work."""
    said = [text for name, text in options.logs.items() if name.endswith("/passwd")]

    assert ["user id 4321"] * 3 == [text.removeprefix("[dsgen] ").partition(":")[0] for text in said]
