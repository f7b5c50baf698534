"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "33a1ecc9fb25b3fb3f9a225dfc3f9f27effe233f85344133779083563207d26d"

SCRIPTS = "a0b56c8c9d"
"""Of the scripts alone, which is in the names of their objects."""
