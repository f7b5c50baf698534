"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "8f67893bbe5d4ce3163fd920464b29297e1187bd9d4806eed8ccc05197e5a2e3"

SCRIPTS = "d66ae18700"
"""Of the scripts alone, which is in the names of their objects."""
