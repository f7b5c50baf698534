"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "2465192abf54e3c31b58da51c8e2f2acdc517881380b26f480f89daafbfc435e"
