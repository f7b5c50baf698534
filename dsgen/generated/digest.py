"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "77ed448e04db498aa80d658eb785cf9ba2811dfdf3c3a29f02995cd472eb509a"

SCRIPTS = "21453927fb"
"""Of the scripts alone, which is in the names of their objects."""
