"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "6abf626a450d512c9994fbd3f6767e624663304082936a0275ef6bcf5e115aec"

SCRIPTS = "d8e94ae690"
"""Of the scripts alone, which is in the names of their objects."""
