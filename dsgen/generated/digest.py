"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "246cf2f70ca9e3f1772b70c55a384e019f1ce8578cd07ce60934d2760c5fb690"
