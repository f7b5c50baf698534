"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "6f67282297a433fdff429e5e9c321b8bce8da9262a9a4aeceb0d1b83cc7cad59"
