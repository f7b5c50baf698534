"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "0d6736e45f877558eb4d54b46097d53e3cf5b39f85699a6ade804c8480f33878"

SCRIPTS = "7bbde4e1eb"
"""Of the scripts alone, which is in the names of their objects."""
