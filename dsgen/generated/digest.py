"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "84c5e9f8ec32a30d32df6c2ed754359cecc1935c7dccd670975605c7ac5c1d74"
