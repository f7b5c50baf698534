"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "411850c52d08a71ca2548b0e34844e339fb957984b8745d1b61d62f0d9ca5f31"
