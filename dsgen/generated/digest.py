"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "71b74e2ee8cbd899a5a0aee9b33673f9d6216362ffa64064634cecf38ade4828"
