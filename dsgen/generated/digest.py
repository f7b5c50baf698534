"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "28ebc93fa0901b9133b698e6a5b615f9d16e7ac0dec4333aeb011638e002445a"

SCRIPTS = "28e6100fea"
"""Of the scripts alone, which is in the names of their objects."""
