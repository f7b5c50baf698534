"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "eddc67ef6f2e8caed1f1740dbd6e7ee0047b11ed8c40784e4016cbec7fc4342a"

SCRIPTS = "f3c16f6c9c"
"""Of the scripts alone, which is in the names of their objects."""
