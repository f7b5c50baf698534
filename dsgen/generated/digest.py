"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "41c083611e56ceea1f31714245b30b7de0539a39df3a3719e76a66dcf88642bc"
