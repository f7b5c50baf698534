"""Sends the objects of a job to the API server: first a dry run of all of them, then one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dsgen.cluster.actions import ObjectRef, delete_objects
from dsgen.cluster.apply_plan import SUSPEND, Part, find_differences
from dsgen.cluster.reader import MISSING
from dsgen.errors import ApiError, DsgenError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

CONFLICT = 409
MANAGER = "dsgen"
MANAGERS = re.compile(r'conflicts? with "([^"]+)"')
LONGEST = 300
"""The length of a message of the API server, which may contain a whole object."""
COMPLETE = "once the cause is gone, `dsgen apply` of the same file, without --bump,"


class IncompleteApplyError(DsgenError):
    """Some objects were changed before a request failed."""


def find_refusals(cluster: Cluster, rendered: Iterable[Part], force: bool) -> list[str]:
    """The reasons why the API server would refuse objects, from a dry run of all of them. Raises ApiError."""
    said = []
    for part in rendered:
        try:
            send(cluster, part, True, force)
        except ApiError as error:
            if not 400 <= error.status < 500:
                raise ApiError(f"{part.title}: {_short(error)}; nothing was applied", error.status) from error
            said.append(_refusal(part, error))
    return said


def _refusal(part: Part, error: ApiError) -> str:
    if error.status == MISSING and not part.live:
        return f"{part.title}: the cluster has no kind {part.content['kind']} of {part.content['apiVersion']}"
    return f"{part.title}: {_short(error)}" + (". --force takes these fields over" * (error.status == CONFLICT))


def _short(error: ApiError) -> str:
    said = str(error)
    return said if len(said) <= LONGEST else f"{said[: LONGEST // 2]} ... {said[-LONGEST // 2 :]}"


def apply(cluster: Cluster, parts: Sequence[Part], kept: bool, dry_run: bool, force: bool) -> Iterator[str]:
    """Apply the objects in their order, and yield what was done with each one. Raises Incomplete.

    kept: the objects of the run stay as another version of dsgen wrote them.
    """
    for number, part in enumerate(parts):
        try:
            done = suspend(cluster, part, dry_run) if kept and part.of_run else send(cluster, part, dry_run, force)
        except ApiError as error:
            if dry_run:
                raise
            raise _incomplete("applied", part.title, error, [one.title for one in parts], number) from error
        yield f"{part.title} {done}"


def prune(cluster: Cluster, old: Sequence[ObjectRef]) -> Iterator[str]:
    """Delete objects of other runs, and yield what was done with each one. Raises Incomplete."""
    titles = [f"{one.kind}/{one.name}" for one in old]
    for number, one in enumerate(old):
        try:
            delete_objects(cluster, [one])
        except ApiError as error:
            raise _incomplete("deleted", titles[number], error, titles, number) from error
        yield f"{titles[number]} pruned"


def _incomplete(verb: str, title: str, error: ApiError, titles: Sequence[str], count: int) -> IncompleteApplyError:
    """The message for a request that failed after the first `count` objects."""
    rest = {"applied": "applies the rest", "deleted": "deletes the rest; the new run is applied"}[verb]
    return IncompleteApplyError(
        f"{title}: {_short(error)}",
        f"{verb}: {', '.join(titles[:count]) or 'none'}",
        f"not {verb}: {', '.join(titles[count:])}",
        f"{COMPLETE} {rest}",
    )


def send(cluster: Cluster, part: Part, dry_run: bool, force: bool) -> str:
    """Apply one object; `created`, `configured` or `unchanged`. Raises ApiError."""
    try:
        made = cluster.apply(part.path, part.content, dry_run, force)
    except ApiError as error:
        # `dsgen suspend` has the same field manager, but another operation.
        if error.status != CONFLICT or set(MANAGERS.findall(str(error))) != {MANAGER}:
            raise
        made = cluster.apply(part.path, part.content, dry_run, True)
    if part.live is None:
        return "created"
    return "configured" if find_differences(part, made) else "unchanged"


def suspend(cluster: Cluster, part: Part, dry_run: bool) -> str:
    """Set only `suspend` of an object that is kept as another version of dsgen wrote it."""
    wanted = part.content.get("spec", {}).get(SUSPEND)
    if part.live is None or wanted in (None, part.live.get("spec", {}).get(SUSPEND)):
        return "kept"
    if not dry_run:
        cluster.patch(part.path, {"spec": {SUSPEND: wanted}})
    return "configured"
