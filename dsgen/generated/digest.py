"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "1c8ac3f78fd206d4c1465849754a4091c907c90e79a04e505f52e0142d83fbeb"
