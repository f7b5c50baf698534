"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "12f4af8985ecbca4238a2b6829973fba815bd70032df30bfec52421e0be9b278"
