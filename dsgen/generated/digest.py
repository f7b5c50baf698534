"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "043cdd282b8a7bc23a81d6b489f341ecbb74d13835cab9046b53667a8de572d9"
