"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "09ef8fb032e88de781c92ba2b68d73362d61c1b4a254a030560eae3b14028c73"
