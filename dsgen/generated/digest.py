"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "23d56b09194f70e2977cdbd433ef0730ddbace46994818af110e1319b4fc117e"

SCRIPTS = "de785f1b80"
"""Of the scripts alone, which is in the names of their objects."""
