"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "f38591c3dfab04c05903183e86cf8b2851e0f06f73b0e11b8db8ecb4eaff232a"
