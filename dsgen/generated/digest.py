"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "69a38bdfaa21694834c3be353e1c96452bd4667580d62b41589b3d4170456ad2"
