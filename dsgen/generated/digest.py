"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "bbb99c527181926e14d283b665f4592ab4e284b8cf7bf4c152ce1301816a4173"

SCRIPTS = "f3c16f6c9c"
"""Of the scripts alone, which is in the names of their objects."""
