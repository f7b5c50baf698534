"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "2d66b4b007bc76bb20f48f3202c31b36bb5ca7d958aabc971253720dcda8a10e"
