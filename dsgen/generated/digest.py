"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "942450289c8f1d46d1eda6347de78531f07987bbe48f9c23375b894a3af727ba"

SCRIPTS = "c0e25790c5"
"""Of the scripts alone, which is in the names of their objects."""
