"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "b689ba6a16ff5f699dbba66932b609df9bff5d9b5cf9e940ae804bad19b21604"
