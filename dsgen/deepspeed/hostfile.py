"""The hostfile of a run: a line for each worker pod, the spares last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dsgen.language.text import scalar

if TYPE_CHECKING:
    from collections.abc import Mapping


def pods(values: Mapping[str, Any]) -> int:
    """The number of worker pods, as the helper worker_pods computes it."""
    return int(values["workers"]["replicas"] + values["launch"]["preflight"]["spares"])


def hosts(values: Mapping[str, Any], job: str) -> list[str]:
    """The names in the hostfile of a job with this name."""
    run = f"{job}-{scalar(values['run']['id'])}"
    return [f"{run}-worker-{number}.{run}" for number in range(pods(values))]
