"""What `dsgen apply` says when requests fail, and that a second apply completes the first. Messages are real ones."""

from collections.abc import Sequence
from typing import Any

import pytest

from dsgen import api, values
from dsgen.cluster.actions import ObjectRef
from dsgen.cluster.apply import (
    ApplyPlan,
    IncompleteApplyError,
    PlannedObject,
    apply_objects,
    find_kept_version,
    find_refusals,
    prepare_parts,
    prune_objects,
)
from dsgen.errors import ApiError

VALUES = """\
{name: cifar, namespace: training, image: {repository: r/x, tag: v1}, workers: {replicas: 2, slots: 1},
 training: {python: train.py}}
"""
AWAY = ApiError(
    'Internal error occurred: failed calling webhook "jobs.example.com": failed to call webhook: Post'
    ' "https://guard.guards.svc:443/?timeout=10s": dial tcp 10.96.31.7:443: connect: connection refused',
    500,
)
QUOTA = ApiError(
    'jobs.batch "cifar-1-launcher" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1,'
    " used: count/jobs.batch=1, limited: count/jobs.batch=1",
    403,
)
LAUNCHER, WORKER = "/cifar-1-launcher", "/cifar-1-worker"


class Server:
    """The objects of a cluster; `fails`: the end of a path -> the answer to requests for it."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {"/api/v1/namespaces/training": {}}
        self.fails: dict[str, ApiError] = {}
        self.on_dry_run = False  # whether dry runs fail, too

    def get(self, path: str) -> Any:
        if path not in self.objects:
            raise ApiError("not found", 404)
        return self.objects[path]

    def apply(self, path: str, content: Any, dry_run: bool = False, force: bool = False) -> Any:  # noqa: ARG002  # as in Cluster
        self.refuse(path, dry_run)
        if not dry_run:
            self.objects[path] = content
        return content

    def delete(self, path: str) -> None:
        self.refuse(path)
        del self.objects[path]

    def refuse(self, path: str, dry_run: bool = False) -> None:
        for end, error in self.fails.items():
            if path.endswith(end) and (self.on_dry_run or not dry_run):
                raise error


def job() -> values.Job:
    return values.load([values.SourceText("cifar.yaml", VALUES)])


def parts(server: Server) -> list[PlannedObject]:
    return prepare_parts(server, job(), api.render(job()))  # type: ignore[arg-type]  # the part that is used


def kept(server: Server) -> str:
    """The version of dsgen whose objects of the run stay. Raises ChangedRunError."""
    return find_kept_version(server, job(), api.render(job()), parts(server))  # type: ignore[arg-type]  # as above


def applied(server: Server, rendered: Sequence[PlannedObject]) -> list[str]:
    plan = ApplyPlan(rendered, kept="", old=[], ends=[], force=False)
    return [" ".join(one) for one in apply_objects(server, plan)]  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("error", [AWAY, QUOTA])
def test_an_apply_that_fails_in_the_middle_names_the_objects_and_is_completed_by_another(error: ApiError) -> None:
    server = Server()
    server.fails[LAUNCHER] = error
    titles = [part.title for part in parts(server)]
    at = titles.index("job/cifar-1-launcher")

    with pytest.raises(IncompleteApplyError) as raised:
        applied(server, parts(server))
    assert raised.value.lines == (
        f"job/cifar-1-launcher: {error}",
        f"applied: {', '.join(titles[:at])}",
        f"not applied: {', '.join(titles[at:])}",
        "once the cause is gone, `dsgen apply` of the same file, without --bump, applies the rest",
    )

    server.fails.clear()
    again = parts(server)
    assert "" == kept(server)
    assert [f"{title} unchanged" for title in titles[:at]] == applied(server, again)[:at]
    assert [True] * len(titles) == [part.live is not None for part in parts(server)]


def test_a_run_of_which_few_objects_are_applied_is_no_changed_run() -> None:
    """Also without the ConfigMap that has the values with which the run began."""
    for count in range(len(parts(Server()))):
        server = Server()
        applied(server, parts(server)[:count])

        assert "" == kept(server)


def test_a_webhook_that_is_away_before_the_first_object_leaves_nothing() -> None:
    server = Server()
    server.fails[WORKER], server.on_dry_run = AWAY, True
    before = dict(server.objects)

    with pytest.raises(ApiError) as raised:
        find_refusals(server, parts(server), force=False)  # type: ignore[arg-type]  # as above
    assert f"job/cifar-1-worker: {AWAY}; nothing was applied" == str(raised.value)
    assert before == server.objects


def test_all_refusals_are_told_before_anything_is_applied() -> None:
    server = Server()
    denied = ApiError('admission webhook "jobs.example.com" denied the request: no team label', 403)
    server.fails, server.on_dry_run = {WORKER: denied, LAUNCHER: QUOTA}, True

    said = find_refusals(server, parts(server), force=False)  # type: ignore[arg-type]  # as above
    assert [f"job/cifar-1-worker: {denied}", f"job/cifar-1-launcher: {QUOTA}"] == said


def test_old_objects_that_cannot_be_deleted_are_named() -> None:
    server = Server()
    old = [ObjectRef(f"/{name}", f"job/{name}") for name in ("cifar-0-launcher", "cifar-0-worker", "gone")]
    server.objects.update({one.path: {} for one in old})
    server.fails["/cifar-0-worker"] = AWAY

    with pytest.raises(IncompleteApplyError) as raised:
        list(prune_objects(server, ApplyPlan([], "", old, [], False)))  # type: ignore[arg-type]  # as above
    assert raised.value.lines[1:] == (
        "deleted: job/cifar-0-launcher",
        "not deleted: job/cifar-0-worker, job/gone",
        "once the cause is gone, `dsgen apply` of the same file, without --bump, deletes the rest;"
        " the new run is applied",
    )
