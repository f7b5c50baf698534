"""kubectl and Helm cannot change a run that has started: the API server refuses it, without an effect on its pods."""

from collections.abc import Callable, Iterator

import pytest

from tests.e2e import frozen
from tests.e2e.cluster import Namespace
from tests.e2e.frozen import CHANGES, STATES, Jobs, Story
from tests.helm import MAJORS, helm


def by_kubectl(*options: str) -> Callable[[Jobs], frozen.Deliver]:
    """`kubectl apply` of the flat manifests."""

    def way(jobs: Jobs) -> frozen.Deliver:
        command = ["kubectl", "--namespace", jobs.space.name, "apply", *options, "--filename", "-"]
        return lambda state, change: frozen.said(command, jobs.manifests(state, change))

    return way


def by_helm(major: int) -> Callable[[Jobs], frozen.Deliver]:
    """`helm upgrade --install` of the chart, a release for each job."""

    def way(jobs: Jobs) -> frozen.Deliver:
        def deliver(state: str, change: str) -> str:
            command = [helm(major), "upgrade", "--install", state, str(jobs.chart(change)), "--namespace"]
            return frozen.said([*command, jobs.space.name, "--values", str(jobs.values_file(state, change))])

        return deliver

    return way


WAYS = {
    "kubectl": by_kubectl(),
    "kubectl-server-side": by_kubectl("--server-side"),
    **{f"helm{major}": by_helm(major) for major in MAJORS},
}


@pytest.fixture(scope="module", params=WAYS)
def story(
    request: pytest.FixtureRequest,
    namespaces: Callable[..., Namespace],
    image: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Story]:
    space = namespaces(f"frozen-{request.param}")
    with frozen.three_jobs(space, image, tmp_path_factory.mktemp(request.param)) as jobs:
        yield frozen.story(jobs, WAYS[request.param](jobs))
        space.delete()  # at once: the next way needs the room


@pytest.mark.by_turns("story")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("state", STATES)
def test_a_change_under_the_id_is_refused_without_effect(story: Story, state: str, change: str) -> None:
    frozen.check_refused(story, state, change)
    frozen.check_untouched(story, state, change)
