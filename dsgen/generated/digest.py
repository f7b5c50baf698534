"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "df2b8601bc54b09ff68e01aea7ff9300f1cf1b9c9c451a97044a80dcad93b474"
