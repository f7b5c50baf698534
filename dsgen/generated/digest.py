"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "dc85cbc685d0ebf7d8bec45d12a015b074470274616f244058036a25dd7eca3c"
