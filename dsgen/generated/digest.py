"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "e6363b6323c5d2e82c2ba1035cbe9dabed431637285eeae131610653bba46249"
