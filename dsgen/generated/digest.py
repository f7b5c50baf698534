"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "4d87f6020807a06e89960a4919aeb1a0657434e377c86b1029938966ac16d665"
