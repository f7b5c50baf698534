"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "0e604a5eac5c93c66b402cd6fbe840bfc91451bc48e2a55c0bc84a64451bc6a8"
