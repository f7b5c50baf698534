"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "864e1ccedccc5dda459a317c8c423a661236d3a1c3b3896af35af18567851c74"

SCRIPTS = "b700165554"
"""Of the scripts alone, which is in the names of their objects."""
