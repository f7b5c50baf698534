"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "21c4d15e10239a5d604ec0891b5e9c714b4d3814207740fd97ab09e1b5d2cf73"
