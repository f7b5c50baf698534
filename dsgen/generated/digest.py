"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "9c6f7841e462c278f74fe440f6ebfe2d8b351aee3d6aa2b6e9328f9a10b19be5"

SCRIPTS = "349e871178"
"""Of the scripts alone, which is in the names of their objects."""
