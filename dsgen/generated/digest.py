"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "7ed1eea9b080265f11c7bbca9692019421c0ce54e950e0d1f692d880ea055eb7"
