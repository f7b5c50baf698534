"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "57eada93ddbec7806408e25f6f1a3bc8c664fcfb124916847a5e1d2a424d1d8e"
