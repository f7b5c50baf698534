"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "2a38c1dcd50c8a8d7ed43fc1d144bd55f6dbd64ca6ced227a46e84b62687ee18"
