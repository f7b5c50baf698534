"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "b1b1c4553c5f7780a92d31345c3a3aee4d2bc9cf6e056845775e86d9e90b63d4"
