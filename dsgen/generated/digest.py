"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "dabb95292e97bbd5cfdd6ad5ac52aaf2bcfa12537112c055d205e07e216b0abd"
