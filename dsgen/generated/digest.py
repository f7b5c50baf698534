"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "50e0b11b05a586c9381f1c67b1a8d456893129c13bd1ae3704da1deaba798e27"

SCRIPTS = "3005f4fbbc"
"""Of the scripts alone, which is in the names of their objects."""
