"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "b47f9c1c6f3d6021358a873e5028c1cd09fcf730875563844bcbb15c41a38bf3"
