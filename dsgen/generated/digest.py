"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "ed14c14e86ab9d047a71371741991712893afa60962476286cef949e753833e8"
