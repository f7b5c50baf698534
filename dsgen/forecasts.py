"""What a job will need: its estimate, from the section `estimate` of its values, with what makes it fit."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dsgen import checks
from dsgen.checks.estimate import fits_workers
from dsgen.errors import UsageError
from dsgen.estimate import changes, estimates, inputs, limits, measured, parameters, setup
from dsgen.estimate.changes import Remedy
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.inputs import Inputs
from dsgen.estimate.limits import Limits
from dsgen.estimate.parameters import Model
from dsgen.estimate.setup import Setup
from dsgen.problems.diagnostics import Diagnostic
from dsgen.values import Job

HUNDRED = "DS4"
"""The ids of checks that are about an estimate; a job that has these problems is valid otherwise."""


@dataclass(frozen=True)
class Forecast:
    """The estimate of a job, with what it is made of."""

    job: Job
    inputs: Inputs
    setup: Setup
    estimate: Estimate
    limits: Limits

    @functools.cached_property
    def remedy(self) -> Remedy | None:
        """The cheapest change with which the job fits its accelerators; None if it fits, or if nothing is found."""
        if not self.may_not_fit:
            return None
        is_valid = checks.no_new_errors(self.job.data, self.job.release._asdict())
        is_possible = fits_workers(self.inputs, self.estimate, self.limits, is_valid)
        return changes.cheapest(self.job.data, self.inputs, is_possible)

    @property
    def may_not_fit(self) -> bool:
        """Whether the accelerators may be too small, as far as it is known."""
        estimate = self.estimate
        return not (estimate.per_accelerator is None or estimate.capacity is None or changes.fits(estimate))


def of(job: Job, model: Model | None = None) -> Forecast:
    """The forecast of a job without other problems than those of its estimate. model: in place of that of the job."""
    given = inputs.of_section(job.data["estimate"])
    if model is not None:
        given = replace(given, **{name: getattr(model, name) or None for name in inputs.OF_MODEL})
    return Forecast(
        job=job,
        inputs=given,
        setup=setup.of_values(job.data, given),
        estimate=estimates.of(job.data, given),
        limits=limits.of(job.data, given),
    )


def read_model(name: str, config: str | Mapping[str, Any]) -> Model:
    """The model of a config.json, as text or as data. Raises UsageError with what to write instead."""
    try:
        data = json.loads(config) if isinstance(config, str) else config
        if not isinstance(data, Mapping):
            raise UsageError(f"{name}: this is not the config.json of a model")
        return parameters.of_config(data)
    except parameters.ConfigError as error:
        raise UsageError(f"{name}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: this is not JSON: {error}") from error


def is_other(problem: Diagnostic) -> bool:
    """Whether a problem is not one of an estimate."""
    return not problem.id.startswith(HUNDRED)


def settings_of(model: Model, job: Job | None = None) -> dict[str, int | None]:
    """Key -> number of a model, to set them; None for keys that a job has and this model has not."""
    numbers: dict[str, int | None] = {**inputs.keys_of(model)}
    if job is not None:
        given = inputs.of_section(job.data["estimate"])
        others = (name for name in inputs.OF_MODEL if not getattr(model, name) and getattr(given, name) is not None)
        numbers |= dict.fromkeys((inputs.KEYS[name] for name in others), None)
    return numbers


def as_data(forecast: Forecast) -> dict[str, Any]:
    """A forecast as JSON: bytes, seconds, and null for what is not known."""
    data, given, release = estimates.as_data(forecast.estimate), forecast.limits, forecast.job.release
    if data["perWorker"]:
        data["perWorker"] |= {
            "request": _whole(given.request),
            "limit": _whole(given.limit),
            "node": _whole(given.node),
        }
    if data["checkpoint"]:
        data["checkpoint"] |= {"claim": _whole(given.claim), "gracePeriod": given.grace}
    rows = measured.compare(forecast.setup, forecast.estimate, forecast.inputs)
    return {
        "job": f"{release.namespace}/{release.name}",
        **data,
        "remedy": _of_remedy(forecast.remedy),
        "measured": {"run": forecast.inputs.measured_run, "items": [one.as_data() for one in rows]} if rows else None,
    }


def _of_remedy(remedy: Remedy | None) -> dict[str, Any] | None:
    if remedy is None:
        return None
    held = estimates.as_data(remedy.estimate)["perAccelerator"]
    return {
        "changes": [change.name for change in remedy.changes],
        "set": {".".join(path): value for path, value in remedy.settings.items()},
        "perAccelerator": {"low": held["low"], "high": held["high"]},
    }


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)
