"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "9b6c6131b6924280a0eee392375544b4c555c5a07ef1e7c97d3f1ba7833e14e0"
