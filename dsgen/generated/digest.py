"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "6d6e4afcd5e37107bef3a39cedb3f4ca6f98a4821424aae4630b73e20fd61060"
