"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "2e92c57d9a6f5ef3da78b18da6d684e25948dff1bf5d3bd0e1cbd268ec6d23e3"
