"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "b134409f0c3bd3a390d6fd01b899dc2d7ef7ae6bcf0f9ab2c6c95a7dd7c870dd"

SCRIPTS = "6a9939553e"
"""Of the scripts alone, which is in the names of their objects."""
