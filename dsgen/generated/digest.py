"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "ae251fb3bb1a67c1808c8d6fe0a69cbe69c4cbb60af907554255f225d78c5f93"
