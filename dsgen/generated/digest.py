"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "2cc242fd214286365274b2a668bbfbb3e91b81d8b08ce0cdce21589d6bd263dc"
