"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "b51f81041cde0ffecab95e39aaf21f01083072e96b13be608231356b85557f2b"

SCRIPTS = "b06295ef92"
"""Of the scripts alone, which is in the names of their objects."""
