"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "a22b92cbfa63f4819a06ffeeae74ce698536e9f9e1688d4acfcd833718acb3e5"
