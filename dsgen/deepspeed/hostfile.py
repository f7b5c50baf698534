"""The hostfile of a run: a line for each worker pod, the spares last."""

from __future__ import annotations

from dsgen.language.text import scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def pods(values: Mapping[str, Any]) -> int:
    """The number of worker pods, as the helper worker_pods computes it."""
    return int(values["workers"]["replicas"] + values["launch"]["preflight"]["spares"])


def hosts(values: Mapping[str, Any], job: str) -> list[str]:
    """The names in the hostfile of a job with this name."""
    run = f"{job}-{scalar(values['run']['id'])}"
    return [f"{run}-worker-{number}.{run}" for number in range(pods(values))]
