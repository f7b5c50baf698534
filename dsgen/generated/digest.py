"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "168ab057d38e9b0773b64b57e38c1d3152e33d63a27b8d22d58a5daf6f661f5f"

SCRIPTS = "9c5c8f8fa2"
"""Of the scripts alone, which is in the names of their objects."""
