"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "dd2f6c02e6beae346bb19097c089e89106235721bfc3c659c5ccd361ad9084bc"
