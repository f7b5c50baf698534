"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "30ed8d73e92a3873c8c5638581864e252d6cb1d55dfc0136ab5bcb6cc7035dc8"
