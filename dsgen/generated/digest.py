"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "c9cb3b59189b5e700ecbc53165b51b2afa1866ff9bb650df70a67c5ba8d4754f"
