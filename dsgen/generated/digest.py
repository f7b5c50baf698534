"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "1d02c9b5f71bff7d1f77066e73cb0714aa4bfbf8beb4ba2a02b0ff892dee8917"
