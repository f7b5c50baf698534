"""The launcher pod: its images, its identity, and what it has of the values."""

from collections.abc import Callable

import pytest
from kubernetes import client

from tests.e2e.training import Job, Run

pytestmark = pytest.mark.by_turns

# Sourced by the workers, and by the launcher with ssh.
SETUP = 'echo "HAS ${TOKEN:-no} $(ls -d /checkpoints 2>/dev/null || echo no)"\n'
TOKEN = {"valueFrom": {"secretKeyRef": {"name": "tracker", "key": "token"}}}


def images(run: Run, role: str) -> dict[str, str]:
    """The image of each container of a pod."""
    (pod, *_) = run.pods_of(role)
    return {one.name: one.image for one in (*(pod.spec.init_containers or []), *pod.spec.containers)}


@pytest.fixture(scope="module")
def small(make_job: Callable[..., Job], git_image: str) -> Run:
    """A launcher without PyTorch; the workers start the ranks."""
    job = make_job("small-launcher")
    job.values["launch"] = {"method": "torchrun"}
    job.values["launcher"]["image"] = git_image
    job.apply()
    return job.ended()


def test_without_ssh_the_launcher_needs_bash_and_python_only(small: Run, image: str, git_image: str) -> None:
    assert ("Succeeded", 2) == (small.record["phase"], small.record["worldSize"])
    assert {git_image} == set(images(small, "launcher").values())
    assert {image} == set(images(small, "worker").values())


def test_the_token_is_handled_by_another_image(make_job: Callable[..., Job], image: str, git_image: str) -> None:
    """The key is made and the record is written by it; DeepSpeed runs in the image of the job."""
    job = make_job("status-image")
    job.values["status"]["image"] = git_image
    job.apply()

    run = job.ended()

    assert ("Succeeded", 2) == (run.record["phase"], run.record["worldSize"])
    expected = {"status": git_image, "launcher": image}
    assert expected == images(run, "launcher")


@pytest.fixture(scope="module")
def secretive(make_job: Callable[..., Job]) -> Run:
    """pdsh, with a Secret in the environment and a volume, of which a line of the launcher's setup tells."""
    job = make_job("secretive")
    job.space.kubectl("create", "secret", "generic", "tracker", "--from-literal=token=t-0123")
    job.values["training"]["env"]["TOKEN"] = TOKEN
    job.values["training"]["setup"] = SETUP
    job.apply()
    return job.ended()


def test_secrets_and_volumes_are_where_the_program_runs(secretive: Run) -> None:
    has = {
        role: {
            line
            for pod in secretive.pods_of(role)
            for line in secretive.logs[f"{pod.metadata.name}/{role}"].splitlines()
            if line.startswith("HAS")
        }
        for role in ("worker", "launcher")
    }

    assert "Succeeded" == secretive.record["phase"]
    assert {"worker": {"HAS t-0123 /checkpoints"}, "launcher": {"HAS no no"}} == has


def test_a_job_named_default_gives_its_permissions_to_its_own_pod_only(make_job: Callable[..., Job]) -> None:
    """The ServiceAccount `default` is that of every pod of the namespace."""
    job = make_job("named-default")
    job.name = "default"
    job.apply()
    space = job.space.name

    def may(account: str) -> list[bool]:
        user = f"system:serviceaccount:{space}:{account}"
        asked = (
            {"verb": "get", "resource": "secrets", "name": "default-ssh"},
            {"verb": "patch", "resource": "configmaps", "name": "default-status"},
            {"verb": "list", "resource": "pods"},
        )
        reviews = [{"spec": {"user": user, "resourceAttributes": {"namespace": space, **one}}} for one in asked]
        return [client.AuthorizationV1Api().create_subject_access_review(one).status.allowed for one in reviews]

    assert [False] * 3 == may("default")
    assert [True] * 3 == may("default.launcher")
    account = job.space.core.read_namespaced_service_account("default", space)
    assert account.automount_service_account_token is None
    assert "Succeeded" == job.ended().record["phase"]
