"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "d4cf5e1eb82338b93b2a44302ac814153fc1517538663edfa88d32f028750e4d"
