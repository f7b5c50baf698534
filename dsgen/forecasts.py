"""What a job will need: its estimate, from the section `estimate` of its values, with what makes it fit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dsgen import checks
from dsgen.errors import UsageError
from dsgen.estimate import estimates, forecast, inputs, measured
from dsgen.estimate.changes import Remedy
from dsgen.estimate.forecast import Forecast
from dsgen.values import Job

if TYPE_CHECKING:
    from dsgen.estimate.parameters import Model


def forecast_job(job: Job, model: Model | None = None) -> Forecast:
    """The forecast of a job without other problems than those of its estimate. model: in place of that of the job."""
    given = inputs.read_section(job.data["estimate"])
    if model is not None:
        given = replace(given, **{name: getattr(model, name) or None for name in inputs.OF_MODEL})
    return forecast.make_forecast(job.data, given, checks.make_validity_check(job.data, job.release._asdict()))


def read_model(name: str, config: str | Mapping[str, Any]) -> Model:
    """The model of a config.json, as text or as data. Raises UsageError with what to write instead."""
    from dsgen.estimate import parameters  # imported late: few jobs are estimated with a config.json

    try:
        data = json.loads(config) if isinstance(config, str) else config
        if not isinstance(data, Mapping):
            raise UsageError(f"{name}: this is not the config.json of a model")
        return parameters.make_model(data)
    except parameters.ConfigError as error:
        raise UsageError(f"{name}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: this is not JSON: {error}") from error


def make_settings(model: Model, job: Job | None = None) -> dict[str, int | None]:
    """Key -> number of a model, to set them; None for keys that a job has and this model has not."""
    numbers: dict[str, int | None] = {**inputs.collect_numbers(model)}
    if job is not None:
        given = inputs.read_section(job.data["estimate"])
        others = (name for name in inputs.OF_MODEL if not getattr(model, name) and getattr(given, name) is not None)
        numbers |= dict.fromkeys((inputs.KEYS[name] for name in others), None)
    return numbers


def as_data(job: Job, needs: Forecast) -> dict[str, Any]:
    """The forecast of a job as JSON: bytes, seconds, and null for what is not known."""
    data, given, release = estimates.as_data(needs.estimate), needs.limits, job.release
    if data["perWorker"]:
        data["perWorker"] |= {name: _round(getattr(given, name)) for name in ("request", "limit", "node")}
    if data["checkpoint"]:
        data["checkpoint"] |= {"claim": _round(given.claim), "gracePeriod": given.grace, "secondsToSave": given.to_save}
    rows = measured.compare(needs.setup, needs.estimate, needs.inputs)
    return {
        "job": f"{release.namespace}/{release.name}",
        **data,
        "remedy": _dump_remedy(needs.remedy),
        "measured": {"run": needs.inputs.measured_run, "items": [row.as_data() for row in rows]} if rows else None,
    }


def _dump_remedy(remedy: Remedy | None) -> dict[str, Any] | None:
    if remedy is None:
        return None
    held = estimates.as_data(remedy.estimate)["perAccelerator"]
    return {
        "changes": [change.name for change in remedy.changes],
        "set": {".".join(path): value for path, value in remedy.settings.items()},
        "perAccelerator": {"low": held["low"], "high": held["high"]},
    }


def _round(number: float | None) -> int | None:
    return None if number is None else round(number)
