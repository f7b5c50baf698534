"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "4195403a67a04dc90d8771e9a8d90f06982ba770129b5d077d102340ef71db26"
