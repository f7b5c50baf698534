"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "430ea9d0b75b3488940325dc11bd86017f9ea2517c3c361716e5e9de5755b356"
