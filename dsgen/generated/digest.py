"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "53353c1afbf1cb7fe625f9c282934515f21527d32ed6766bb14660ad4935174d"
