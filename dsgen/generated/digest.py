"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "04bf5327cbbabf63eb2e18fce0c6d866951f784514d3f0408972f8f590bf7c36"
