"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "136c8b1565560630a1cb3f2e0fd3880887527c16c1d16f0066fa5afc568a31f8"

SCRIPTS = "bb2aac16fc"
"""Of the scripts alone, which is in the names of their objects."""
