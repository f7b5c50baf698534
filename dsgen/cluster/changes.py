"""Waits for changes of a job's objects, for hours: watches end, versions expire, the API is away."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsgen.cluster import collect
from dsgen.cluster.facts import JOB
from dsgen.errors import ApiError

if TYPE_CHECKING:
    from dsgen.cluster.api import Cluster

KINDS = ("configmaps", "jobs", "pods")
SETTLE_SECONDS = 0.3
"""Changes come in bursts; this long is waited for the rest of one."""
QUIET_SECONDS = 20
"""Without any change it is looked all the same: time alone makes a lease old."""
RETRY_SECONDS = 2


def changes(cluster: Cluster, namespace: str, job: str, until: float = float("inf")) -> Iterator[None]:
    """Comes at once, then after each change or quiet time, until the monotonic time `until`."""
    seen: queue.SimpleQueue[str] = queue.SimpleQueue()
    stopped = threading.Event()
    for kind in KINDS:
        threading.Thread(target=_watch, args=(cluster, kind, namespace, job, seen, stopped), daemon=True).start()
    try:
        yield
        while (left := until - time.monotonic()) > 0:
            try:
                seen.get(timeout=min(left, QUIET_SECONDS))
                time.sleep(min(left, SETTLE_SECONDS))
                while not seen.empty():
                    seen.get()
            except queue.Empty:
                pass
            yield
    finally:
        stopped.set()


def _watch(
    cluster: Cluster, kind: str, namespace: str, job: str, seen: queue.SimpleQueue[str], stopped: threading.Event
) -> None:
    """One watch after the other. A gap between two is no loss: each look reads everything anew."""
    while not stopped.is_set():
        try:
            for _ in cluster.watch(collect.path(kind, namespace), labelSelector=f"{JOB}={job}"):
                if stopped.is_set():
                    return
                seen.put(kind)
            seen.put(kind)
        except ApiError:
            stopped.wait(RETRY_SECONDS)
