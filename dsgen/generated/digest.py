"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "2e66a4a8bb7eb6d71c38ddfc5cdb07ac58b7f17b2b77e96ac83db0545ac64439"
