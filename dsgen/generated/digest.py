"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "8c0e46afb25a3b250535a7c3b8a51f4a27a48be845ff7da852af26fbc62861f3"
