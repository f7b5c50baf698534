"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "4c94a2973c537cce9a3b6e6cfcef81cedb0215263fa613d3f1b48492d0f74ae7"
