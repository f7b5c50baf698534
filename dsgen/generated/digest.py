"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "a9ec86f6c5b4141cb1edf95b7b61dbb979684981f70e28fa6a19b65d394485e3"

SCRIPTS = "3005f4fbbc"
"""Of the scripts alone, which is in the names of their objects."""
