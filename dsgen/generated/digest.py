"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "f8ee50c56b96161d113258908c0f107ec41b2933ca420262271704d28989eb74"
