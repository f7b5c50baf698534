"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "c68139dd2b643cd1543d6ab2e87bce85dc3dcdc841969607f74b5eabf15e0737"
