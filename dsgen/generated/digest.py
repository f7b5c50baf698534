"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "fc44c2602c6d3176af0c31cd0e1ee9e8c791aec4f7f42335e7093846ae47246d"
