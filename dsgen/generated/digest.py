"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "1927dbb7bc60ddda60889ac93a0a915f274fd5a666bc283ce54878fd3149f675"
