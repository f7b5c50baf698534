"""What a training needs: memory, time, traffic and disk, computed from numbers alone. Nothing is guessed.

The way through the package, for callers:

    config.json    model = parameters.make_model(json.load(...))     ConfigError says what to write instead
    section        numbers = inputs.read_section(section)            UnitError names the key; or Inputs(sequence=4096)
                   numbers = inputs.add_model(numbers, model)        those of the model where the section has none
                   inputs.collect_numbers(model)                     key -> number, to write them into the values file
    job            estimate = estimates.estimate_job(job.data, numbers)    job.data: complete values without errors
    tables         known = forecast.read_limits(job.data, numbers)
                   report.make_tables(setup.make_setup(job.data, numbers), estimate, known)
    JSON           estimates.as_data(estimate)
    remedy         changes.find_cheapest(job.data, numbers)          edits as paths in the values file
    all of it      forecast.make_forecast(job.data, numbers, is_valid)     with the limits, and with a valid remedy
    sweep          sweeps.mark_cheapest([sweeps.make_attempt(settings, changed.data, numbers), ...])

`inputs.KEYS` has the key of a values file for each input, and `Estimate.missing` names those that would give more.
`Estimate.fits` is False only if the lower bound does not fit; lower bounds are hard: no run that the inputs describe
needs less. Upper bounds hold where `Estimate.is_complete`; otherwise something is not in them, and JSON has null.

All that is known stands in tables: `families.FAMILIES`, `accelerators.ROWS`, `optimizers.BY_NAME`, `device.GRADIENTS`,
`device.BOUNDS` and `notes.LEFT_OUT` (features of DeepSpeed that no formula has). Figures of others are in
tests/estimate/references.yaml, and docs/estimate.md has them beside what is computed.
"""
