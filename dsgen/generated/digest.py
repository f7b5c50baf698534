"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "a22e9a4e7fd7abbe381dc5bd42b5ce4e90dc24f812fb56b91bda50012ecaf312"
