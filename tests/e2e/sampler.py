"""Reads a run each second, as `dsgen status` and `dsgen why` do, and compares the result with the cluster."""

import contextlib
import itertools
import threading
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from dsgen.cluster.client import Cluster
from dsgen.cluster.diagnosis import Cause, find_causes
from dsgen.cluster.models import RunState
from dsgen.cluster.phase import DEAD_SECONDS, RunStatus, find_status
from dsgen.cluster.reader import add_surroundings, read_run
from dsgen.errors import ApiError
from tests.e2e.training import Job


class Sample(NamedTuple):
    """What is shown of a run at one moment, and from what."""

    shown: RunStatus
    state: RunState
    causes: Sequence[Cause]


class Sampler(threading.Thread):
    """Takes a sample each second until `end`."""

    def __init__(self, job: Job, run: str = "1") -> None:
        super().__init__(daemon=True)
        self.job, self.id = job, run
        self.samples: list[Sample] = []
        self.stopped = threading.Event()

    def run(self) -> None:
        cluster = Cluster()
        while not self.stopped.wait(1):
            with contextlib.suppress(ApiError):  # the API server is away
                if state := read_run(cluster, self.job.space.name, self.job.name, self.id, thrifty=True):
                    add_surroundings(cluster, state, thrifty=True)
                    shown = find_status(state)
                    self.samples.append(Sample(shown, state, find_causes(state, shown)))

    def stop(self) -> None:
        self.stopped.set()
        self.join(60)

    def end(self) -> list[Sample]:
        """All samples, none of which is a lie."""
        self.stop()
        assert [] == [*lies(self.samples)]
        return self.samples

    def phases(self, without: Collection[str] = ()) -> list[str]:
        """The phases, one after the other, but for some."""
        shown = (sample.shown.phase for sample in self.samples)
        return [phase for phase, _ in itertools.groupby(phase for phase in shown if phase not in without)]


@contextlib.contextmanager
def sampling(job: Job) -> Iterator[list[Sample]]:
    """The samples of the job's first run, one more each second."""
    sampler = Sampler(job)
    sampler.start()
    try:
        yield sampler.samples
    finally:
        sampler.stop()


def lies(samples: Sequence[Sample]) -> Iterator[str]:
    """Samples that say Running long after the last launcher, or an end that is not the record's."""
    alive = 0.0
    for shown, state, _ in samples:
        pod = state.launcher_pod
        if pod and pod.up and not pod.deleting:
            alive = state.now
        recorded = state.record.get("phase")
        if shown.phase == "Running" and state.now - max(alive, state.renewed_at or 0) > DEAD_SECONDS:
            yield f"Running, and no launcher since {state.now - alive:.0f} s"
        if shown.phase in ("Succeeded", "Failed") and recorded not in (None, shown.phase):
            yield f"{shown.phase}, and the record says {recorded}"
