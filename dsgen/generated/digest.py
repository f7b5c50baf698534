"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "f6a31f41d4e04e572f2cdd903c5d22c205f85c3ef39d1af6c97a4ed0e483fbf0"
