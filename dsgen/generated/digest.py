"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "927c6b41b9dd6c458fc495b54cbace717066040959841cf873204fa95da521e3"

SCRIPTS = "3005f4fbbc"
"""Of the scripts alone, which is in the names of their objects."""
