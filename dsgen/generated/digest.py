"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "2bd618d8182747fb56c8337aff6d6d81b494a0802ab2a46e8d058de47747a869"
