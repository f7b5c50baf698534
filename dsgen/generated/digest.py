"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "a80c013789b7474b390069d5852d221127b9b45765e74415dadf3db9e565417f"
