"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "c635a560f832b47bdfa5b7df23625ae9e4ae223c6bb7fb390881f82764d27a11"
