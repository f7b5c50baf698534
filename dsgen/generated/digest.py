"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "76d71ef2cdad649c08d6b2716672d633e8905a7a210bf43ba3486956b89e2307"
