"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "dcb605905fd461c7760c1dc2711884d1479dcccbca52e09222212ae307aeb90b"

SCRIPTS = "18f8b3a8f4"
"""Of the scripts alone, which is in the names of their objects."""
