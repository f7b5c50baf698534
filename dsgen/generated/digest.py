"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "78e32b582ef824ee01eec13eabf634aeb7c57f5f7e8c4f8e3ed637e97f9129f3"

SCRIPTS = "100285de64"
"""Of the scripts alone, which is in the names of their objects."""
