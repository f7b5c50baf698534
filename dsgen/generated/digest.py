"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "6c6e489250167079209ff2aa70159d155744c917d1d9ab8a9ef58f0157836006"
