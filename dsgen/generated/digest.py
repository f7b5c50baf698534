"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "6bd86e32bb7efed10a4b3d535f40134e08fb38a4fca29651e0db3905f4123b40"
