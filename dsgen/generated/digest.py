"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "043a6630030656d6e6f25665062d11bf202abda661fce58112a9e9c8035fa7d3"
