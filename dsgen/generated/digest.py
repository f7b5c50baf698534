"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "7310c25d3440b97b7ddff3488dca1c2b9d5d8616357b9ce19670c58e68322b45"
