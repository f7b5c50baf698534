"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "cc81da9e701bca9bc9735ca640a398f889c2afc4fb028df0c166a7d65e2cf76f"
