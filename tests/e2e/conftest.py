"""Fixtures of the end-to-end tests: a cluster, an image, namespaces, and a report of them when a test fails."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
import urllib3
from kubernetes import client, config

from tests.e2e.cluster import Namespace, live
from tests.e2e.proxy import Proxy
from tests.e2e.training import Job, training_values

NEEDED = ("KUBECONFIG", "DSGEN_E2E_IMAGE")
HOW = (
    "end-to-end tests need a cluster: export KUBECONFIG (Kubernetes 1.29 or later, a default StorageClass for "
    "ReadWriteMany claims) and DSGEN_E2E_IMAGE (an image that its nodes have; tests/e2e/README.md says what is in it)"
)

described: set[str] = set()


def unavailable(reason: str) -> NoReturn:
    """Skip on a laptop; under CI nothing is skipped."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)  # only on a laptop


@pytest.fixture(scope="session", autouse=True)
def _cluster() -> None:
    if not all(os.environ.get(name) for name in NEEDED):
        unavailable(HOW)
    config.load_kube_config()
    patient = client.Configuration.get_default_copy()
    patient.retries = urllib3.Retry(total=6, backoff_factor=1)  # of what has no answer: half a minute
    client.Configuration.set_default(patient)


@pytest.fixture(scope="session")
def image(_cluster: None) -> str:
    """The training image."""
    return os.environ["DSGEN_E2E_IMAGE"]


@pytest.fixture(scope="session")
def git_image(image: str) -> str:
    """An image with git, sshd and python3: for code.git.image and for a git server."""
    return os.environ.get("DSGEN_E2E_GIT_IMAGE") or image


@pytest.fixture(scope="module")
def namespaces(_cluster: None) -> Iterator[Callable[..., Namespace]]:
    """Makes namespaces that go at the end of the module, unless DSGEN_E2E_KEEP is set."""
    made: list[Namespace] = []

    def make(purpose: str, level: str = "baseline") -> Namespace:
        made.append(Namespace(purpose, level))
        return made[-1]

    yield make
    for space in made:
        live.remove(space)
        if not os.environ.get("DSGEN_E2E_KEEP"):
            space.delete()


@pytest.fixture(scope="module")
def make_job(
    namespaces: Callable[..., Namespace], image: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Job]:
    """A job named `digits` in a new namespace; the arguments after the level are the training's."""

    def make(purpose: str, *arguments: str, level: str = "baseline") -> Job:
        folder: Path = tmp_path_factory.mktemp(purpose)
        return Job(namespaces(purpose, level), folder, training_values(image, *arguments))

    return make


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Any:
    """Show pods, events, logs and records of the namespaces that are there when a test fails, each once."""
    report = yield
    if report.failed:
        for space in live:
            if space.name not in described:
                described.add(space.name)
                report.sections += [(f"{space.name}: {title}", text) for title, text in _described(space)]
    return report


def _described(space: Namespace) -> Iterator[tuple[str, str]]:
    try:
        yield from space.describe()
    except Exception as error:  # the report of a failure must not hide the failure
        yield "could not be described", repr(error)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A way to the API server that a test can interrupt."""
    made = Proxy(tmp_path_factory.mktemp("proxy"))
    yield made
    made.close()
