"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "704ec9343626a60ea4718d1fe0b389437fe5278b22b8730cc98d9fee1d4724f1"
