"""Assembles a chart: compiled templates, values with their schema, scripts, metadata."""
