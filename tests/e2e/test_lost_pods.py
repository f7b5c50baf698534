"""The Job controller replaces pods with the exit code that a kubelet reports after a restart of the node."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.cluster import soon
from tests.e2e.training import Job

pytestmark = pytest.mark.by_turns

REBOOTED = 255


def end_pod(job: Job, role: str, code: int) -> None:
    """Say of the one pod of this role what a kubelet says once its container has ended: no kubelet has it."""
    (pod,) = soon(f"the pod of the {role}", lambda: job.pods("1", role), 60)
    ended = {"name": role, "image": "none", "imageID": "", "restartCount": 0, "ready": False}
    ended["state"] = {"terminated": {"exitCode": code, "reason": "Unknown"}}
    patch = json.dumps({"status": {"phase": "Failed", "containerStatuses": [ended]}})
    job.space.kubectl("patch", "pod", pod.metadata.name, "--subresource=status", "--patch", patch)


def conditions(job: Job, role: str) -> list[str]:
    job_object = json.loads(job.space.kubectl("get", "job", f"digits-1-{role}", "--output", "json"))
    return [one["type"] for one in job_object["status"].get("conditions", [])]


@pytest.mark.parametrize("role", ["launcher", "worker"])
@pytest.mark.parametrize(("code", "lost"), [(REBOOTED, True), (1, False)])
@pytest.mark.parametrize("method", ["pdsh", "torchrun"])
def test_a_pod_of_a_node_that_was_started_again_is_replaced(
    make_job: Callable[..., Job], role: str, method: str, code: int, lost: bool
) -> None:
    """Any other exit code is the result of the run, but for workers over ssh: they are replaced."""
    job = make_job("reboot")
    nowhere: dict[str, Any] = {"nodeSelector": {"dsgen.dev/e2e-node": "none"}}
    job.values["workers"] |= {"replicas": 1, **nowhere}
    job.values |= {"launcher": {**job.values.get("launcher", {}), **nowhere}, "launch": {"method": method}}
    job.apply()
    first = [pod.metadata.name for pod in soon("a pod", lambda: job.pods("1", role), 60)]
    end_pod(job, role, code)

    if lost or (role, method) == ("worker", "pdsh"):
        soon("another pod", lambda: [p for p in job.pods("1", role) if p.metadata.name not in first], 60)
        assert conditions(job, role) == []
    else:
        soon("the end of the Job", lambda: "FailureTarget" in conditions(job, role), 60)
