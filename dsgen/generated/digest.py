"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "2e805bf7b72ac94e9343fbc311403344f5ecff7db80a4d20278bdcde7ec67aca"
