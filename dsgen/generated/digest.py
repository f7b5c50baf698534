"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "69178620df1e2169bb054fced6162cbf6893d0939b1830f883673c2635a207cf"
