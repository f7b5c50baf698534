"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "6cde68dcbd67c7433a4a0661bd11994e9642caf5a84b7b0942b0fbd546454c33"
