"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "47ebb14a449f2e4ffeb3f365decfbb29419a4350e41fc3b1637cea957945c563"
