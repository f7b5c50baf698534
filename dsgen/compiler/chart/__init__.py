"""The other files of a chart: values with their schema, scripts, metadata."""
