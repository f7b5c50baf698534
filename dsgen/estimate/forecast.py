"""What a job needs beside what its values give it, and the changes with which it fits."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsgen.estimate import changes, estimates, setup
from dsgen.estimate.changes import Kind, Remedy
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.inputs import Inputs
from dsgen.estimate.setup import Setup
from dsgen.generated import helpers
from dsgen.language.functions import parse_quantity

IsValid = Callable[[Mapping[str, Any]], bool]
RESERVED_SECONDS = 20
"""Of the grace period: what the ranks do not get (dsgen/scripts/worker/exit.py)."""


@dataclass(frozen=True)
class Limits:
    """request, limit: bytes of memory of a worker. node: bytes that a node has for it. claim: bytes of the volume for
    checkpoints, if dsgen creates it. grace: seconds between the signal to end and the end of a pod; to_save: those that
    the training gets of them. None for what is not known.
    """

    request: float | None
    limit: float | None
    node: float | None
    claim: float | None
    grace: float
    to_save: float

    @property
    def memory(self) -> float | None:
        """The most memory that a worker can have."""
        known = [one for one in (self.limit, self.node) if one is not None]
        return min(known, default=None)


def read_limits(values: Mapping[str, Any], inputs: Inputs) -> Limits:
    """The limits of a job. values: complete and valid, as `dsgen.values.Job.data`."""
    workers = values["workers"]
    resources = workers["resources"]
    given = resources["requests"].get("memory")
    functions: Any = helpers
    asked = "" if given is None else functions.request_of(workers, "worker", "memory", given)
    created = values["storage"].get(inputs.checkpoints or "", {}).get("create")
    grace = float(values["lifecycle"]["terminationGracePeriodSeconds"])
    return Limits(
        request=_parse_bytes(json.loads(asked)) if asked else None,
        limit=_parse_bytes(resources["limits"].get("memory")),
        node=inputs.worker_memory,
        claim=_parse_bytes(created["size"]) if created else None,
        grace=grace,
        to_save=grace - RESERVED_SECONDS,
    )


def _parse_bytes(quantity: str | float | None) -> float | None:
    return None if quantity is None else float(parse_quantity(quantity))


@dataclass(frozen=True)
class Forecast:
    """The estimate of a job, with what it is made of.

    is_valid: whether changed values have no error that the values do not have.
    """

    values: Mapping[str, Any]
    inputs: Inputs
    setup: Setup
    estimate: Estimate
    limits: Limits
    is_valid: IsValid

    @property
    def may_not_fit(self) -> bool:
        """Whether the accelerators may be too small, as far as it is known."""
        estimate = self.estimate
        return not (estimate.per_accelerator is None or estimate.capacity is None or changes.fits(estimate))

    @functools.cached_property
    def remedy(self) -> Remedy | None:
        """The cheapest change with which the job fits its accelerators; None if it fits, or if nothing is found."""
        return changes.find_cheapest(self.values, self.inputs, self._is_possible) if self.may_not_fit else None

    def find_first(self, kinds: Sequence[Kind], is_enough: Callable[[Estimate], bool]) -> Remedy | None:
        """The first change of some kinds that is enough."""
        return changes.find_first(self.values, self.inputs, kinds, is_enough, self._is_possible)

    def _is_possible(self, values: Mapping[str, Any], estimate: Estimate) -> bool:
        """Whether changed values are valid, and fit the workers if the present ones do."""
        return (self._exceeds(self.estimate) or not self._exceeds(estimate)) and self.is_valid(values)

    def _exceeds(self, estimate: Estimate) -> bool:
        """Whether a worker cannot have the memory that it needs at least."""
        held, most = estimate.per_worker, self.limits.memory
        return held is not None and most is not None and held.low > most


def make_forecast(values: Mapping[str, Any], inputs: Inputs, is_valid: IsValid) -> Forecast:
    """The forecast of a job. values: complete and valid, as `dsgen.values.Job.data`."""
    job, given = setup.make_setup(values, inputs), read_limits(values, inputs)
    return Forecast(values, inputs, job, estimates.estimate_job(values, inputs), given, is_valid)
