"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "dc1d188870961adb0cb8e97ed45aee8d708fc02301b9a071da62c5ff8b15b16a"
