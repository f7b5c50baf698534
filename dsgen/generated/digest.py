"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "a97b5be115d409cc613513fe1caee9e451cd3d9a5710a74b3afaa5d192ef6c61"
