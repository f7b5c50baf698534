"""Applies the objects of a job as planned: sends them one after the other, then deletes those of other runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dsgen.cluster.actions import delete_objects
from dsgen.cluster.apply_plan import SUSPEND, ApplyPlan, Part, send, shorten
from dsgen.errors import ApiError, IncompleteApplyError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

COMPLETE = "once the cause is gone, `dsgen apply` of the same file, without --bump,"


class AppliedObject(NamedTuple):
    """An object, such as job/cifar-1-worker, and what was done: created, configured, unchanged, kept or pruned."""

    name: str
    action: str


def apply_objects(cluster: Cluster, plan: ApplyPlan, dry_run: bool = False) -> Iterator[AppliedObject]:
    """Apply the objects in their order. Raises IncompleteApplyError."""
    for number, part in enumerate(plan.parts):
        try:
            action = (
                suspend(cluster, part, dry_run)
                if plan.kept and part.of_run
                else send(cluster, part, dry_run, plan.force)
            )
        except ApiError as error:
            if dry_run:
                raise
            raise _incomplete("applied", part.title, error, [one.title for one in plan.parts], number) from error
        yield AppliedObject(part.title, action)


def prune_objects(cluster: Cluster, plan: ApplyPlan, dry_run: bool = False) -> Iterator[AppliedObject]:
    """Delete the objects of other runs. Raises IncompleteApplyError."""
    titles = [f"{one.kind}/{one.name}" for one in plan.old]
    for number, one in enumerate(plan.old):
        try:
            delete_objects(cluster, () if dry_run else (one,))
        except ApiError as error:
            raise _incomplete("deleted", titles[number], error, titles, number) from error
        yield AppliedObject(titles[number], "pruned")


def _incomplete(verb: str, title: str, error: ApiError, titles: Sequence[str], count: int) -> IncompleteApplyError:
    """The message for a request that failed after the first `count` objects."""
    rest = {"applied": "applies the rest", "deleted": "deletes the rest; the new run is applied"}[verb]
    return IncompleteApplyError(
        f"{title}: {shorten(error)}",
        f"{verb}: {', '.join(titles[:count]) or 'none'}",
        f"not {verb}: {', '.join(titles[count:])}",
        f"{COMPLETE} {rest}",
    )


def suspend(cluster: Cluster, part: Part, dry_run: bool) -> str:
    """Set only `suspend` of an object that is kept as another version of dsgen wrote it."""
    wanted = part.content.get("spec", {}).get(SUSPEND)
    if part.live is None or wanted in (None, part.live.get("spec", {}).get(SUSPEND)):
        return "kept"
    if not dry_run:
        cluster.patch(part.path, {"spec": {SUSPEND: wanted}})
    return "configured"
