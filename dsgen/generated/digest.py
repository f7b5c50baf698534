"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "41208acafdecf936c12e1ecda289bd71d6deea28c4bc2c5917f7c576b0eeef86"
