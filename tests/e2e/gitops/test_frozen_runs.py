"""Argo CD and Flux cannot change a run that has started: the API server refuses it, without an effect on its pods."""

from collections.abc import Callable, Iterator

import pytest

from tests.e2e import frozen
from tests.e2e.cluster import Namespace
from tests.e2e.frozen import CHANGES, STATES, Jobs, Story
from tests.e2e.gitops import channels
from tests.e2e.gitops.channels import ARGO, FLUX, Repository

Way = Callable[[Jobs, Repository], frozen.Deliver]
WAYS: dict[str, tuple[str, Way]] = {
    "argocd": (ARGO, channels.argocd()),
    "argocd-server-side": (ARGO, channels.argocd("ServerSideApply=true")),
    "argocd-chart": (ARGO, channels.argocd(chart=True)),
    "kustomization": (FLUX, channels.kustomization),
    "helmrelease": (FLUX, channels.helmrelease),
}


DRY_RUN = {"kustomization"}
"""Those that try everything before they apply anything."""


@pytest.fixture(scope="module", params=WAYS)
def story(
    request: pytest.FixtureRequest,
    namespaces: Callable[..., Namespace],
    image: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Story]:
    controller, way = WAYS[request.param]
    channels.need(controller)
    space = namespaces(request.param)
    with frozen.three_jobs(space, image, tmp_path_factory.mktemp("made")) as jobs:
        repository = channels.pushed(jobs, tmp_path_factory.mktemp("repository"))
        try:
            yield frozen.story(jobs, way(jobs, repository))
        finally:
            channels.remove(jobs)
            space.delete()  # at once: the next way needs the room


@pytest.mark.by_turns("story")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("state", STATES)
def test_a_change_under_the_id_is_refused_without_effect(
    request: pytest.FixtureRequest, story: Story, state: str, change: str
) -> None:
    check = frozen.check_first_refused if request.node.callspec.params["story"] in DRY_RUN else frozen.check_refused
    check(story, state, change)
    frozen.check_untouched(story, state, change)
