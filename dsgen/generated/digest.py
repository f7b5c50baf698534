"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "ec06d6658ddff457de2dbfa9a15041a339c245288ce1356e5abd967e18a7e699"
