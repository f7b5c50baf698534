"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "34448541599bf6c049ffa68558f4fc2c66b900419294c7534b106e18f1b3abe9"
