"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "f11579146c108ac183a93f882beb621fefc4ad0c3a924b2e0ae66c2a6381e3e7"

SCRIPTS = "e43b607089"
"""Of the scripts alone, which is in the names of their objects."""
