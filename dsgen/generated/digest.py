"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "1d5ac657138170c3c8929c1b3f533b7cb674398fe60cd01695d8c084f282c1f3"
