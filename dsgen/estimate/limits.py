"""What the values give a job: memory of a worker, the claim for checkpoints, and the time to save the last one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dsgen.estimate.inputs import Inputs
from dsgen.generated import helpers
from dsgen.reading.quantities import parse_quantity

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
    """The limits of a job. values: complete and valid, as `dsgen.values.Values.data`."""
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
