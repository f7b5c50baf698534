"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "73a70f3eca704b88b0fb31eebbe334b7a82ab74b85cf4315ef96d6646ee76e78"

SCRIPTS = "7bbde4e1eb"
"""Of the scripts alone, which is in the names of their objects."""
