"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "bc7f2d94a06705ee20494175636e2e0b1fe2fad0a402ec394977c5dd6e61df82"
