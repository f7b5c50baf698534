"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "b9184bf6f728702b631700205344803a24c81a47e3f6457dd6d5d8dbe6866c25"
