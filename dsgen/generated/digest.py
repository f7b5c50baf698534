"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "787147a041daeac58d063a98b96059a6575afe11119dca0e5c69c590b70d0160"
