"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "1733b1a394f8eb1fe0700f47f5b9ea5ba19d04280c75b2360c7e7f17786dd6ce"
