"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "f83c9c886707ca082d2af61b392f3502bf9e8c316280271f33bff35430e97792"
