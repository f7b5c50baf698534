"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "70488d9d7c2e7fbde94fe90f1d50137bb31041c4d40e6c8a113a13c9de0e9a80"

SCRIPTS = "ef753b03e3"
"""Of the scripts alone, which is in the names of their objects."""
