"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "4ca138968b50ba98a9f87e6b3f1a8ae4d0b47980b32aea1fdd8aec52709e9f00"
