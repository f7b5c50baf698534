"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "724d8be93cd849fc1dd43f2eff46b5a1ac1c6338fa13408509382fa6f838c217"
