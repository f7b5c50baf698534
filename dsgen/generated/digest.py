"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "a29caf5f8c67fbd537aa65c8723e441bef9ff7a54236e62896e9b75d3534bb31"
