"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "1652f8727512281069cbf01aef599922bb3de5e86e57e47ccf5a31889a17a69d"
