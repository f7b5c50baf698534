"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "a0445f0f5953cb1b5c4da3393146b01fef8683439d0abfeac5d88678b9c1e23c"
