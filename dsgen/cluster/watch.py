"""Waits for changes of a job's objects, for hours: watches may end, versions expire, and the API be unavailable."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsgen.cluster.models import JOB
from dsgen.cluster.reader import api_path
from dsgen.errors import ApiError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

KINDS = ("configmaps", "jobs", "pods")
SETTLE_SECONDS = 0.3
"""Seconds to wait for further changes, which come in bursts."""
QUIET_SECONDS = 20
"""Seconds after which the state is read without a change, because a lease expires without one."""
RETRY_SECONDS = 2


def watch_changes(cluster: Cluster, namespace: str, job: str, until: float = float("inf")) -> Iterator[None]:
    """Yields at once, after each change, and after QUIET_SECONDS without one, until the monotonic time `until`."""
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
    """One watch after the other. Changes between two watches are not lost, because everything is read again."""
    while not stopped.is_set():
        try:
            for _ in cluster.watch(api_path(kind, namespace), labelSelector=f"{JOB}={job}"):
                if stopped.is_set():
                    return
                seen.put(kind)
            seen.put(kind)
        except ApiError:
            stopped.wait(RETRY_SECONDS)
