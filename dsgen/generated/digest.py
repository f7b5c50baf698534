"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "42bd6430924196c8065993a7ced1180570bbd21453af172c1485bb659bfe1951"
