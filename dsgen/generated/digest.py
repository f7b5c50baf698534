"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "345e85ad22d5e4dba70a850f1e65d842a73d8f30b4d044eb5180df94d3af8715"
