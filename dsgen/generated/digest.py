"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "190080446e24d9401c6aeea2d1f19aeb3a7940834efc7ff2c257f8dd03f8c947"
