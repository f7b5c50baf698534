"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "67bb62c7d8b77f45a2b6a7081ad4261cce8fa952eea7d262ad51eafc1c8b04c0"
