"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "54f2236dcac00df886ae98b173f72dea1159b79dd89fa44d71c3119294a7d7e0"
