"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "547d73e2d53efdd62f788c031a422748b86b886bc9edfa3e423cd3a204d92fc8"
